import TestSupport
import Testing

@testable import Clocks

@Suite struct MainLoopTests {
  @Test func whatABodyEnqueuesRunsRightAfterIt() throws {
    let (loop, log) = (MainLoop(), Collected<String>())
    var work: [QueuedWork] = []
    let first = loop.makeWorker("first") {
      log.add("first")
      loop.enqueue { log.add("told") }
      return .whenSignalled
    }
    let second = loop.makeWorker("second") {
      log.add("second")
      return .whenSignalled
    }
    #expect(log.all.isEmpty)
    loop.takeTurn(&work)
    #expect(log.all == ["first", "told"])
    loop.takeTurn(&work)
    #expect(log.all == ["first", "told", "second"])
    loop.takeTurn(&work)
    try #require(second).signal()
    loop.takeTurn(&work)
    #expect(log.all == ["first", "told", "second", "second"])
    withExtendedLifetime(first) {}
  }

  @Test func aBodyThatNeverRestsLeavesTurnsToTheQueue() {
    let (loop, log) = (MainLoop(), Collected<String>())
    var work: [QueuedWork] = []
    let worker = loop.makeWorker("busy") {
      log.add("run")
      return .again
    }
    loop.takeTurn(&work)
    #expect(log.all.count == 1)
    loop.takeTurn(&work)
    #expect(log.all.count == 2)
    withExtendedLifetime(worker) {}
  }

  @Test func aBodyRunsAtItsTimeAndNotAfterItsEnd() throws {
    let (loop, log) = (MainLoop(), Collected<String>())
    var work: [QueuedWork] = []
    let worker = try #require(
      loop.makeWorker("due") {
        log.add("run")
        return .at(SystemClock.shared.now)
      })
    loop.takeTurn(&work)
    loop.takeTurn(&work)
    #expect(log.all.count >= 2)
    let count = log.all.count
    worker.cancel()
    loop.takeTurn(&work)
    #expect(log.all.count == count)
  }
}
