import Synchronization
import Testing

@testable import Clocks

@Suite struct MainLoopTests {
  private final class Log: Sendable {
    private let entries = Mutex<[String]>([])
    func append(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
  }

  @Test func whatABodyEnqueuesRunsRightAfterAllBodiesOfTheTurn() throws {
    let (loop, log) = (MainLoop(), Log())
    var work: [MainLoop.Item] = []
    let first = loop.makeWorker("first") {
      log.append("first")
      loop.enqueue { log.append("told") }
      return .whenSignalled
    }
    let second = loop.makeWorker("second") {
      log.append("second")
      return .whenSignalled
    }
    #expect(log.all.isEmpty)
    loop.takeTurn(&work)
    #expect(log.all == ["first", "second", "told"])
    try #require(second).signal()
    loop.takeTurn(&work)
    #expect(log.all == ["first", "second", "told", "second"])
    withExtendedLifetime(first) {}
  }

  @Test func aBodyThatNeverRestsLeavesTurnsToTheQueue() {
    let (loop, log) = (MainLoop(), Log())
    var work: [MainLoop.Item] = []
    let worker = loop.makeWorker("busy") {
      log.append("run")
      return .again
    }
    loop.takeTurn(&work)
    let count = log.all.count
    #expect((1...10).contains(count))
    loop.takeTurn(&work)
    #expect(log.all.count > count)
    withExtendedLifetime(worker) {}
  }

  @Test func aBodyRunsAtItsTimeAndNotAfterItsEnd() throws {
    let (loop, log) = (MainLoop(), Log())
    var work: [MainLoop.Item] = []
    let worker = try #require(
      loop.makeWorker("due") {
        log.append("run")
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
