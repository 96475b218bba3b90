import Clocks
import ControlProtocol
import ControlServer
import Synchronization

/// The clients that have disconnected or closed their sending side and are not forgotten yet. Decides when their
/// commands end. Thread-safe; never blocks.
final class GoneClients: Sendable {
  private struct Absence {
    let since: HostTime
    /// Whether the connection is closed. Otherwise the client may have closed only its sending side and wait
    /// for replies.
    var isCertain: Bool
  }

  /// The time for which a command continues after its client has gone, in seconds. A script that sends `add`
  /// without waiting for the reply usually has its album added. No core or connection stays busy for longer.
  private static let limit = 1.0
  /// The number of disconnected clients at which commands for the disk are refused. Such clients remain only if the disk
  /// does not answer. Below the server's limit, which would lock out even `pause`.
  private static let maximumCount = 100

  private let clock: any HostClock
  private let absences = Mutex<[ClientID: Absence]>([:])

  init(clock: any HostClock) { self.clock = clock }

  /// Ends the commands of a client whose connection is closed, after the time limit.
  func connectionClosed(_ client: ClientID) {
    let absence = Absence(since: clock.now, isCertain: true)
    absences.withLock { $0[client] = absence }
  }

  /// Ends each command of a client that has closed its sending side. The time limit begins with this call or, if
  /// later, with the command.
  func inputEnded(_ client: ClientID) {
    let absence = Absence(since: clock.now, isCertain: false)
    absences.withLock { $0[client] = $0[client] ?? absence }
  }

  /// Forgets a client that has no command in progress.
  func clientLeft(_ client: ClientID) { absences.withLock { _ = $0.removeValue(forKey: client) } }

  /// Returns whether a command of the client that began at `start` must end.
  func mustEnd(_ client: ClientID, since start: HostTime) -> Bool {
    guard let absence = absences.withLock({ $0[client] }) else { return false }
    // A client that may still read replies gets the time limit for each of its commands.
    let since = absence.isCertain ? absence.since : max(absence.since, start)
    return clock.now.seconds(since: since) > Self.limit
  }

  /// The refusal of a further command for the disk; nil while it is admitted.
  var refusal: Ack? {
    let count = absences.withLock { $0.values.count(where: \.isCertain) }
    guard count >= Self.maximumCount else { return nil }
    return Ack(
      .system, "the disk does not answer: commands of \(count) clients that have left are still in progress")
  }
}
