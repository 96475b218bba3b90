import Clocks
import Synchronization
import SystemSupport

/// Restarts a device's private server after its death, since no other server can serve its address. The first
/// restart is immediate. Later ones back off, up to 5 s, as long as no server lives for 10 s. A server that
/// dies on each use, or cannot be started, therefore costs almost no CPU time.
final class ServerKeeper: Sendable {
  private let server: PrivatePulseServer
  private let clock: any HostClock
  /// The times of the first and of the latest request for a check; nil if none waits.
  private let request = Mutex<(first: HostTime, latest: HostTime)?>(nil)
  private let worker = Mutex<(any Worker)?>(nil)
  private let history = WorkerState(History())

  private struct History {
    var restarts = 0
    var last: HostTime?
  }

  /// The seconds from the first request to the first check, and from the latest request to the last check. Checks
  /// repeat, because the kernel closes connections before a process ends: on a busy machine more than 10 ms before
  /// (once in 60 runs).
  private static let settlingTime = 0.01
  private static let settlingLimit = 10.0
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
    request.withLock { $0 = ($0?.first ?? now, now) }
    worker.withLock { $0 }?.signal()
  }

  private func run() -> WorkerNext {
    guard let asked = request.withLock({ $0 }) else { return .whenSignalled }
    return history.use { history in
      let now = clock.now
      if let last = history.last, asked.first.seconds(since: last) > Self.healthyTime {
        history.restarts = 0
      }
      let wait = Self.backoff.delay(after: history.restarts + 1)
      let due = max(
        asked.first.advanced(bySeconds: Self.settlingTime),
        history.last?.advanced(bySeconds: wait) ?? asked.first)
      if now < due { return .at(due) }
      guard server.isDead else {
        let elapsed = now.seconds(since: asked.latest)
        if elapsed < Self.settlingLimit {
          return .at(now.advanced(bySeconds: max(elapsed, Self.settlingTime)))
        }
        // A later request stays.
        request.withLock { if $0?.latest == asked.latest { $0 = nil } }
        return .whenSignalled
      }
      request.withLock { $0 = nil }
      defer {
        history.restarts += 1
        history.last = clock.now
      }
      if (try? server.restart()) != nil { return .whenSignalled }
      // Requests another check, because without a stream no client requests one.
      look()
      return .again
    }
  }
}
