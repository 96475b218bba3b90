import AudioCore
import AudioOutput
import MediaTime
import TestSupport
import Testing

@testable import PlaybackEngine

/// Media whose bytes are not there yet: nothing blocks, and what is heard is the item, whenever its bytes come.
@Suite(.timeLimit(.minutes(10)))
struct WaitingTests {
  private func add(
    _ harness: EngineHarness, frames: Int64 = 441_000, startSeconds: Double = 0
  ) -> (media: SlowMedia, id: ItemID) {
    let media = SlowMedia(SyntheticMedia(number: 1, frames: frames))
    let id = ItemID.next()
    #expect(harness.engine.insert(id, source: media, startSeconds: startSeconds))
    return (media, id)
  }

  /// Each hundredth of ten seconds once, in order.
  private func expectSteps(_ harness: EngineHarness, sourceLocation: SourceLocation = #_sourceLocation) {
    let steps = harness.steps
    let first = zip(steps, 0...).first { $0 != $1 }
    #expect(
      first == nil, "step \(first?.0 ?? 0) in place of \(first?.1 ?? 0)", sourceLocation: sourceLocation)
    #expect(steps.count == 1000, sourceLocation: sourceLocation)
  }

  @Test func anItemThatCannotBeOpenedYetIsWaitedFor() {
    let harness = EngineHarness()
    let (media, _) = add(harness)
    harness.engine.setRate(1)
    harness.advance(5)
    #expect(!harness.seen.contains(.ready(-1)))
    #expect(harness.heard.isEmpty)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    media.receive(441_000)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
  }

  @Test(arguments: QueuePlaybackTests.living)
  func whatRunsDryGoesOnWithTheVeryNextFrame(_ name: String) {
    let harness = EngineHarness(QueuePlaybackTests.personality(name))
    let (media, _) = add(harness)
    _ = harness.observe()
    media.receive(100_000)
    harness.engine.setRate(1)
    harness.advance(10)
    // One device never says that it stands.
    if name != "never acknowledges the end" {
      #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
      #expect(harness.seen.contains(.stalled(-1)))
    }
    let place = harness.engine.currentTime?.seconds ?? 0
    #expect(abs(place - 100_000.0 / 44_100) < 0.001)
    media.receive(100_000)
    harness.advance(1)
    #expect(harness.engine.timeControl == .playing)
    media.receive(241_000)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
    expectSteps(harness)
  }

  @Test(arguments: Rounds.seeds(5))
  func bytesMayComeAtAnyMoment(seed: UInt64) {
    var random = RandomSource(seed: seed)
    let harness = EngineHarness()
    let (media, _) = add(harness)
    _ = harness.observe()
    harness.engine.setRate(1)
    var left: Int64 = 441_000
    while left > 0 {
      harness.advance(Double.random(in: 0...0.6, using: &random))
      let count = min(left, Int64.random(in: 1...30_000, using: &random))
      media.receive(count)
      left -= count
    }
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
    expectSteps(harness)
  }

  @Test func aSeekIntoWhatIsThereIsServedWhileReadingWaits() {
    let harness = EngineHarness()
    let (media, _) = add(harness)
    media.receive(100_000)
    harness.engine.setRate(1)
    harness.advance(5)
    harness.seek(1)
    harness.advance(0.5)
    #expect(harness.seen.contains(.seek(true)))
    harness.advance(5)
    let tail = EngineHarness.sound(1, 44_100..<100_000)
    expectSame(Array(harness.heard.suffix(tail.count)), tail)
  }

  @Test func aSeekBeyondWhatIsThereIsOverWhenItsPlaceCame() {
    let harness = EngineHarness()
    let (media, _) = add(harness)
    media.receive(100_000)
    harness.engine.setRate(1)
    harness.advance(1)
    harness.seek(8)
    harness.advance(5)
    #expect(!harness.seen.contains(.seek(true)))
    #expect(harness.engine.currentTime?.seconds == 8)
    media.receive(100_000)
    harness.advance(5)
    #expect(!harness.seen.contains(.seek(true)))
    media.receive(241_000)
    harness.playOut()
    #expect(harness.seen.contains(.seek(true)))
    let tail = EngineHarness.sound(1, 352_800..<441_000)
    expectSame(Array(harness.heard.suffix(tail.count)), tail)
  }

  @Test func anotherSeekTakesThePlaceOfOneThatWaits() {
    let harness = EngineHarness()
    let (media, _) = add(harness)
    media.receive(100_000)
    harness.engine.setRate(1)
    harness.advance(1)
    harness.seek(8)
    harness.advance(1)
    harness.seek(0.5)
    #expect(harness.seen.contains(.seek(false)))
    harness.advance(0.5)
    #expect(harness.seen.contains(.seek(true)))
    media.receive(441_000)
    harness.playOut()
    let tail = EngineHarness.sound(1, 22_050..<441_000)
    expectSame(Array(harness.heard.suffix(tail.count)), tail)
  }

  @Test func aStartInTheMiddleWaitsForItsPlace() {
    let harness = EngineHarness()
    let (media, _) = add(harness, startSeconds: 5)
    harness.engine.setRate(1)
    media.receive(100_000)
    harness.advance(1)
    #expect(harness.heard.isEmpty)
    media.receive(341_000)
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 220_500..<441_000))
  }

  @Test(arguments: [0, 50_000])
  func whatWaitsCanBeSkippedAtOnce(there: Int64) {
    let harness = EngineHarness()
    let (media, _) = add(harness)
    harness.add(SyntheticMedia(number: 2, frames: 44_100))
    if there > 0 { media.receive(there) }
    harness.engine.setRate(1)
    harness.advance(3)
    harness.engine.advanceToNextItem()
    harness.advance(0.2)
    #expect(harness.engine.timeControl == .playing)
    harness.playOut()
    expectSame(
      harness.heard, EngineHarness.sound(1, 0..<there) + EngineHarness.sound(2, 0..<44_100))
  }

  @Test func theNextItemIsWaitedForBehindTheOneBeforeIt() {
    let harness = EngineHarness()
    harness.add(SyntheticMedia(number: 2, frames: 441_000))
    let (media, _) = add(harness, frames: 88_200)
    harness.engine.setRate(1)
    harness.advance(9.9)
    #expect(harness.engine.timeControl == .playing)
    media.receive(88_200)
    harness.playOut()
    expectSame(
      harness.heard, EngineHarness.sound(2, 0..<441_000) + EngineHarness.sound(1, 0..<88_200))
    #expect(!harness.seen.contains(.stalled(-1)))
  }

  /// A short item that was decoded to its end long before it is heard, while its successor is being opened.
  @Test func aShortRemoteItemIsOpenedOnce() {
    let harness = EngineHarness()
    let openings = Countdown(1)
    var short = SyntheticMedia(number: 3, frames: 10_000)
    (short.isRemote, short.openings) = (true, openings)
    harness.add(SyntheticMedia(number: 2, frames: 44_100))
    harness.add(short)
    let (media, _) = add(harness, frames: 88_200)
    harness.engine.setRate(1)
    harness.advance(0.5)
    #expect(openings.count == 0)
    media.receive(88_200)
    harness.playOut()
    #expect(openings.count == 0 && !harness.seen.contains(.failed(3)))
    expectSame(
      harness.heard,
      EngineHarness.sound(2, 0..<44_100) + EngineHarness.sound(3, 0..<10_000)
        + EngineHarness.sound(1, 0..<88_200))
  }

  @Test func suspensionWhileItWaits() {
    let harness = EngineHarness()
    let (media, _) = add(harness)
    media.receive(50_000)
    harness.engine.setRate(1)
    harness.advance(3)
    harness.engine.suspend()
    harness.advance(1)
    media.receive(391_000)
    harness.advance(60)
    expectSame(harness.heard, EngineHarness.sound(1, 0..<50_000))
    harness.engine.resume()
    harness.playOut()
    expectSame(harness.heard, EngineHarness.sound(1, 0..<441_000))
  }

  @Test func anItemThatIsLostWhileItIsWaitedForFails() {
    let harness = EngineHarness()
    let (unopened, _) = add(harness)
    let (broken, _) = add(harness)
    harness.add(SyntheticMedia(number: 3, frames: 44_100))
    harness.engine.setRate(1)
    harness.advance(1)
    unopened.fail()
    broken.receive(20_000)
    harness.advance(3)
    broken.fail()
    harness.playOut()
    expectSame(
      harness.heard, EngineHarness.sound(1, 0..<20_000) + EngineHarness.sound(3, 0..<44_100))
    #expect(harness.story.contains(.failed(-1)))
    #expect(harness.story.contains(.broke(-1)))
  }

  @Test func atAnotherSpeedItGoesOn() {
    let harness = EngineHarness()
    let (media, _) = add(harness)
    media.receive(100_000)
    harness.engine.setRate(2)
    harness.advance(5)
    media.receive(341_000)
    harness.playOut()
    #expect(abs(harness.heard.count - 220_500) <= 2)
  }

  @Test func closingWhileItWaitsLetsGoOfTheMedium() {
    weak var waiting: SlowMedia?
    weak var opening: SlowMedia?
    do {
      let harness = EngineHarness()
      let (media, _) = add(harness)
      waiting = media
      media.receive(1000)
      harness.engine.setRate(1)
      harness.advance(1)
      let other = EngineHarness()
      opening = add(other).media
      other.engine.setRate(1)
      other.advance(1)
      harness.engine.close()
      other.engine.close()
    }
    #expect(waiting == nil)
    #expect(opening == nil)
  }
}
