import Foundation
import FoundationNetworking
import HostTime
import Synchronization
import Transfer

/// A download's file, what it goes on with, and what its delegate is told of it.
extension TaskLoad {
  /// Bytes of a download that are asked for again when it goes on, and compared.
  private static let overlap: Int64 = 64 * 1024

  func open(_ download: URLSessionDownloadTask, _ request: inout TransferRequest) throws {
    var path = FileManager.default.temporaryDirectory
      .appendingPathComponent("ContinuoDownload-\(UUID().uuidString).tmp").path
    if let resumed = download.resumeData, FileManager.default.fileExists(atPath: resumed.path) {
      path = resumed.path
    }
    guard let file = DownloadFile(path: path) else {
      throw URLError.of(.cannotCreateFile, url, "there is no place for the download")
    }
    var resumption: Resumption?
    if let resumed = download.resumeData, file.count >= resumed.count, file.cut(to: resumed.count) {
      let plan = Resumption(count: resumed.count, overlap: Self.overlap, validator: resumed.validator)
      plan.apply(to: &request)
      resumption = plan
    } else if !file.cut(to: 0) {
      throw URLError.of(.cannotWriteToFile, url, "the download cannot be written")
    }
    state.withLock { state in
      state.file = file
      state.resumption = resumption
    }
  }

  func answerDownload(_ exchange: Exchange, _ head: ResponseHead, _ response: URLResponse?)
    -> TransferDemand
  {
    let (file, resumption) = state.withLock { state in
      state.head = head
      return (state.file, state.resumption)
    }
    guard let file else { return .pause }
    let step = resumption?.step(after: head) ?? .anew
    switch step {
    case .goOn:
      let offset = resumption?.count ?? 0
      let total = head.contentRange?.total ?? NSURLSessionTransferSizeUnknown
      note(response, received: offset, expected: total)
      state.withLock { $0.written = ProgressPace(from: offset) }
      guard let delegate = taskDelegate as? any URLSessionDownloadDelegate,
        let task = task as? URLSessionDownloadTask
      else { return .more }
      core.post {
        delegate.urlSession(
          task.session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: total)
      }
      return .more
    case .anew:
      state.withLock { $0.resumption = nil }
      guard file.cut(to: 0) else {
        stop(.of(.cannotWriteToFile, url, "the download cannot be written"))
        return .pause
      }
      note(response, received: 0, expected: head.contentLength ?? NSURLSessionTransferSizeUnknown)
      return .more
    case .askAnew:
      askAnew(exchange)
      return .pause
    }
  }

  /// What is there is of another version: the whole is asked for.
  private func askAnew(_ exchange: Exchange) {
    let file = state.withLock { state in
      state.resumption = nil
      state.head = nil
      state.written = ProgressPace()
      return state.file
    }
    guard file?.cut(to: 0) == true else {
      return stop(.of(.cannotWriteToFile, url, "the download cannot be written"))
    }
    var request = exchange.request
    Resumption.remove(from: &request)
    exchange.follow(request)
  }

  private func note(_ response: URLResponse?, received: Int64, expected: Int64) {
    task.own.withLock { own in
      own.response = response
      own.received = received
      own.expectedToReceive = expected
    }
    task.showProgress()
  }

  func store(_ exchange: Exchange, _ bytes: [UInt8]) -> TransferDemand {
    guard let file = state.withLock({ $0.file }) else { return .pause }
    let news = state.withLock { state in
      state.resumption == nil ? bytes[...] : state.resumption?.take(bytes, holds: file.holds)
    }
    guard let news else {
      askAnew(exchange)
      return .pause
    }
    guard file.append(news) else {
      stop(.of(.cannotWriteToFile, url, "the download cannot be written"))
      return .pause
    }
    let count = file.count
    task.own.withLock { $0.received = count }
    task.showProgress()
    tellWritten(isLast: false)
    return .more
  }

  /// What the download can be gone on with. Its file stays until somebody does.
  var resumeData: Data? {
    let (file, head) = state.withLock { ($0.file, $0.head) }
    guard let file, let request = task.originalRequest else { return nil }
    return ResumeData(request, head, path: file.path, count: file.count)?.data
  }

  func tellWritten(isLast: Bool) {
    guard let delegate = taskDelegate as? any URLSessionDownloadDelegate,
      let task = task as? URLSessionDownloadTask, case .delegate = task.receiver
    else { return }
    let now = clock.now
    guard state.withLock({ $0.written.isDue(at: now, isLast: isLast) }) else { return }
    core.post { [self] in
      let total = task.countOfBytesReceived
      let news = state.withLock { $0.written.take(total) }
      guard news > 0 else { return }
      delegate.urlSession(
        task.session, downloadTask: task, didWriteData: news, totalBytesWritten: total,
        totalBytesExpectedToWrite: task.countOfBytesExpectedToReceive)
    }
  }
}
