import Synchronization
import Testing

@testable import PlaybackEngine

@Suite(.timeLimit(.minutes(5))) struct DeliveryRouterTests {
  /// As a bare function in a `Mutex` the handler was wrapped once more each time a lane ran dry: rendering a long queue to a
  /// file with observers became slower with every step.
  @Test func theHundredThousandthDrainCostsNoMoreThanTheFirst() {
    let queue = HeldQueue()
    let router = DeliveryRouter(mainQueue: queue, gate: CallGate()) { _ in }
    let drained = Mutex(0)
    router.whenDrained { drained.withLock { $0 += 1 } }
    for _ in 0..<100_000 {
      router.main.append(Delivery.notice(.currentItemChanged(nil)))
      router.main.wake()
      queue.run()
    }
    #expect(drained.withLock { $0 } == 100_000)
    router.close()
  }
}
