import HostTime
import Synchronization

/// Starts a device's private server again when it has died: nobody else can serve its address.
///
/// The first restart comes at once. Further ones wait, up to 5 s, as long as no server lives for 10 s: one that dies
/// whenever it is used, or cannot be started at all, costs next to nothing.
final class ServerKeeper: Sendable {
  private let server: PrivatePulseServer
  private let clock: any HostClock
  private let request: Mutex<HostTime?>
  private let worker: Mutex<(any Worker)?>
  private let history = WorkerState(History())

  private struct History {
    var restarts = 0
    var last: HostTime?
  }

  /// The kernel closes a process's connections an instant before it tells of the process's end.
  private static let settlingTime = 0.01
  /// A server that has lived so long did not die of being used.
  private static let healthyTime = 10.0

  /// Looks after `server` when it is told to.
  init(_ server: PrivatePulseServer, clock: any HostClock) {
    self.server = server
    self.clock = clock
    request = Mutex(nil)
    worker = Mutex(nil)
    let body: @Sendable () -> WorkerNext = { [weak self] in self?.run() ?? .whenSignalled }
    worker.withLock { $0 = clock.makeWorker("pulse-keeper", body: body) }
  }

  /// Seconds between the `count`-th restart and the next.
  static func delay(afterRestarts count: Int) -> Double {
    count == 0 ? 0 : min(5, 0.25 * Double(1 << min(count - 1, 5)))
  }

  /// The server has closed a connection, or somebody wants one: it is to run. Any thread; never blocks.
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
      let wait = Self.delay(afterRestarts: history.restarts)
      let due = max(
        asked.advanced(bySeconds: Self.settlingTime), history.last?.advanced(bySeconds: wait) ?? asked)
      if now < due { return .at(due) }
      request.withLock { $0 = nil }
      guard server.isDead else { return .whenSignalled }
      // If it fails the device is refused, and whoever waits for it tries again.
      try? server.restart()
      history.restarts += 1
      history.last = clock.now
      return .whenSignalled
    }
  }
}
