import Foundation
import FoundationNetworking
import Synchronization
import TransferService

/// The work of a background task. It fails if the device's service for transfers cannot be opened.
final class BackgroundWork: TaskWork {
  private let task: URLSessionTask
  private let transfers: (any TransferService)?
  let key: TransferKey

  init(_ task: URLSessionTask, _ key: TransferKey, _ transfers: (any TransferService)?) {
    self.task = task
    self.key = key
    self.transfers = transfers
  }

  func resume() {
    guard let transfers = register() else { return }
    let values = task.session.core.values
    transfers.perform(
      .resume(
        key, deadlineIn: values.timeoutIntervalForResource, earliest: task.earliestBeginDate,
        isDiscretionary: values.isDiscretionary))
  }

  func suspend() { transfers?.perform(.hold(key)) }

  func cancel(producing handler: (@Sendable (Data?) -> Void)?) {
    let core = task.session.core
    let onQueue = handler.map { handler -> @Sendable (Data?) -> Void in
      { data in core.post { handler(data) } }
    }
    guard let transfers = register() else { return onQueue?(nil) ?? () }
    transfers.cancel(key, producing: onQueue)
  }

  func describe(_ text: String?) { transfers?.perform(.describe(key, text)) }

  /// Starts a delayed task that has become due, with `request` in place of its own unless that is nil.
  func begin(with request: URLRequest?) {
    if let request { task.own.withLock { $0.current = request } }
    transfers?.perform(.begin(key, request.map { record(of: $0) }))
  }

  private func record(of request: URLRequest) -> TaskRecord {
    let values = task.session.core.values
    var kind = TaskRecord.Kind.download
    if let upload = task as? URLSessionUploadTask, case .file(let file) = upload.source {
      kind = .upload(path: file.path, count: -1)
    }
    var record = TaskRecord(
      key, kind, request, fields: values.httpAdditionalHeaders ?? [:],
      timeout: request.ownTimeout ?? values.timeoutIntervalForRequest)
    record.connectionsPerHost = values.httpMaximumConnectionsPerHost
    record.sendsCookies = task.sendsCookies && values.httpCookieAcceptPolicy != .never
    if let cookies = task.cookieField { record.fields["Cookie"] = cookies }
    record.taskDescription = task.taskDescription
    return record
  }

  /// Registers the task with the device, unless the device knows it. Without a service or a request, fails the
  /// task and returns nil.
  private func register() -> (any TransferService)? {
    let core = task.session.core
    guard let transfers else {
      fail(core.failure ?? URLError(.unknown))
      return nil
    }
    guard !transfers.knows(key) else { return transfers }
    guard let request = task.originalRequest else {
      fail(.unreadableResumeData)
      return nil
    }
    transfers.perform(.add(record(of: request), resuming: (task as? URLSessionDownloadTask)?.resumeData))
    return transfers
  }

  private func fail(_ error: URLError) {
    let core = task.session.core
    core.post { [task] in
      // A task that is cancelled before its failure is reported fails twice. Report only the first failure.
      guard task.own.withLock({ $0.state != .completed }) else { return }
      let error = URLError.of(error.code, task.originalRequest?.url, error.localizedDescription)
      task.complete(error, data: Data(), file: nil, task.taskDelegate)
      core.remove(task)
    }
  }
}
