import Clocks
import Downloading
import Foundation
import FoundationNetworking
import Glibc
import Synchronization
import Transfer
import TransferService

extension TaskLoad {
  /// Opens the file of a download, and adds a range to the request if the file can be resumed. Called on the
  /// worker for files.
  func open(_ download: URLSessionDownloadTask, _ request: inout TransferRequest) throws {
    var path = Self.temporaryPath
    if let resumed = download.resumeData, access(resumed.path, F_OK) == 0 { path = resumed.path }
    guard let file = try? OpenFile(path, O_RDWR | O_CREAT, mode: 0o600) else {
      throw URLError.of(.cannotCreateFile, url, "there is no place for the download")
    }
    var resumption: Resumption?
    if let resumed = download.resumeData, let size = try? file.status().st_size, size >= resumed.count,
      (try? file.truncate(to: resumed.count)) != nil
    {
      resumption = Resumption(resumed)
      resumption?.apply(to: &request)
    } else if (try? file.truncate(to: 0)) == nil {
      throw unwritable
    }
    let isOver = state.withLock { state in
      state.file = file
      state.stored = resumption?.count ?? 0
      state.resumption = resumption
      return state.isOver
    }
    // If the load has ended in the meantime, no other code removes the file.
    if isOver, download.resumeData == nil { unlink(path) }
  }

  /// A path for a new file.
  static var temporaryPath: String {
    FileManager.default.temporaryDirectory
      .appendingPathComponent("ContinuoDownload-\(UUID().uuidString).tmp").path
  }

  private var unwritable: URLError { .of(.cannotWriteToFile, url, "the download cannot be written") }

  /// Removes a file on the files' worker.
  func remove(_ path: String) { core.networking.files.add { unlink(path) } }

  func answerDownload(
    _ exchange: Exchange, _ head: ResponseHead, _ response: URLResponse?
  ) -> TransferDemand {
    let resumption = state.withLock { state in
      state.head = head
      return state.resumption
    }
    let (offset, total): (Int64, Int64?)
    switch resumption?.step(after: head) ?? .anew {
    case .askAnew:
      askAnew(exchange)
      return .pause
    case .goOn: (offset, total) = (resumption?.count ?? 0, head.contentRange?.total)
    case .anew: (offset, total) = (0, head.contentLength)
    }
    let expected = total ?? NSURLSessionTransferSizeUnknown
    task.own.withLock { own in
      own.response = response
      own.received = offset
      own.writtenPace = ProgressPace(from: offset)
      own.expectedToReceive = expected
    }
    task.showProgress()
    guard offset > 0 else {
      state.withLock { $0.resumption = nil }
      core.networking.files.add { [self] in clear(exchange) }
      return .more
    }
    state.withLock { $0.comparison = resumption }
    task.reportResumed(at: offset, of: expected)
    return .more
  }

  /// Restarts the download from the first byte, because the stored bytes cannot be continued. A new exchange
  /// ensures that no further bytes of `exchange` are used.
  private func askAnew(_ exchange: Exchange) {
    let isPresent = state.withLock { state in
      guard state.exchange === exchange, !state.isOver else { return false }
      state.resumption = nil
      state.comparison = nil
      state.head = nil
      return true
    }
    guard isPresent else { return }
    var request = exchange.request
    for name in ["Range", "If-Range"] { request.fields.remove(name) }
    exchange.cancel()
    start(request)
  }

  /// Enqueues bytes for writing. Returns `.pause` if too many bytes wait for the disk.
  func store(_ exchange: Exchange, _ bytes: [UInt8]) -> TransferDemand {
    let demand = exchange.enqueued(bytes.count)
    core.networking.files.add { [self] in
      write(bytes, of: exchange)
      exchange.consumed(bytes.count)
    }
    return demand
  }

  /// Returns the file, its length, and the comparison with stored bytes, if any; nil if the exchange is obsolete or the
  /// load is over.
  private func target(of exchange: Exchange) -> (file: OpenFile, length: Int64, comparison: Resumption?)? {
    state.withLock { state in
      guard state.exchange === exchange, !state.isOver, let file = state.file else { return nil }
      return (file, state.stored, state.comparison)
    }
  }

  /// Empties the file. Called on the files' worker.
  private func clear(_ exchange: Exchange) {
    guard let file = target(of: exchange)?.file else { return }
    guard (try? file.truncate(to: 0)) != nil else { return finish(unwritable) }
    state.withLock { $0.stored = 0 }
  }

  /// Compares and writes bytes. Called on the files' worker.
  private func write(_ bytes: [UInt8], of exchange: Exchange) {
    guard let (file, length, comparison) = target(of: exchange) else { return }
    var news = bytes[...]
    if var comparison {
      guard let rest = comparison.take(bytes, holds: file.holds) else { return askAnew(exchange) }
      news = rest
      state.withLock { state in
        if state.exchange === exchange { state.comparison = comparison }
      }
    }
    guard (try? file.write(news, at: length)) != nil else { return finish(unwritable) }
    let count = length + Int64(news.count)
    state.withLock { $0.stored = count }
    task.own.withLock { $0.received = count }
    task.showProgress()
    task.reportWritten()
  }

  /// The resume data of a download; nil for other tasks, and if the download cannot be resumed.
  var resumeData: Data? {
    let (file, count, head, resumption) = state.withLock { ($0.file, $0.stored, $0.head, $0.resumption) }
    var given = (task as? URLSessionDownloadTask)?.resumeData
    guard let file, let request = task.originalRequest else { return given?.data }
    if let new = ResumeData(request, head, path: file.path, count: count) { return new.data }
    // Before a response, and after a 206 that repeats no validator, the given data still describe the file.
    guard resumption != nil else { return nil }
    given?.count = count
    return given?.data
  }
}
