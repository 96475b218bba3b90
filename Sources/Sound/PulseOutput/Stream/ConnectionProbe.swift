import AudioCore
import Clocks
import Synchronization

/// Waits for a connection with a timeout, which libpulse's own wait does not have.
final class ConnectionProbe: PulseConnectionUser, Sendable {
  private let connection: PulseConnection
  private let answer = Atomic<Bool>(false)
  private let answered = Semaphore()

  init(_ connection: PulseConnection) { self.connection = connection }

  /// Connects if necessary and returns whether the server has answered. Blocks until then, at most `limit`
  /// seconds. Call without the loop's lock, and not on the loop's thread, which would wait for itself.
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
