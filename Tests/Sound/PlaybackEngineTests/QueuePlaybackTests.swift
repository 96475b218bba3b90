import AudioCore
import AudioOutput
import MediaTime
import Synchronization
import TestSupport
import Testing

@testable import PlaybackEngine

/// A queue that plays from its beginning to its end, on every device.
@Suite(.timeLimit(.minutes(10)))
struct QueuePlaybackTests {
  /// Devices that live: what dies has a suite of its own.
  static let living = SimulatedOutput.personalities.filter {
    $0.personality.death == nil && $0.personality.connectionError.isRecoverable
  }.map(\.name)

  static func personality(_ name: String) -> SimulatedOutput.Personality {
    SimulatedOutput.personalities.first { $0.name == name }?.personality ?? .init()
  }

  @Test(arguments: living)
  func playsAllItemsWithoutAGap(_ name: String) {
    let harness = EngineHarness(Self.personality(name))
    harness.add(frames: 44_100, 30_000, 1, 50_001)
    _ = harness.observe()
    harness.engine.setRate(1)
    harness.playOut()
    expectSame(
      harness.heard,
      EngineHarness.sound(1, 0..<44_100) + EngineHarness.sound(2, 0..<30_000) + EngineHarness.sound(3, 0..<1)
        + EngineHarness.sound(4, 0..<50_001))
    #expect(
      harness.story.filter { if case .item = $0 { true } else if case .ended = $0 { true } else { false } }
        == [
          .item(1), .ended(1), .item(2), .ended(2), .item(3), .ended(3), .item(4), .ended(4), .item(nil),
        ])
    #expect(harness.stepsByItem == [Array(0..<100), Array(0...68), [0], Array(0...113)])
    #expect(harness.engine.rate == 1)
    #expect(harness.engine.timeControl == .waiting(.noItemToPlay))
  }

  @Test(arguments: living)
  func pauseAndPlayLoseNothing(_ name: String) {
    let harness = EngineHarness(Self.personality(name))
    harness.add(frames: 100_000, 100_000)
    _ = harness.observe()
    harness.engine.setRate(1)
    var random = RandomSource(seed: 3)
    for _ in 0..<30 {
      harness.advance(Double(random.next() % 300) / 1000)
      harness.engine.setRate(0)
      harness.advance(Double(random.next() % 300) / 1000)
      harness.engine.setRate(1)
    }
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<100_000) + EngineHarness.sound(2, 0..<100_000))
    #expect(harness.stepsByItem == [Array(0...226), Array(0...226)])
  }

  @Test func timeStandsStillWhilePausedAndNeverRunsBack() {
    let harness = EngineHarness()
    harness.add(frames: 441_000)
    harness.engine.setRate(1)
    var last = -1.0
    for _ in 0..<100 {
      harness.advance(0.013)
      let time = harness.engine.currentTime?.seconds ?? -1
      #expect(time >= last)
      last = time
    }
    #expect(abs(last - 1.3) < 0.15)
    harness.engine.setRate(0)
    harness.advance(0.5)
    let paused = harness.engine.currentTime
    harness.advance(10)
    #expect(harness.engine.currentTime == paused)
  }

  @Test func itemsOfOtherRatesFollowWithoutAGapOrALostFrame() {
    let harness = EngineHarness()
    harness.add(SyntheticMedia(number: 1, frames: 44_100))
    harness.add(SyntheticMedia(number: 2, frames: 48_000, sampleRate: 48_000))
    harness.add(SyntheticMedia(number: 3, frames: 22_050, sampleRate: 22_050))
    _ = harness.observe()
    harness.engine.setRate(1)
    harness.playOut()
    #expect(harness.heard.count == 3 * 44_100)
    #expect(harness.stepsByItem == [Array(0..<100), Array(0..<100), Array(0..<100)])
  }

  @Test func aBrokenItemIsSkippedAndTheNextPlays() {
    let harness = EngineHarness()
    let error = DecodingError(reason: .notRecognized, message: "no audio")
    harness.add(SyntheticMedia(number: 1, frames: 0, openError: error))
    harness.add(SyntheticMedia(number: 2, frames: 10_000))
    harness.add(SyntheticMedia(number: 3, frames: 0, openError: error))
    harness.add(SyntheticMedia(number: 4, frames: 20_000, breaksAt: 16_000))
    harness.add(SyntheticMedia(number: 5, frames: 10_000))
    harness.engine.setRate(1)
    harness.playOut()
    expectSame(
      harness.heard,
      EngineHarness.sound(2, 0..<10_000) + EngineHarness.sound(4, 0..<16_000)
        + EngineHarness.sound(5, 0..<10_000))
    #expect(
      harness.story.filter { if case .control = $0 { false } else if case .rate = $0 { false } else { true } }
        == [
          .item(1), .failed(1), .item(2), .failed(3), .ended(2), .item(4), .broke(4), .item(5), .ended(5),
          .item(nil),
        ])
  }

  @Test func anItemInsertedIntoAnEmptiedQueuePlaysAtOnce() {
    let harness = EngineHarness()
    harness.add(frames: 10_000)
    harness.engine.setRate(1)
    harness.playOut()
    harness.add(frames: 10_000)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<10_000) + EngineHarness.sound(2, 0..<10_000))
  }

  @Test func anAppendedItemFollowsGaplesslyAlsoWhenTheLastWasDecodedWhole() {
    let harness = EngineHarness()
    harness.add(frames: 20_000)
    harness.engine.setRate(1)
    harness.advance(0.35)
    harness.add(frames: 20_000)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<20_000) + EngineHarness.sound(2, 0..<20_000))
    #expect(harness.device.recording.runs.count == 1)
  }

  @Test func whatFollowsCanBeChangedAfterItWasDecoded() {
    let harness = EngineHarness()
    let ids = harness.add(frames: 20_000, 20_000, 20_000)
    harness.engine.setRate(1)
    harness.advance(0.3)
    harness.engine.remove(ids[1])
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<20_000) + EngineHarness.sound(3, 0..<20_000))

    let second = EngineHarness()
    let first = second.add(frames: 20_000, 20_000)
    second.engine.setRate(1)
    second.advance(0.3)
    second.add(SyntheticMedia(number: 7, frames: 10_000), after: first[0])
    second.playOut()
    expectSame(
      second.heard,
      EngineHarness.sound(1, 0..<20_000) + EngineHarness.sound(7, 0..<10_000)
        + EngineHarness.sound(2, 0..<20_000))
  }

  @Test func aThousandShortItemsPlayToTheEnd() {
    let harness = EngineHarness(recordsSound: false)
    for number in 0..<1000 { harness.add(SyntheticMedia(number: number, frames: 4410)) }
    _ = harness.observe()
    harness.engine.setRate(1)
    harness.playOut(limit: 110)
    #expect(harness.steps.count == 10_000)
    #expect(harness.stepsByItem.allSatisfy { $0 == Array(0..<10) })
    #expect(SyntheticDecoder.live.load(ordering: .relaxed) < 1000)
  }
}
