import Testing

@testable import Clocks

@Suite(.timeLimit(.minutes(10)))
struct LazyWorkerTests {
  private let clock = VirtualClock()
  private let log = Log()

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
  @Test func ofTwoMadeAtOnceTheFirstKeptRuns() {
    let worker = LazyWorker()
    worker.signal {
      let late = make("late")
      worker.signal { make("early") }
      return late
    }
    clock.runUntilIdle()
    #expect(log.all == ["make late", "make early", "early"])
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
