import Clocks
import Dispatch
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CallGateTests {
  private func soon(_ seconds: Double) -> HostTime { SystemClock.shared.now.advanced(bySeconds: seconds) }

  @Test func nothingEntersWhileClosed() {
    let gate = CallGate()
    #expect(gate.enter())
    gate.leave()
    gate.close()
    #expect(!gate.enter() && !gate.isOpen)
    gate.open()
    #expect(gate.enter() && gate.isOpen)
    gate.leave()
  }

  @Test func whoeverIsInsideDoesNotWaitForItself() {
    let gate = CallGate()
    #expect(gate.enter() && gate.enter())
    gate.close()
    #expect(gate.awaitCalls(until: soon(10)))
    gate.leave()
    gate.leave()
    #expect(gate.awaitCalls(until: soon(10)))
  }

  @Test func othersAreWaitedForAndNotForEver() {
    let gate = CallGate()
    let entered = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)
    let left = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      #expect(gate.enter())
      entered.signal()
      goOn.wait()
      gate.leave()
      left.signal()
    }
    entered.wait()
    gate.close()
    #expect(!gate.awaitCalls(until: soon(0.02)))
    goOn.signal()
    #expect(gate.awaitCalls(until: soon(50)))
    left.wait()
  }
}
