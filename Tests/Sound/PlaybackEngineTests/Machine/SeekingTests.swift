import AudioCore
import AudioOutput
import MediaTime
import TestSupport
import Testing

@testable import PlaybackEngine

@Suite(.timeLimit(.minutes(10)))
struct SeekingTests {
  @Test(arguments: QueuePlaybackTests.living)
  func aSeekIsHeardAtOnceAndExactly(_ name: String) {
    let harness = EngineHarness(QueuePlaybackTests.personality(name))
    harness.add(frames: 441_000)
    _ = harness.observe()
    harness.engine.setRate(1)
    harness.advance(2)
    let before = harness.heard.count
    harness.seek(7)
    #expect(harness.engine.currentTime?.seconds == 7)
    harness.playOut()
    let heard = harness.heard
    // A part of the beginning, without a hole, and then the end from second 7.
    let tail = EngineHarness.sound(1, 308_700..<441_000)
    expectSame(Array(heard.suffix(tail.count)), tail)
    let head = heard.count - tail.count
    #expect(head >= before && head <= before + 22_050)
    expectSame(Array(heard.prefix(head)), EngineHarness.sound(1, 0..<Int64(head)))
    #expect(harness.seen.contains(.seek(true)))
    let index = harness.steps.firstIndex(of: 700)
    #expect(index.map { Array(harness.steps[$0...]) } == Array(700..<1000))
    #expect(Set(harness.steps).count == harness.steps.count)
  }

  @Test func onlyTheLastOfThreeQuickSeeksFinishes() {
    let harness = EngineHarness()
    harness.add(frames: 441_000)
    harness.engine.setRate(1)
    harness.advance(0.5)
    harness.seek(1)
    harness.seek(2)
    harness.seek(3)
    #expect(harness.seen.suffix(2) == [.seek(false), .seek(false)])
    harness.advance(0.2)
    #expect(
      harness.seen.filter { if case .seek = $0 { true } else { false } } == [
        .seek(false), .seek(false), .seek(true),
      ])
  }

  @Test func aSeekWithoutAnItemFailsAtOnceAndBeforeReadinessSucceedsAtOnce() {
    let harness = EngineHarness()
    harness.seek(1)
    #expect(harness.seen == [.seek(false)])
    harness.add(frames: 441_000)
    harness.seek(3)
    #expect(harness.seen == [.seek(false), .seek(true)])
    harness.engine.setRate(1)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 132_300..<441_000))
  }

  @Test func aSeekBeyondTheEndGoesToTheEnd() {
    let harness = EngineHarness()
    harness.add(frames: 44_100, 44_100)
    harness.engine.setRate(1)
    harness.advance(0.2)
    harness.seek(99)
    harness.advance(0.1)
    #expect(harness.seen.contains(.seek(true)))
    harness.playOut()
    expectSame(Array(harness.heard.suffix(44_100)), EngineHarness.sound(2, 0..<44_100))
  }

  @Test func seeksWhilePausedCallTheObserverAndStayPaused() {
    let harness = EngineHarness()
    harness.add(frames: 441_000)
    _ = harness.observe()
    harness.advance(0.1)
    harness.seek(5)
    harness.advance(0.1)
    harness.seek(2.345678)
    harness.advance(5)
    #expect(harness.steps == [500])
    #expect(
      harness.seen.contains { if case .time(let time) = $0 { abs(time - 2.345678) < 1e-4 } else { false } })
    #expect(harness.heard.isEmpty)
    harness.engine.setRate(1)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 103_444..<441_000))
  }

  @Test func skippingIsHeardAtOnce() {
    let harness = EngineHarness()
    harness.add(frames: 441_000, 30_000, 30_000)
    harness.engine.setRate(1)
    harness.advance(1)
    let before = harness.heard.count
    harness.engine.advanceToNextItem()
    #expect(harness.story.last == .item(2) || harness.engine.currentItem != nil)
    harness.playOut()
    let heard = harness.heard
    expectSame(
      Array(heard.suffix(60_000)), EngineHarness.sound(2, 0..<30_000) + EngineHarness.sound(3, 0..<30_000))
    #expect(heard.count - 60_000 <= before + 4410)
  }

  @Test func removingEverythingStopsTheSound() {
    let harness = EngineHarness()
    harness.add(frames: 441_000, 441_000)
    harness.engine.setRate(1)
    harness.advance(1)
    harness.engine.removeAllItems()
    harness.advance(0.2)
    let count = harness.heard.count
    harness.advance(2)
    #expect(harness.heard.count == count)
    #expect(harness.engine.currentItem == nil && harness.engine.items.isEmpty)
    #expect(harness.engine.timeControl == .waiting(.noItemToPlay))
  }

  @Test func boundariesFireInPlayAndNotBySeeks() {
    let harness = EngineHarness()
    harness.add(frames: 441_000)
    _ = harness.observe(boundaries: [CMTime(value: 1, timescale: 1), CMTime(value: 3, timescale: 1)])
    harness.engine.setRate(1)
    harness.advance(0.5)
    harness.seek(2)
    harness.advance(0.5)
    #expect(!harness.seen.contains(.boundary))
    harness.advance(1)
    #expect(harness.seen.filter { $0 == .boundary }.count == 1)
  }

  /// Files joined to one announce the length of the first.
  @Test(arguments: [2.5, 10]) func anAnnouncedLengthThatIsPassedDoesNotLimitSeeks(target: Double) {
    let harness = EngineHarness()
    harness.add(SyntheticMedia(number: 1, frames: 4_410_000, announced: .exact(88_200)))
    harness.engine.setRate(1)
    harness.advance(3)
    harness.seek(target)
    harness.advance(0.1)
    let seconds = harness.engine.currentTime?.seconds ?? 0
    #expect((target...target + 0.1).contains(seconds), "\(seconds)")
  }
}
