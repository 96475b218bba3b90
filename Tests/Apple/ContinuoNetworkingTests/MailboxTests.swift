import Clocks
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import AppLifecycle
@testable import ContinuoNetworking

@Suite("Calls of delegates", .blocksThread, .timeLimit(.minutes(10)))
struct MailboxTests {
  @Test("none begins after a suspension has returned, on any thread")
  func stopped() throws {
    let device = Device(
      modes: BackgroundModes(), clock: SystemClock.shared, mainQueue: SerialQueue(), isOnMainQueue: { false },
      isActive: true)
    let session = Device.withCurrent(device) { URLSession(configuration: .ephemeral) }
    let (isSuspended, late, made) = (Flag(), Flag(), Flag())
    var rounds = 0
    // On a busy machine most calls wait for several suspensions.
    while rounds < 1_000 || made.count.load(ordering: .relaxed) < 1_000 {
      rounds += 1
      for _ in 0..<10 {
        session.core.post {
          made.count.add(1, ordering: .relaxed)
          // Long enough for a suspension that does not wait to return meanwhile.
          usleep(50)
          late.count.add(isSuspended.count.load(ordering: .sequentiallyConsistent), ordering: .relaxed)
        }
      }
      device.networking.suspend()
      isSuspended.count.store(1, ordering: .sequentiallyConsistent)
      usleep(20)
      isSuspended.count.store(0, ordering: .sequentiallyConsistent)
      device.networking.resume()
    }
    #expect(late.count.load(ordering: .relaxed) == 0)
    session.invalidateAndCancel()
    device.networking.close()
  }

  private final class Flag: Sendable {
    let count = Atomic(0)
  }
}
