import Clocks
import Dispatch
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
    for _ in 0..<3_000 {
      let begun = DispatchSemaphore(value: 0)
      for _ in 0..<10 {
        session.core.post {
          made.count.add(1, ordering: .relaxed)
          late.count.add(isSuspended.count.load(ordering: .sequentiallyConsistent), ordering: .relaxed)
          begun.signal()
        }
      }
      // The suspension then meets one of the other nine.
      try #require(begun.wait(timeout: .now() + 120) == .success)
      device.networking.suspend()
      isSuspended.count.store(1, ordering: .sequentiallyConsistent)
      usleep(20)
      isSuspended.count.store(0, ordering: .sequentiallyConsistent)
      device.networking.resume()
    }
    #expect(late.count.load(ordering: .relaxed) == 0 && made.count.load(ordering: .relaxed) >= 3_000)
    session.invalidateAndCancel()
    device.networking.close()
  }

  private final class Flag: Sendable {
    let count = Atomic(0)
  }
}
