import Clocks
import Synchronization
import Testing

@testable import PlaybackEngine

@Suite(.timeLimit(.minutes(10))) struct DeliveryRouterTests {
  /// As a bare function in a `Mutex` the handler was wrapped once more each time a lane ran dry: rendering a long queue to a
  /// file with observers became slower with every step.
  @Test func theHundredThousandthDrainCostsNoMoreThanTheFirst() {
    let queue = HeldQueue()
    let router = DeliveryRouter(mainQueue: queue, gate: CallGate())
    let drained = Mutex(0)
    router.start(onNotice: { _ in }, onDrained: { drained.withLock { $0 += 1 } })
    for _ in 0..<100_000 {
      router.main.append(Delivery.notice(.currentItemChanged(nil)))
      router.main.wake()
      queue.run()
    }
    #expect(drained.withLock { $0 } == 100_000)
    router.close()
  }

  /// Releases its owner's observer when it goes, as an object in an application does.
  private final class Tidy: Sendable {
    private let action: @Sendable () -> Void
    init(_ action: @escaping @Sendable () -> Void) { self.action = action }
    deinit { action() }
  }

  @Test func whatABlockOwnsMayCallTheRouterWhenItGoes() {
    let router = DeliveryRouter(mainQueue: HeldQueue(), gate: CallGate())
    let gone = Mutex(0)
    func add() -> ObserverID {
      let tidy = Tidy { [weak router] in
        _ = router?.remove(0)
        gone.withLock { $0 += 1 }
      }
      return router.add(.boundary { withExtendedLifetime(tidy) {} }, queue: nil)
    }
    #expect(router.remove(add()))
    #expect(gone.withLock { $0 } == 1)
    _ = add()
    router.close()
    #expect(gone.withLock { $0 } == 2)
  }
}
