import Clocks
import Synchronization
import Testing

@testable import ContinuoTesting

@Suite struct ApplicationTimersTests {
  @Test("A timer whose turn comes after the suspension waits for the resumption")
  func suspension() {
    let (clock, queue) = (VirtualClock(), VirtualMainQueue())
    let timers = ApplicationTimers(clock: clock, mainQueue: queue)
    let calls = Mutex(0)
    timers.add(timers.makeID(), due: clock.now.advanced(bySeconds: 1)) { outcome in
      if outcome == .due { calls.withLock { $0 += 1 } }
    }
    clock.advance(bySeconds: 1)
    #expect(!queue.isEmpty)
    timers.suspend()
    while queue.runNext() {}
    #expect(calls.withLock { $0 } == 0)
    timers.resume()
    clock.runUntilIdle()
    while queue.runNext() {}
    #expect(calls.withLock { $0 } == 1)
  }
}
