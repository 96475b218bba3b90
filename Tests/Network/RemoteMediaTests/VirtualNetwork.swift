import Clocks
import Synchronization
import Transfer

/// Servers in virtual time. Each path has one.
final class VirtualNetwork: HTTPTransport {
  /// A file as it is served.
  struct Served: Sendable {
    var bytes: [UInt8]
    var hasRanges = true
    /// Seconds until the head comes.
    var wait = 0.05
    /// Bytes a second.
    var rate = 1e6
    /// Bytes that come at once.
    var piece = 1_000
    var status = 200
  }

  private struct Running {
    let sink: any TransferSink
    let path: String
    var head: TransferEvent?
    var position: Int
    var due: HostTime
    var isPaused = false
  }

  private struct State {
    var served: [String: Served] = [:]
    var lastID: UInt64 = 0
    var running: [TransferID: Running] = [:]
    var requests: [(path: String, from: Int?, at: HostTime)] = []
    var sent: [String: Int] = [:]
  }

  private let clock: VirtualClock
  private let state = Mutex(State())
  private let worker = Mutex<(any Worker)?>(nil)

  init(clock: VirtualClock) {
    self.clock = clock
    worker.withLock { $0 = clock.makeWorker("network") { [weak self] in self?.step() ?? .whenSignalled } }
  }

  deinit { worker.withLock { $0 }?.cancel() }

  /// The file at a path, or what is changed about it.
  subscript(path: String) -> Served? {
    get { state.withLock { $0.served[path] } }
    set {
      state.withLock { $0.served[path] = newValue }
      worker.withLock { $0 }?.signal()
    }
  }

  /// The requests, with the first byte that was asked for.
  var requests: [(path: String, from: Int?, at: HostTime)] { state.withLock { $0.requests } }

  /// Bytes of bodies that were sent.
  func sent(_ path: String) -> Int { state.withLock { $0.sent[path] ?? 0 } }

  func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID {
    let now = clock.now
    let id = state.withLock { state in
      state.lastID += 1
      let id = TransferID(state.lastID)
      let path = request.url.path
      let asked = (request.fields["Range"]?.dropFirst(6).dropLast()).flatMap { Int($0) }
      state.requests.append((path, asked, now))
      let served = state.served[path] ?? Served(bytes: [], status: 404)
      var head = ResponseHead(status: served.status)
      var position = 0
      let count = served.bytes.count
      if served.status == 200 {
        head.fields.add("ETag", "\"\(path)\"")
        if served.hasRanges, let asked, asked < count {
          head.status = 206
          head.fields.add("Content-Range", "bytes \(asked)-\(count - 1)/\(count)")
          position = asked
        }
        head.fields.add("Content-Length", "\(count - position)")
      }
      state.running[id] = Running(
        sink: sink, path: path, head: .head(head), position: position,
        due: now.advanced(bySeconds: served.wait))
      return id
    }
    worker.withLock { $0 }?.signal()
    return id
  }

  func setPaused(_ isPaused: Bool, _ transfer: TransferID) {
    let now = clock.now
    state.withLock { state in
      guard let running = state.running[transfer] else { return }
      state.running[transfer]?.isPaused = isPaused
      state.running[transfer]?.due = max(now, running.due)
    }
    worker.withLock { $0 }?.signal()
  }

  func cancel(_ transfer: TransferID) { _ = state.withLock { $0.running.removeValue(forKey: transfer) } }

  private func step() -> WorkerNext {
    let now = clock.now
    let next = state.withLock { state -> (TransferID, any TransferSink, TransferEvent)? in
      let due = state.running.filter { !$0.value.isPaused && $0.value.due <= now }
      guard let (id, running) = due.min(by: { $0.key.number < $1.key.number }) else { return nil }
      if let head = running.head {
        state.running[id]?.head = nil
        return (id, running.sink, head)
      }
      guard let served = state.served[running.path], running.position < served.bytes.count else {
        state.running[id] = nil
        return (id, running.sink, .end)
      }
      let piece = Array(served.bytes[running.position...].prefix(served.piece))
      state.running[id]?.position += piece.count
      state.sent[running.path, default: 0] += piece.count
      state.running[id]?.due = running.due.advanced(bySeconds: Double(piece.count) / served.rate)
      return (id, running.sink, .body(piece))
    }
    if let (id, sink, event) = next {
      if sink.take(event, of: id) == .pause { setPaused(true, id) }
      return .again
    }
    let due = state.withLock { state in state.running.values.filter { !$0.isPaused }.map(\.due).min() }
    return due.map { .at($0) } ?? .whenSignalled
  }
}
