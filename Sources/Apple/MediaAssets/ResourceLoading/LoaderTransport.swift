import Foundation
import Synchronization
import Transfer

/// A transport that presents a resource loader's delegate as the server of one resource. A request for bytes
/// becomes a loading request, and the delegate's answers become the response.
final class LoaderTransport: HTTPTransport {
  private struct Known {
    var length: Int64?
    var hasRanges = false
  }

  private struct State {
    var known: Known?
    var lastNumber: UInt64 = 0
    var running: [TransferID: LoaderTransfer] = [:]
  }

  private let url: URL
  private let loader: AVAssetResourceLoader
  private let state = Mutex(State())

  init(_ url: URL, loader: AVAssetResourceLoader) {
    self.url = url
    self.loader = loader
  }

  func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID {
    let range = request.fields["Range"]
    let asked = range.flatMap { Int64($0.dropFirst("bytes=".count).prefix { $0 != "-" }) } ?? 0
    let (id, known) = state.withLock { state in
      state.lastNumber += 1
      return (TransferID(state.lastNumber), state.known)
    }
    let offset = known?.hasRanges ?? true ? asked : 0
    let transfer = LoaderTransfer(id, sink) { [weak self] in self?.remove(id) }
    state.withLock { $0.running[id] = transfer }
    let information = known == nil ? AVAssetResourceLoadingContentInformationRequest() : nil
    let length = known?.length.map { Int(clamping: max(0, $0 - offset)) } ?? .max
    let answer: @Sendable () -> ResponseHead = { [weak self] in
      let values = information?.values
      let told = Known(
        length: values.flatMap { $0.contentLength > 0 ? $0.contentLength : nil },
        hasRanges: values.map { $0.isByteRangeAccessSupported && $0.contentLength > 0 } ?? false)
      let known = known ?? told
      self?.state.withLock { $0.known = known }
      return Self.head(known, offset: offset)
    }
    let data = AVAssetResourceLoadingDataRequest(offset: offset, length: length) { data in
      transfer.take(data, answer)
    }
    let loading = AVAssetResourceLoadingRequest(url: url, information: information, data: data) { error in
      transfer.finish(error, answer)
    }
    transfer.begin(loading)
    loader.call { loader, delegate in
      guard !loading.isCancelled else { return }
      let isWaitedFor =
        delegate?.resourceLoader(loader, shouldWaitForLoadingOfRequestedResource: loading) ?? false
      if !isWaitedFor { transfer.refuse() }
    }
    return id
  }

  func setPaused(_ isPaused: Bool, _ transfer: TransferID) {
    state.withLock { $0.running[transfer] }?.setPaused(isPaused)
  }

  func cancel(_ transfer: TransferID) {
    guard let cancelled = state.withLock({ $0.running.removeValue(forKey: transfer) }) else { return }
    guard let loading = cancelled.cancel() else { return }
    loader.call { loader, delegate in delegate?.resourceLoader(loader, didCancel: loading) }
  }

  private func remove(_ id: TransferID) { _ = state.withLock { $0.running.removeValue(forKey: id) } }

  /// Returns a server's response. Its `ETag` tells a resource of unknown length from a live stream.
  private static func head(_ known: Known, offset: Int64) -> ResponseHead {
    var fields = [("ETag", "\"resource\"")]
    guard let length = known.length else { return ResponseHead(status: 200, fields: fields) }
    fields.append(("Content-Length", "\(max(0, length - offset))"))
    guard known.hasRanges else { return ResponseHead(status: 200, fields: fields) }
    guard offset < length else {
      return ResponseHead(status: 416, fields: [("Content-Range", "bytes */\(length)")])
    }
    fields.append(("Content-Range", "bytes \(offset)-\(length - 1)/\(length)"))
    return ResponseHead(status: 206, fields: fields)
  }
}

/// A response of a delegate in transfer to its reader. Events wait while the reader is paused.
private final class LoaderTransfer: Sendable {
  private struct State {
    var events: [TransferEvent] = []
    var loading: AVAssetResourceLoadingRequest?
    var hasHead = false
    var isPaused = false
    /// Whether a thread is delivering an event.
    var isTelling = false
    var isOver = false
  }

  private let id: TransferID
  private let sink: any TransferSink
  private let onEnd: @Sendable () -> Void
  private let state = Mutex(State())
  /// Locked while an event is delivered, so that none begins after the return of `cancel`.
  private let telling = NSRecursiveLock()
  /// The maximum number of bytes in one event.
  private static let piece = 64 * 1024

  init(_ id: TransferID, _ sink: any TransferSink, onEnd: @escaping @Sendable () -> Void) {
    self.id = id
    self.sink = sink
    self.onEnd = onEnd
  }

  func begin(_ loading: AVAssetResourceLoadingRequest) {
    state.withLock { $0.loading = loading }
    add([.connected(nil)])
  }

  func take(_ data: Data, _ head: () -> ResponseHead) {
    addHead(head)
    let starts = stride(from: data.startIndex, to: data.endIndex, by: Self.piece)
    add(starts.map { .body(Array(data[$0...].prefix(Self.piece))) })
  }

  func finish(_ error: (any Error)?, _ head: () -> ResponseHead) {
    if let error {
      add([.failure(TransferFailure(.badAnswer, (error as NSError).localizedDescription))])
    } else {
      addHead(head)
      add([.end])
    }
  }

  func refuse() { add([.failure(TransferFailure(.badURL, "nobody loads this URL"))]) }

  func setPaused(_ isPaused: Bool) {
    state.withLock { $0.isPaused = isPaused }
    tell()
  }

  /// Cancels the transfer. Returns the request if it was in progress; nil if it was over.
  func cancel() -> AVAssetResourceLoadingRequest? {
    telling.lock()
    defer { telling.unlock() }
    let loading = state.withLock { state in
      state.isOver = true
      state.events = []
      return state.loading.take()
    }
    return loading.flatMap { $0.cancel() ? $0 : nil }
  }

  private func addHead(_ head: () -> ResponseHead) {
    guard state.withLock({ !$0.hasHead }) else { return }
    let head = head()
    state.withLock { state in
      guard !state.hasHead else { return }
      state.hasHead = true
      state.events.append(.head(head))
    }
  }

  private func add(_ events: [TransferEvent]) {
    state.withLock { $0.events += events }
    tell()
  }

  /// Delivers the waiting events until the reader pauses.
  private func tell() {
    telling.lock()
    defer { telling.unlock() }
    while true {
      let event = state.withLock { state -> TransferEvent? in
        guard !state.isOver, !state.isTelling, let first = state.events.first else { return nil }
        if state.isPaused, case .body = first { return nil }
        state.events.removeFirst()
        state.isTelling = true
        return first
      }
      guard let event else { return }
      let demand = sink.take(event, of: id)
      let isLast =
        switch event {
        case .end, .failure: true;
        default: false
        }
      state.withLock { state in
        state.isTelling = false
        if demand == .pause { state.isPaused = true }
        if isLast { state.isOver = true }
      }
      if isLast { onEnd() }
    }
  }
}
