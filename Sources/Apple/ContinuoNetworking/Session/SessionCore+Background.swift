import Foundation
import FoundationNetworking
import Synchronization
import Transfer

extension SessionCore: BackgroundTransfers.Client {
  /// The progress last reported of a background task.
  struct Told: Sendable {
    var written: Int64 = 0
    var sent: Int64 = 0
    var isPending = false
  }

  func progressed(_ record: TaskRecord) {
    guard let task = task(for: record) else { return }
    // A pending report reads the counts when it is delivered, so the newest are always reported.
    task.take(record)
    guard mayTell(record.task) else { return }
    post { [self] in
      noteTold(record.task) { $0.isPending = false }
      tell(task)
    }
  }

  private func tell(_ task: URLSessionTask) {
    guard let delegate = task.taskDelegate else { return }
    let (received, sent) = (task.countOfBytesReceived, task.countOfBytesSent)
    let before = noteTold(task.taskIdentifier) { told in
      told.written = received
      told.sent = sent
    }
    if sent > before.sent {
      delegate.urlSession(
        task.session, task: task, didSendBodyData: sent - before.sent, totalBytesSent: sent,
        totalBytesExpectedToSend: task.countOfBytesExpectedToSend)
    }
    if received > before.written, let download = task as? URLSessionDownloadTask {
      (delegate as? any URLSessionDownloadDelegate)?.urlSession(
        task.session, downloadTask: download, didWriteData: received - before.written,
        totalBytesWritten: received, totalBytesExpectedToWrite: task.countOfBytesExpectedToReceive)
    }
  }

  func resumed(_ record: TaskRecord, at offset: Int64) {
    guard let task = task(for: record) as? URLSessionDownloadTask else { return }
    let expected = record.expected
    post { [self] in
      noteTold(record.task) { $0.written = offset }
      (task.taskDelegate as? any URLSessionDownloadDelegate)?.urlSession(
        task.session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: expected)
    }
  }

  func ended(_ record: TaskRecord, file: String) {
    guard let task = task(for: record), let transfers else { return }
    post { [self] in
      task.take(record)
      if record.outcome?.code == nil { tell(task) }
      let delegate = task.taskDelegate
      if let body = record.answer?.body, !body.isEmpty, let dataTask = task as? URLSessionDataTask {
        (delegate as? any URLSessionDataDelegate)?.urlSession(
          task.session, dataTask: dataTask, didReceive: body)
      }
      task.complete(record.error, data: Data(), file: handedOver(record, file), delegate)
      remove(task)
      transfers.heard(record.key)
    }
  }

  /// The file for the delegate; nil if an earlier process has taken it and exited before the task's end.
  private func handedOver(_ record: TaskRecord, _ file: String) -> URL? {
    guard case .download = record.kind, record.outcome?.code == nil else { return nil }
    if !FileManager.default.fileExists(atPath: file) {
      guard let status = record.answer?.status, !(200..<300).contains(status) else { return nil }
      // An unsuccessful response has no file: hand over an empty one.
      _ = FileManager.default.createFile(atPath: file, contents: nil)
    }
    return URL(fileURLWithPath: file)
  }

  func challenged(_ record: TaskRecord, failures: Int) {
    guard let task = task(for: record), let transfers else { return }
    let key = record.key
    guard let delegate = task.taskDelegate, let url = URL(string: record.answer?.url ?? record.url),
      let answer = record.answer
    else { return transfers.answer(key, nil) }
    let head = ResponseHead(status: answer.status, fields: answer.fields.map { ($0.key, $0.value) })
    let challenge = URLAuthenticationChallenge(url, head, failures: failures)
    post {
      delegate.urlSession(task.session, task: task, didReceive: challenge) { disposition, credential in
        switch (disposition, credential) {
        case (.useCredential, let credential?): transfers.answer(key, credential.credentials)
        case (.cancelAuthenticationChallenge, _): transfers.answer(key, nil, isCancelled: true)
        default: transfers.answer(key, nil)
        }
      }
    }
  }

  func finishEvents() {
    post { [self] in
      guard let session else { return }
      delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: session)
    }
  }
}

extension URLSessionTask {
  func take(_ record: TaskRecord) {
    let response = record.response
    own.withLock { own in
      if let response { own.response = response }
      if case .download = record.kind {
        own.received = record.received
        own.expectedToReceive = record.expected
      }
      own.sent = record.sent
      if case .upload(_, let count) = record.kind { own.expectedToSend = max(0, count) }
    }
    showProgress()
  }
}
