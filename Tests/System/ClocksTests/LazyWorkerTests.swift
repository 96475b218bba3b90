import TestSupport
import Testing

@testable import Clocks

@Suite(.timeLimit(.minutes(10)))
struct LazyWorkerTests {
  private let clock = VirtualClock()
  private let log = Collected<String>()

  private func make(_ name: String) -> any Worker {
    log.add("make \(name)")
    return clock.makeWorker(name) { [log] in
      log.add(name)
      return .whenSignalled
    }
  }

  @Test func theFirstSignalThatNeedsItMakesIt() {
    let worker = LazyWorker()
    worker.signal { nil }
    worker.signal { make("a") }
    clock.runUntilIdle()
    #expect(log.all == ["make a", "a"])
    worker.signal { make("b") }
    clock.runUntilIdle()
    #expect(log.all == ["make a", "a", "a"])
    worker.cancel()
    worker.signal { make("c") }
    clock.runUntilIdle()
    #expect(log.all == ["make a", "a", "a"])
  }

  // Inside `make` no lock is held: what it calls stands for other threads.
  @Test func oneIsMadeHoweverManySignalsCome() {
    let worker = LazyWorker()
    worker.signal {
      worker.signal { make("second") }
      return make("first")
    }
    clock.runUntilIdle()
    #expect(log.all == ["make first", "first"])
    worker.cancel()
  }

  @Test func aSignalDuringACreationThatWasNotNeededIsNotLost() {
    let worker = LazyWorker()
    var needsIt = false
    worker.signal {
      guard !needsIt else { return make("a") }
      needsIt = true
      worker.signal { make("other") }
      return nil
    }
    clock.runUntilIdle()
    #expect(log.all == ["make a", "a"])
    worker.cancel()
  }

  @Test func cancellingEndsAlsoOneThatIsBeingMade() {
    let worker = LazyWorker()
    worker.signal {
      worker.cancel()
      return make("a")
    }
    clock.runUntilIdle()
    #expect(log.all == ["make a"])
  }
}
