import Clocks
import Dispatch

/// The limited wait of `play` for a sound server that no private one may replace.
@MainActor
final class NamedServer {
  /// Probes the server, for at most `limit` seconds. Called on a thread that it may block.
  typealias Probe = @Sendable (_ limit: Double) -> Bool

  private var wait: ServerWait
  private let probe: Probe
  private let clock: any HostClock
  /// Called at most once, when the limit has passed without a server.
  private var giveUp: (() -> Void)?

  /// The timeout for the probe of a server after `ServerWait.limit`, in seconds.
  private nonisolated static let probeLimit = 1.0

  /// Begins the wait. `giveUp` is called at most once, on the main queue.
  init(clock: any HostClock, probe: @escaping Probe, giveUp: @escaping () -> Void) {
    self.clock = clock
    self.probe = probe
    self.giveUp = giveUp
    wait = ServerWait(from: clock.now)
    step()
  }

  func outputOpened() { wait.opened() }

  func outputFailed() {
    if wait.failed(at: clock.now) { step() }
  }

  private func step() {
    switch wait.step(at: clock.now) {
    case .wait(let moment):
      DispatchQueue.main.asyncAfter(deadline: .now() + moment.seconds(since: clock.now)) { [weak self] in
        MainActor.assumeIsolated { self?.step() }
      }
    case .ask: ask()
    case .giveUp: end()
    case nil: break
    }
  }

  private func ask() {
    DispatchQueue.global().async { [weak self, probe] in
      let isThere = probe(Self.probeLimit)
      DispatchQueue.main.async { MainActor.assumeIsolated { self?.probed(isThere) } }
    }
  }

  private func probed(_ isThere: Bool) {
    if isThere {
      wait.answered()
    } else if wait.step(at: clock.now) != nil {
      end()
    }
  }

  private func end() {
    giveUp?()
    giveUp = nil
  }
}
