import AudioCore
import AudioOutput
import MediaTime
import TestSupport
import Testing

@testable import PlaybackEngine

@Suite(.timeLimit(.minutes(10)))
struct ResilienceTests {
  @Test func goesOnWhereItWasHeardWhenTheServerComesBack() {
    let harness = EngineHarness(
      .init {
        $0.death = 3
        $0.revival = 5
      })
    harness.add(frames: 220_500, 220_500)
    _ = harness.observe()
    harness.engine.setRate(1)
    harness.advance(4)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<220_500) + EngineHarness.sound(2, 0..<220_500))
    #expect(harness.stepsByItem == [Array(0..<500), Array(0..<500)])
    #expect(harness.seen.filter { $0 == .lost(retry: true) }.count <= 8)
  }

  @Test func aServerThatNeverComesIsTriedEveryFiveSecondsAtTheMost() {
    let harness = EngineHarness(.init { $0.failingConnections = .max })
    harness.add(frames: 44_100)
    harness.engine.setRate(1)
    harness.advance(60)
    let attempts = harness.seen.filter { $0 == .lost(retry: true) }.count
    #expect(attempts >= 12 && attempts <= 20)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    #expect(harness.engine.rate == 1)
  }

  @Test func nothingIsTriedWhilePaused() {
    let harness = EngineHarness(.init { $0.failingConnections = .max })
    harness.add(frames: 44_100)
    harness.engine.setRate(1)
    harness.advance(1)
    harness.engine.setRate(0)
    let attempts = harness.seen.filter { $0 == .lost(retry: true) }.count
    harness.advance(60)
    #expect(harness.seen.filter { $0 == .lost(retry: true) }.count <= attempts + 1)
  }

  @Test func anOutputThatIsGoneForGoodEndsPlayback() {
    let harness = EngineHarness(
      .init {
        $0.failingConnections = .max
        $0.connectionError = OutputError("disk full", isRecoverable: false)
      })
    harness.add(frames: 44_100)
    harness.engine.setRate(1)
    harness.advance(1)
    #expect(harness.engine.rate == 0)
    #expect(harness.seen.contains(.lost(retry: false)))
    #expect(harness.engine.items.count == 1)
  }

  @Test func suspensionHoldsEverythingAndGoesOnWithTheNextFrame() {
    let harness = EngineHarness()
    harness.add(frames: 220_500)
    _ = harness.observe()
    harness.engine.setRate(1)
    harness.advance(2)
    harness.engine.suspend()
    let count = harness.seen.count
    harness.advance(30)
    #expect(harness.seen.count == count)
    let heard = harness.heard.count
    harness.advance(30)
    #expect(harness.heard.count == heard)
    harness.engine.resume()
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<220_500))
    #expect(harness.steps == Array(0..<500))
  }

  @Test func aDeviceThatIsTakenAwayMakesThePlayerWait() {
    let harness = EngineHarness(.init { $0.suspension = 1..<4 })
    harness.add(frames: 220_500)
    harness.engine.setRate(1)
    harness.advance(2.5)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    #expect(!harness.seen.contains(.stalled(1)))
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<220_500))
  }

  /// The sink is suspended meanwhile, starts slowly, or the server is restarted: nobody takes that for a stall.
  @Test(arguments: [true, false], 0..<3)
  func resumptionStartsAnew(waits: Bool, fault: Int) {
    let harness = EngineHarness(
      .init {
        switch fault {
        case 0: $0.suspension = 3..<12
        case 1: $0.startDelay = 0.5
        default: ($0.death, $0.revival) = (3, 4)
        }
      })
    harness.add(frames: 220_500)
    harness.engine.waitsToMinimizeStalling = waits
    harness.engine.setRate(1)
    harness.advance(2)
    harness.engine.suspend()
    harness.advance(8)
    harness.engine.resume()
    harness.advance(0.4)
    #expect(harness.engine.rate == 1)
    harness.playOut()
    #expect(!harness.seen.contains(.stalled(1)) && !harness.seen.contains(.rate(0)))
    expectSame(harness.heard, EngineHarness.sound(1, 0..<220_500))
  }

  @Test func volumeIsTheDevicesBusinessAndSurvivesReconnection() {
    let harness = EngineHarness(
      .init {
        $0.death = 1
        $0.revival = 1.5
      })
    harness.add(frames: 220_500)
    harness.engine.volume = 0.25
    harness.engine.setRate(1)
    harness.advance(3)
    let changes = harness.device.recording.volumeChanges
    #expect(changes.count == 2 && changes.allSatisfy { $0.volume == 0.25 && !$0.muted })
  }

  @Test func aSlowObserverGetsTheNewestStepAndNoBacklog() {
    let harness = EngineHarness()
    harness.add(frames: 441_000)
    let queue = HeldQueue()
    _ = harness.observe(on: queue)
    harness.engine.setRate(1)
    harness.advance(5)
    #expect(queue.count == 1)
    #expect(harness.seen.contains(.coalesced))
    queue.run()
    #expect(harness.steps.count <= 100)
    #expect((harness.steps.last ?? 0) >= 480)
  }

  @Test func aRemovedObserverIsNotCalledAgain() {
    let harness = EngineHarness()
    harness.add(frames: 441_000)
    let id = harness.observe()
    harness.engine.setRate(1)
    harness.advance(1)
    #expect(harness.engine.removeTimeObserver(id))
    let count = harness.steps.count
    harness.advance(1)
    #expect(harness.steps.count == count)
    #expect(!harness.engine.removeTimeObserver(id))
  }

  @Test func theEndOfAnItemDoesWhatIsAskedFor() {
    let plain = EngineHarness(isQueuePlayer: false)
    plain.add(frames: 44_100)
    plain.engine.setRate(1)
    plain.advance(2)
    #expect(plain.engine.rate == 0 && plain.engine.currentItem != nil)
    #expect(plain.engine.currentTime?.seconds == 1)
    #expect(plain.story.suffix(3) == [.ended(1), .rate(0), .control(.paused)])
    plain.seek(0)
    plain.engine.setRate(1)
    plain.advance(2)
    #expect(plain.seen.filter { $0 == .ended(1) }.count == 2)

    let none = EngineHarness()
    none.add(frames: 44_100, 44_100)
    none.engine.actionAtItemEnd = .none
    none.engine.setRate(1)
    none.advance(3)
    #expect(none.engine.rate == 1 && none.engine.read { $0.queue.count } == 2)
    #expect((none.engine.currentTime?.seconds ?? 0) > 2.5)
    none.engine.actionAtItemEnd = .advance
    #expect(none.engine.read { $0.queue.count } == 1)
    none.playOut()
    expectSame(none.heard, EngineHarness.sound(1, 0..<44_100) + EngineHarness.sound(2, 0..<44_100))
  }

  @Test func anEarlierEndIsTheEnd() {
    let harness = EngineHarness()
    let ids = harness.add(frames: 44_100, 10_000)
    harness.engine.setEnd(0.5, of: ids[0])
    harness.engine.setRate(1)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<22_050) + EngineHarness.sound(2, 0..<10_000))
  }

  @Test func anEstimatedLengthIsCorrectedAtTheEnd() {
    let harness = EngineHarness()
    harness.add(SyntheticMedia(number: 1, frames: 44_100, announced: .estimate(50_000)))
    harness.engine.setRate(1)
    harness.playOut()
    #expect(harness.seen.contains(.duration(1, 44_100)))
  }
}
