import AudioCore
import AudioOutput
import Clocks
import MediaTime
import TestSupport
import Testing

@testable import PlaybackEngine

/// When sound of media that come little by little begins, stops and goes on.
@Suite(.timeLimit(.minutes(10)))
struct BufferingTests {
  // MARK: The rules

  private func time(_ seconds: Double) -> HostTime { HostTime(nanoseconds: 0).advanced(bySeconds: seconds) }

  private func supply(_ seconds: Double, pace: Double? = nil) -> MediaSupply {
    MediaSupply(seconds: seconds, isComplete: false, pace: pace)
  }

  @Test func aStartNeedsEnoughOrAPaceThatKeepsUp() {
    for (supply, starts) in [
      (supply(1.99), false), (supply(2), true), (supply(0.24, pace: 5), false), (supply(0.25, pace: 1), true),
      (supply(0.25, pace: 0.99), false), (supply(0.1), false),
      (MediaSupply(seconds: 0.1, isComplete: true), true),
    ] {
      var buffering = Buffering()
      buffering.start()
      #expect(buffering.holdsBack)
      buffering.look(supply)
      #expect(buffering.holdsBack != starts, "\(supply)")
    }
  }

  @Test func eachStallWithinAMinuteAsksForTwiceAsMuch() {
    var buffering = Buffering()
    for (stall, needed) in [2.0, 4, 8, 15, 15, 15, 15].enumerated() {
      buffering.stall(now: time(Double(stall) * 5))
      buffering.look(supply(needed - 0.01))
      #expect(buffering.holdsBack || needed > 10)
      buffering.look(supply(needed))
      #expect(!buffering.holdsBack)
    }
    // What keeps up goes on at once, and after a minute all is forgotten.
    buffering.stall(now: time(40))
    buffering.look(supply(0.5, pace: 1.1))
    #expect(!buffering.holdsBack)
    buffering.stall(now: time(200))
    buffering.look(supply(2))
    #expect(!buffering.holdsBack)
  }

  @Test func whatDoesNotComeIsNotWaitedFor() {
    var buffering = Buffering()
    let full = MediaSupply(seconds: 1.9, isComplete: false, pace: 0.5, isFull: true)
    buffering.start()
    buffering.look(full)
    #expect(!buffering.holdsBack)
    buffering.runDry()
    buffering.look(supply(0))
    #expect(buffering.holdsBack)
    buffering.look(full)
    #expect(!buffering.holdsBack)
  }

  @Test func whatABufferIs() {
    #expect(BufferState(supply(0)).isEmpty)
    #expect(!BufferState(supply(0.01)).isEmpty)
    #expect(!BufferState(MediaSupply(seconds: 0, isComplete: true)).isEmpty)
    #expect(BufferState(supply(10)).isLikelyToKeepUp)
    #expect(!BufferState(supply(9.9)).isLikelyToKeepUp)
    #expect(BufferState(supply(0.5, pace: 1.1)).isLikelyToKeepUp)
    #expect(!BufferState(supply(0.49, pace: 9)).isLikelyToKeepUp)
    #expect(BufferState(MediaSupply(seconds: 3, isComplete: false, isFull: true)).isFull)
    #expect(BufferState.all == BufferState(.all))
  }

  // MARK: The engine

  private func add(_ harness: EngineHarness, frames: Int64 = 441_000) -> SlowMedia {
    let media = SlowMedia(SyntheticMedia(number: 1, frames: frames), tells: true)
    #expect(harness.engine.insert(ItemID.next(), source: media))
    return media
  }

  @Test func aStartWaitsForTwoSeconds() {
    let harness = EngineHarness()
    let media = add(harness)
    media.receive(44_100)
    harness.engine.setRate(1)
    harness.advance(0.9)
    #expect(harness.engine.timeControl == .waiting(.evaluatingBufferingRate))
    harness.advance(0.3)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    #expect(harness.heard.isEmpty)
    media.receive(44_000)
    harness.advance(0.5)
    #expect(harness.heard.isEmpty)
    media.receive(100)
    harness.advance(0.5)
    #expect(harness.engine.timeControl == .playing)
    media.receive(352_800)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
    #expect(!harness.seen.contains(.stalled(-1)))
  }

  @Test func aGoodPaceStartsAtOnceAndWhatIsThereAsAWholeToo() {
    for (frames, pace) in [(12_000, 1.5), (441_000, nil)] as [(Int64, Double?)] {
      let harness = EngineHarness()
      let media = add(harness)
      media.pace = pace
      media.receive(frames)
      harness.engine.setRate(1)
      harness.advance(0.2)
      #expect(harness.engine.timeControl == .playing)
      media.receive(441_000)
      harness.playOut()
      expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
    }
  }

  @Test func resumptionWithTheLastFramesWaitsForMore() {
    let harness = EngineHarness()
    let media = add(harness)
    media.receive(100_000)
    harness.engine.setRate(1)
    while harness.heard.count < 95_000 { harness.advance(0.02) }
    harness.engine.suspend()
    harness.advance(5)
    let heard = harness.heard.count
    #expect(heard < 100_000)
    harness.engine.resume()
    harness.advance(1)
    #expect(harness.heard.count == heard && harness.engine.timeControl == .waiting(.toMinimizeStalls))
    media.receive(441_000)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
  }

  @Test func withoutWaitingTheFirstFrameIsHeardAndTheLastOnePauses() {
    let harness = EngineHarness()
    harness.engine.waitsToMinimizeStalling = false
    let media = add(harness)
    media.receive(4410)
    harness.engine.setRate(1)
    harness.advance(0.2)
    expectSame(harness.heard, EngineHarness.sound(1, 0..<4410))
    harness.advance(1)
    #expect(harness.engine.timeControl == .paused)
    #expect(harness.engine.rate == 0)
    media.receive(441_000)
    harness.engine.setRate(1)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
  }

  @Test func whatDoesNotWaitAnyMorePlaysWhatIsThere() {
    let harness = EngineHarness()
    let media = add(harness)
    media.receive(88_200)
    harness.engine.setRate(1)
    harness.advance(4)
    media.receive(44_100)
    harness.advance(0.2)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    harness.engine.waitsToMinimizeStalling = false
    #expect(harness.engine.rate == 1)
    harness.advance(0.3)
    #expect(harness.engine.timeControl == .playing && harness.heard.count > 88_200)
    harness.advance(2)
    #expect(harness.engine.timeControl == .paused)
    expectSame(harness.heard, EngineHarness.sound(1, 0..<132_300))
  }

  @Test func stallsAskForMoreAndMoreAndThePlaceStands() {
    let harness = EngineHarness()
    let media = add(harness)
    _ = harness.observe()
    harness.engine.setRate(1)
    media.receive(88_200)
    harness.advance(4)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    #expect(harness.engine.currentTime?.seconds == 2)
    media.receive(44_100)
    harness.advance(1)
    #expect(harness.engine.currentTime?.seconds == 2)
    media.receive(44_100)
    harness.advance(4)
    #expect(harness.engine.currentTime?.seconds == 4)
    // Four seconds now.
    media.receive(132_300)
    harness.advance(1)
    #expect(harness.engine.currentTime?.seconds == 4)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    media.receive(44_100)
    harness.advance(1)
    #expect(harness.engine.timeControl == .playing)
    media.receive(441_000)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
    #expect(harness.steps.count == 1000 && zip(harness.steps, 0...).allSatisfy { $0 == $1 })
    #expect(harness.seen.filter { $0 == .stalled(-1) }.count == 2)
  }

  @Test func aMediumThatIsTooSlowIsHeardWholeAllTheSame() {
    let harness = EngineHarness()
    let media = add(harness)
    _ = harness.observe()
    media.pace = 0.8
    harness.engine.setRate(1)
    // 0.8 times as fast as it plays.
    for _ in 0..<250 {
      media.receive(1764)
      harness.advance(0.05)
    }
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
    #expect(harness.steps.count == 1000 && zip(harness.steps, 0...).allSatisfy { $0 == $1 })
  }

  @Test func aSeekWaitsForEnoughAgain() {
    let harness = EngineHarness()
    let media = add(harness)
    media.receive(220_500)
    harness.engine.setRate(1)
    harness.advance(1)
    harness.seek(4.5)
    harness.advance(0.5)
    #expect(harness.seen.contains(.seek(true)))
    #expect(harness.engine.currentTime?.seconds == 4.5)
    #expect(harness.engine.timeControl == .waiting(.evaluatingBufferingRate))
    media.receive(88_200)
    harness.advance(0.5)
    #expect(harness.engine.timeControl == .playing)
    media.receive(441_000)
    harness.playOut()
    let tail = EngineHarness.sound(1, 198_450..<441_000)
    expectSame(Array(harness.heard.suffix(tail.count)), tail)
  }

  @Test func aMediumThatIsLostBehindAStallBreaksOff() {
    let harness = EngineHarness()
    let media = add(harness)
    media.receive(88_200)
    harness.engine.setRate(1)
    harness.advance(4)
    media.receive(4410)
    harness.advance(1)
    media.fail()
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<92_610))
    #expect(harness.seen.contains(.broke(-1)))
  }

  @Test func anotherItemIsNotHeldBackByTheStallOfTheOneBefore() {
    let harness = EngineHarness()
    let media = add(harness)
    harness.add(SyntheticMedia(number: 2, frames: 44_100))
    media.receive(88_200)
    harness.engine.setRate(1)
    harness.advance(4)
    harness.engine.advanceToNextItem()
    harness.advance(0.2)
    #expect(harness.engine.timeControl == .playing)
    harness.playOut()
    #expect(harness.heard.suffix(44_100) == EngineHarness.sound(2, 0..<44_100)[...])
  }

  @Test func aPauseWhileItIsHeldBackAndPlayingOn() {
    let harness = EngineHarness()
    let media = add(harness)
    media.receive(44_100)
    harness.engine.setRate(1)
    harness.advance(2)
    harness.engine.setRate(0)
    media.receive(396_900)
    harness.advance(2)
    #expect(harness.heard.isEmpty)
    harness.engine.setRate(1)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
  }

  @Test func whatComesFrameByFrameIsNotHeardInScraps() {
    let harness = EngineHarness()
    let frames: Int64 = 1_323_000
    let media = add(harness, frames: frames)
    _ = harness.observe()
    media.pace = 0.8
    harness.engine.setRate(1)
    for _ in 0..<(frames / 1152 + 1) {
      media.receive(1152)
      harness.advance(1152 / 44_100 / 0.8)
    }
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<frames))
    expectSteps(harness, count: 3000)
    // 2 s are enough at the start and behind the first stall, and last 10 s each; then it needs 4.
    #expect(harness.seen.filter { $0 == .stalled(-1) }.count == 2)
    #expect(harness.seen.filter { $0 == .control(.playing) }.count == 3)
    #expect(harness.device.recording.runs.count == 3)
  }

  private func expectSteps(_ harness: EngineHarness, count: Int = 1000) {
    let isWhole = harness.steps.count == count && zip(harness.steps, 0...).allSatisfy { $0 == $1 }
    #expect(isWhole)
  }

  @Test func aStallThatIsOverAtOnceIsNotTold() {
    let harness = EngineHarness()
    let media = add(harness)
    _ = harness.observe()
    media.receive(88_200)
    harness.engine.setRate(1)
    harness.advance(2.1)
    media.receive(352_800)
    harness.playOut()
    #expect(!harness.seen.contains(.stalled(-1)))
    expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
    expectSteps(harness)
  }

  @Test func playedImmediatelyItBeginsWithTheFirstFrameAndStallsAsUsual() {
    for isOpen in [true, false] {
      let harness = EngineHarness()
      let media = add(harness)
      if isOpen {
        media.receive(0)
        harness.advance(0.1)
      }
      harness.engine.setRate(1, isImmediate: true)
      harness.advance(0.1)
      media.receive(4410)
      harness.advance(0.3)
      expectSame(harness.heard, EngineHarness.sound(1, 0..<4410))
      harness.advance(0.5)
      #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
      media.receive(44_100)
      harness.advance(1)
      expectSame(harness.heard, EngineHarness.sound(1, 0..<4410))
      media.receive(441_000)
      harness.playOut()
      expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
    }
  }

  @Test func whatIsWaitedForWithPlayingImmediatelyBegins() {
    let harness = EngineHarness()
    let media = add(harness)
    media.receive(4410)
    harness.engine.setRate(1)
    harness.advance(3)
    #expect(harness.heard.isEmpty)
    harness.engine.setRate(1, isImmediate: true)
    harness.advance(0.2)
    expectSame(harness.heard, EngineHarness.sound(1, 0..<4410))
  }

  @Test func anItemThatIsNotOpenedYetIsEvaluatedForASecond() {
    let harness = EngineHarness()
    let media = add(harness)
    harness.engine.setRate(1)
    harness.advance(0.9)
    #expect(harness.engine.timeControl == .waiting(.evaluatingBufferingRate))
    harness.advance(0.2)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    media.receive(4410)
    harness.advance(1)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    media.receive(441_000)
    harness.playOut()
    #expect(!harness.seen.contains(.stalled(-1)))
    expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
  }

  @Test func theItemBehindOneThatFailsIsEvaluatedForASecondAnew() {
    let harness = EngineHarness()
    let media = add(harness)
    _ = add(harness)
    harness.engine.setRate(1)
    harness.advance(1.5)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    media.fail()
    harness.advance(0.9)
    #expect(harness.engine.timeControl == .waiting(.evaluatingBufferingRate))
    harness.advance(0.2)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
  }

  @Test func aSeekThatIsWaitedForIsEvaluatedForASecondAnew() {
    let harness = EngineHarness()
    let media = add(harness)
    media.receive(100_000)
    harness.engine.setRate(1)
    harness.advance(1)
    harness.seek(8)
    harness.advance(0.9)
    #expect(harness.engine.timeControl == .waiting(.evaluatingBufferingRate))
    harness.advance(0.5)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    media.receive(441_000)
    harness.advance(0.2)
    #expect(harness.engine.timeControl == .playing)
  }

  @Test func theNextItemThatComesTooLateStartsAsAnyStart() {
    let harness = EngineHarness()
    harness.add(frames: 44_100)
    let media = add(harness)
    harness.engine.setRate(1)
    harness.advance(3)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    media.receive(44_100)
    harness.advance(1)
    #expect(harness.heard.count == 44_100)
    media.receive(396_900)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<44_100) + EngineHarness.sound(1, 0..<441_000))
  }

  @Test func atTwiceTheSpeedTwiceAsMuchIsNeeded() {
    let harness = EngineHarness()
    let media = add(harness)
    media.receive(170_000)
    harness.engine.setRate(2)
    harness.advance(1)
    #expect(harness.heard.isEmpty)
    media.receive(6_400)
    harness.advance(0.5)
    #expect(harness.engine.timeControl == .playing)
  }

  @Test func thePaceOfWhatIsPausedIsTold() {
    let harness = EngineHarness()
    let media = add(harness)
    media.receive(4410)
    harness.advance(0.5)
    media.pace = 2
    media.receive(44_100)
    harness.advance(0.5)
    let told = harness.seen.compactMap { if case .buffer(_, let buffer) = $0 { buffer } else { nil } }
    #expect(told.map(\.isLikelyToKeepUp) == [false, true])
  }

  @Test func theBufferIsTold() {
    let harness = EngineHarness()
    let media = add(harness)
    harness.engine.setRate(1)
    media.receive(0)
    harness.advance(1)
    media.receive(44_100)
    harness.advance(1)
    media.receive(396_900)
    harness.playOut()
    let told = harness.seen.compactMap { if case .buffer(_, let buffer) = $0 { buffer } else { nil } }
    #expect(told.first == BufferState(supply(0)))
    #expect(told.dropFirst().first == BufferState(supply(1)))
    #expect(told.last?.isLikelyToKeepUp == true && told.last?.isEmpty == false)
  }

  @Test func ofAFileNothingIsTold() {
    let harness = EngineHarness()
    harness.add(frames: 88_200)
    harness.engine.setRate(1)
    harness.playOut()
    #expect(!harness.seen.contains { if case .buffer = $0 { true } else { false } })
  }
}
