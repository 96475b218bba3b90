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
    let transfer = LoaderTransfer(id, sink) { [weak self] in self?.cancel(id) }
    state.withLock { $0.running[id] = transfer }
    transfer.begin()
    if let known { load(transfer, known, from: asked) } else { examine(transfer, then: asked) }
    return id
  }

  /// Requests the information about the resource and its first two bytes. Delegates rely on this request,
  /// because they can answer it without the rest of the resource. Then requests the bytes from `asked` on.
  private func examine(_ transfer: LoaderTransfer, then asked: Int64) {
    let information = AVAssetResourceLoadingContentInformationRequest()
    let probe = Probe()
    let proceed: @Sendable () -> Void = { [weak self] in
      guard let self, probe.isFirstAnswer else { return }
      let values = information.values
      let length = values.contentLength > 0 ? values.contentLength : nil
      let known = Known(length: length, hasRanges: length != nil && values.isByteRangeAccessSupported)
      state.withLock { $0.known = known }
      load(transfer, known, from: asked)
    }
    let data = AVAssetResourceLoadingDataRequest(offset: 0, length: Probe.length, isToEnd: false) { data in
      let count = probe.add(data.count)
      if count >= Probe.length { proceed() }
    }
    ask(
      AVAssetResourceLoadingRequest(url: url, information: information, data: data) { error in
        if let error { transfer.fail(error) } else { proceed() }
      }, transfer)
  }

  private func load(_ transfer: LoaderTransfer, _ known: Known, from asked: Int64) {
    let offset = known.hasRanges ? asked : 0
    let length = known.length.map { Int(clamping: max(0, $0 - offset)) } ?? .max
    let head = Self.head(known, offset: offset)
    let data = AVAssetResourceLoadingDataRequest(offset: offset, length: length, isToEnd: true) {
      [loader] data in
      transfer.take(data, head)
      guard known.hasRanges else { return }
      for loading in transfer.cutOff() {
        loader.call { loader, delegate in delegate?.resourceLoader(loader, didCancel: loading) }
      }
    }
    ask(
      AVAssetResourceLoadingRequest(url: url, information: nil, data: data) { error in
        if let error { transfer.fail(error) } else { transfer.finish(head) }
      }, transfer)
  }

  /// Passes a request to the delegate, unless the transfer is over.
  private func ask(_ loading: AVAssetResourceLoadingRequest, _ transfer: LoaderTransfer) {
    guard transfer.add(loading) else { return }
    // The reader's timeouts do not run before the delegate can answer.
    let isQueued = loader.isSuspended
    if isQueued { transfer.add([.queued(true)]) }
    loader.call { loader, delegate in
      if isQueued { transfer.add([.queued(false)]) }
      guard !loading.isCancelled else { return }
      let isWaitedFor =
        delegate?.resourceLoader(loader, shouldWaitForLoadingOfRequestedResource: loading) ?? false
      guard !isWaitedFor else { return }
      // Cancelled at once, so that the delegate is not notified later that a request it has refused is
      // cancelled.
      _ = loading.cancel()
      transfer.refuse()
    }
  }

  func setPaused(_ isPaused: Bool, _ transfer: TransferID) {
    state.withLock { $0.running[transfer] }?.setPaused(isPaused)
  }

  func cancel(_ transfer: TransferID) {
    guard let cancelled = state.withLock({ $0.running.removeValue(forKey: transfer) }) else { return }
    for loading in cancelled.cancel() {
      loader.call { loader, delegate in delegate?.resourceLoader(loader, didCancel: loading) }
    }
  }

  /// Returns the head of a server's response. The `ETag` distinguishes a resource of unknown length from a
  /// live stream.
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

/// The delegate's answer to the request for information about the resource.
private final class Probe: Sendable {
  /// The number of bytes requested.
  static let length = 2

  private let state = Mutex((count: 0, isAnswered: false))

  /// Adds a number of provided bytes. Returns the total so far, at most `length`.
  func add(_ count: Int) -> Int {
    state.withLock { state in
      state.count = min(state.count + count, Self.length)
      return state.count
    }
  }

  /// Whether the property is read for the first time, so that the answer is handled once.
  var isFirstAnswer: Bool {
    state.withLock { state in
      defer { state.isAnswered = true }
      return !state.isAnswered
    }
  }
}

/// The transfer of a delegate's response to a reader. Buffers data while the reader is paused.
private final class LoaderTransfer: Sendable {
  private struct State {
    var events: [TransferEvent] = []
    /// The requests to the delegate, at most two.
    var loadings: [AVAssetResourceLoadingRequest] = []
    var hasHead = false
    var isPaused = false
    /// The number of bytes in `events`.
    var pending = 0
    /// Whether the requests were cancelled because too much was pending.
    var isCutOff = false
    /// Whether a thread is delivering an event.
    var isTelling = false
    var isOver = false
  }

  private let id: TransferID
  private let sink: any TransferSink
  private let onEnd: @Sendable () -> Void
  private let state = Mutex(State())
  /// Locked while an event is delivered, so that no delivery begins after `cancel` has returned.
  private let telling = NSRecursiveLock()
  /// The maximum number of bytes in one event.
  private static let piece = 64 * 1024
  /// The maximum number of bytes that a paused reader's transfer keeps, if they can be requested again.
  private static let pendingLimit = 1 << 20

  init(_ id: TransferID, _ sink: any TransferSink, onEnd: @escaping @Sendable () -> Void) {
    self.id = id
    self.sink = sink
    self.onEnd = onEnd
  }

  func begin() { add([.connected(nil)]) }

  /// Adds a request to the delegate. Returns false if the transfer is over.
  func add(_ loading: AVAssetResourceLoadingRequest) -> Bool {
    state.withLock { state in
      if !state.isOver { state.loadings.append(loading) }
      return !state.isOver
    }
  }

  func take(_ data: Data, _ head: ResponseHead) {
    addHead(head)
    let starts = stride(from: data.startIndex, to: data.endIndex, by: Self.piece)
    add(starts.map { .body(Array(data[$0...].prefix(Self.piece))) })
  }

  func finish(_ head: ResponseHead) {
    addHead(head)
    add([.end])
  }

  func fail(_ error: any Error) {
    add([.failure(TransferFailure(.badAnswer, (error as NSError).localizedDescription))])
  }

  func refuse() { add([.failure(TransferFailure(.badURL, "nobody loads this URL"))]) }

  /// Cancels the requests and drops the pending bytes if the reader is paused and more than `pendingLimit` is pending.
  /// Returns the cancelled requests. When the reader resumes, the transfer fails, so that the reader requests the rest.
  func cutOff() -> [AVAssetResourceLoadingRequest] {
    let loadings = state.withLock { state -> [AVAssetResourceLoadingRequest] in
      guard state.isPaused, state.pending > Self.pendingLimit, !state.isCutOff else { return [] }
      state.isCutOff = true
      state.events = [.failure(TransferFailure(.lost, "enough is buffered"))]
      state.pending = 0
      defer { state.loadings = [] }
      return state.loadings
    }
    return loadings.filter { $0.cancel() }
  }

  func setPaused(_ isPaused: Bool) {
    // Locked, so that the answer `pause` of a delivery in progress does not overwrite a later resumption.
    telling.lock()
    defer { telling.unlock() }
    state.withLock { $0.isPaused = isPaused }
    tell()
  }

  /// Cancels the transfer. Returns the requests that were in progress.
  func cancel() -> [AVAssetResourceLoadingRequest] {
    telling.lock()
    defer { telling.unlock() }
    let loadings = state.withLock { state in
      state.isOver = true
      state.events = []
      defer { state.loadings = [] }
      return state.loadings
    }
    return loadings.filter { $0.cancel() }
  }

  private func addHead(_ head: ResponseHead) {
    state.withLock { state in
      guard !state.hasHead, !state.isOver else { return }
      state.hasHead = true
      state.events.append(.head(head))
    }
  }

  func add(_ events: [TransferEvent]) {
    // A delegate may go on with a request that was cancelled.
    state.withLock { state in
      guard !state.isOver, !state.isCutOff else { return }
      state.events += events
      for case .body(let bytes) in events { state.pending += bytes.count }
    }
    tell()
  }

  /// Delivers the pending events; stops before bytes of the body while the reader is paused.
  private func tell() {
    telling.lock()
    defer { telling.unlock() }
    while true {
      let event = state.withLock { state -> TransferEvent? in
        guard !state.isOver, !state.isTelling, let first = state.events.first else { return nil }
        if state.isPaused, state.isCutOff { return nil }
        if case .body(let bytes) = first {
          if state.isPaused { return nil }
          state.pending -= bytes.count
        }
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
