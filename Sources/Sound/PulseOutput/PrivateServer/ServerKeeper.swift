import Clocks
import Synchronization
import SystemSupport

/// Restarts a device's private server after its death, since no other server can serve its address. The first
/// restart is immediate. Later ones back off, up to 5 s, as long as no server lives for 10 s. A server that
/// dies on each use, or cannot be started, therefore costs almost no CPU time.
final class ServerKeeper: Sendable {
  private let server: PrivatePulseServer
  private let clock: any HostClock
  private let request = Mutex<HostTime?>(nil)
  private let worker = Mutex<(any Worker)?>(nil)
  private let history = WorkerState(History())

  private struct History {
    var restarts = 0
    var last: HostTime?
  }

  /// The seconds from a lost connection to the first check and to the last one, because the kernel closes
  /// connections before a process ends. On a busy machine the end was later than 10 ms (once in 60 runs).
  private static let settlingTime = 0.01
  private static let settlingLimit = 1.0
  /// The lifetime in seconds after which a server counts as healthy and the back-off is reset.
  private static let healthyTime = 10.0
  /// The delays before restarts; the first restart has none.
  static let backoff = Backoff(first: 0, second: 0.25, longest: 5)

  init(_ server: PrivatePulseServer, clock: any HostClock) {
    self.server = server
    self.clock = clock
    let body: @Sendable () -> WorkerNext = { [weak self] in self?.run() ?? .whenSignalled }
    worker.withLock { $0 = clock.makeWorker("pulse-keeper", body: body) }
  }

  /// Requests a check after a lost connection or for a client. Thread-safe; never blocks.
  func look() {
    let now = clock.now
    request.withLock { $0 = $0 ?? now }
    worker.withLock { $0 }?.signal()
  }

  private func run() -> WorkerNext {
    guard let asked = request.withLock({ $0 }) else { return .whenSignalled }
    return history.use { history in
      let now = clock.now
      if let last = history.last, asked.seconds(since: last) > Self.healthyTime { history.restarts = 0 }
      let wait = Self.backoff.delay(after: history.restarts + 1)
      let due = max(
        asked.advanced(bySeconds: Self.settlingTime), history.last?.advanced(bySeconds: wait) ?? asked)
      if now < due { return .at(due) }
      guard server.isDead else {
        let elapsed = now.seconds(since: asked)
        if elapsed < Self.settlingLimit { return .at(now.advanced(bySeconds: elapsed)) }
        request.withLock { $0 = nil }
        return .whenSignalled
      }
      request.withLock { $0 = nil }
      defer {
        history.restarts += 1
        history.last = clock.now
      }
      if (try? server.restart()) != nil { return .whenSignalled }
      // Tried again, because without a stream nobody asks.
      request.withLock { $0 = $0 ?? clock.now }
      return .again
    }
  }
}
