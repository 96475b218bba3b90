import AudioCore
import HostTime
import Synchronization

/// Waits for a connection, with a limit: libpulse's own wait has none.
final class ConnectionProbe: PulseConnectionUser, Sendable {
  private let connection: PulseConnection
  private let answer = Atomic<Bool>(false)
  private let answered = Semaphore()

  init(_ connection: PulseConnection) { self.connection = connection }

  /// Connects, if need be, and blocks until the server has answered or `limit` seconds have passed. Without the
  /// loop's lock, on any thread but the loop's own, which would wait for itself.
  func isAnswered(within limit: Double) -> Bool {
    if let loop = connection.loop { precondition(!connection.calls.mainloopInThread(loop)) }
    let isPending = connection.withLock {
      guard connection.connect() else { return false }
      connection.join(self)
      return true
    }
    guard isPending else { return false }
    let isInTime = answered.wait(until: connection.clock.now.advanced(bySeconds: limit))
    connection.withLock { connection.leave(self) }
    return isInTime && answer.load(ordering: .acquiring)
  }

  func connectionReady(_ context: OpaquePointer) {
    answer.store(true, ordering: .releasing)
    answered.post()
  }

  func connectionLost(_ error: OutputError) { answered.post() }
}
