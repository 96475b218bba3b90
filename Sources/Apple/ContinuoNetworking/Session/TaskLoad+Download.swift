import Foundation
import FoundationNetworking
import HostTime
import Synchronization
import Transfer

/// The file of a download, its resumption, and its reports to the delegate.
extension TaskLoad {
  /// Opens the file. Called on the files' worker.
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
      let plan = Resumption(
        count: resumed.count, overlap: NetworkLimits.overlapAfterRestart, validator: resumed.validator)
      plan.apply(to: &request)
      resumption = plan
    } else if !file.cut(to: 0) {
      throw URLError.of(.cannotWriteToFile, url, "the download cannot be written")
    }
    let isOver = state.withLock { state in
      state.file = file
      state.resumption = resumption
      return state.isOver
    }
    // If the load has ended in the meantime, no other code removes the file.
    if isOver, download.resumeData == nil { unlink(path) }
  }

  /// Removes a file on the files' worker.
  func remove(_ path: String) { core.networking.files.add { unlink(path) } }

  func answerDownload(_ exchange: Exchange, _ head: ResponseHead, _ response: URLResponse?)
    -> TransferDemand
  {
    let resumption = state.withLock { state in
      state.head = head
      return state.resumption
    }
    let step = resumption?.step(after: head) ?? .anew
    switch step {
    case .goOn:
      let offset = resumption?.count ?? 0
      let total = head.contentRange?.total ?? NSURLSessionTransferSizeUnknown
      note(response, received: offset, expected: total)
      state.withLock { state in
        state.written = ProgressPace(from: offset)
        state.comparison = resumption
      }
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
      core.networking.files.add { [self] in clear(exchange) }
      note(response, received: 0, expected: head.contentLength ?? NSURLSessionTransferSizeUnknown)
      return .more
    case .askAnew:
      askAnew(exchange)
      return .pause
    }
  }

  /// Restarts the download with its first byte, because the stored bytes cannot be continued. A new exchange
  /// ensures that no more bytes of this one are used.
  private func askAnew(_ exchange: Exchange) {
    let isPresent = state.withLock { state in
      guard state.exchange === exchange, !state.isOver else { return false }
      state.resumption = nil
      state.comparison = nil
      state.head = nil
      state.written = ProgressPace()
      return true
    }
    guard isPresent else { return }
    var request = exchange.request
    Resumption.remove(from: &request)
    exchange.cancel()
    start(request)
  }

  private func note(_ response: URLResponse?, received: Int64, expected: Int64) {
    task.own.withLock { own in
      own.response = response
      own.received = received
      own.expectedToReceive = expected
    }
    task.showProgress()
  }

  /// Enqueues bytes to be written. Pauses the exchange while too many wait for the disk.
  func store(_ exchange: Exchange, _ bytes: [UInt8]) -> TransferDemand {
    let queued = queue(bytes.count)
    core.networking.files.add { [self] in
      write(bytes, of: exchange)
      consumed(bytes.count, exchange)
    }
    return Self.demand(queued)
  }

  /// The file and the comparison in progress; nil if the exchange is obsolete.
  private func target(of exchange: Exchange) -> (file: DownloadFile, comparison: Resumption?)? {
    state.withLock { state in
      guard state.exchange === exchange, !state.isOver, let file = state.file else { return nil }
      return (file, state.comparison)
    }
  }

  /// Empties the file. Called on the files' worker.
  private func clear(_ exchange: Exchange) {
    guard let (file, _) = target(of: exchange), !file.cut(to: 0) else { return }
    stop(.of(.cannotWriteToFile, url, "the download cannot be written"))
  }

  /// Compares and writes bytes. Called on the files' worker.
  private func write(_ bytes: [UInt8], of exchange: Exchange) {
    guard let (file, comparison) = target(of: exchange) else { return }
    var news = bytes[...]
    if var comparison {
      guard let rest = comparison.take(bytes, holds: file.holds) else { return askAnew(exchange) }
      news = rest
      state.withLock { state in
        if state.exchange === exchange { state.comparison = comparison }
      }
    }
    guard file.append(news) else {
      return stop(.of(.cannotWriteToFile, url, "the download cannot be written"))
    }
    let count = file.count
    task.own.withLock { $0.received = count }
    task.showProgress()
    tellWritten(isLast: false)
  }

  /// The resume data of the download. Its file is kept until the download is resumed.
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
