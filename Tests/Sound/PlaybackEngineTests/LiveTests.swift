import AudioCore
import MediaTime
import TestSupport
import Testing

@testable import PlaybackEngine

/// Live streams: no end, no places, titles when they are heard, and nothing old behind a long pause.
@Suite(.timeLimit(.minutes(10)))
struct LiveTests {
  private func play(_ harness: EngineHarness, seconds: Int64 = 5) -> (media: LiveMedia, id: ItemID) {
    let media = LiveMedia(number: 1)
    media.send(seconds * 44_100)
    let id = ItemID.next()
    #expect(harness.engine.insert(id, source: media))
    harness.engine.setRate(1)
    return (media, id)
  }

  private func sound(_ range: Range<Int64>) -> [Float] { EngineHarness.sound(1, range) }

  @Test func itHasNoLengthAndNoPlacesAndNoEnd() {
    let harness = EngineHarness()
    let (media, id) = play(harness)
    harness.advance(2)
    #expect(harness.engine.info(of: id)?.live?.name == "Lab")
    #expect(harness.engine.info(of: id)?.duration.isIndefinite == true)
    harness.seek(1)
    #expect(harness.seen.last == .seek(false))
    harness.advance(13)
    #expect(harness.engine.timeControl == .waiting(.toMinimizeStalls))
    #expect(harness.engine.currentTime?.seconds == 5)
    media.send(5 * 44_100)
    harness.advance(6)
    #expect(harness.engine.currentItem == id && harness.engine.currentTime?.seconds == 10)
    expectSame(harness.heard, sound(0..<441_000))
  }

  @Test(arguments: [false, true])
  func aShortPauseGoesOnWithTheNextFrame(isSuspension: Bool) {
    let harness = EngineHarness()
    let (media, _) = play(harness)
    harness.advance(2)
    if isSuspension { harness.engine.suspend() } else { harness.engine.setRate(0) }
    harness.advance(9)
    #expect(media.holds == [true])
    if isSuspension { harness.engine.resume() } else { harness.engine.setRate(1) }
    harness.advance(6)
    #expect(media.holds == [true, false])
    expectSame(harness.heard, sound(0..<220_500))
  }

  @Test(arguments: [false, true])
  func behindALongPauseNothingOldIsHeardAndThePlaceGoesOn(isSuspension: Bool) {
    let harness = EngineHarness()
    let (media, _) = play(harness)
    harness.advance(2)
    if isSuspension { harness.engine.suspend() } else { harness.engine.setRate(0) }
    harness.advance(1)
    let heard = Int64(harness.heard.count)
    let place = harness.engine.currentTime?.seconds ?? 0
    harness.advance(299)
    // What the source forgets is its own affair; the engine has decoded ahead of it.
    media.forget()
    media.send(88_200)
    if isSuspension { harness.engine.resume() } else { harness.engine.setRate(1) }
    harness.advance(0.5)
    #expect(harness.engine.timeControl == .playing)
    harness.advance(5)
    expectSame(harness.heard, sound(0..<heard) + sound(220_500..<308_700))
    #expect(abs((harness.engine.currentTime?.seconds ?? 0) - place - 2) < 0.001)
    #expect(!harness.seen.contains(.jumped(-1)))
  }

  @Test func itIsLetGoOfAsSoonAsItLeavesTheQueue() {
    let harness = EngineHarness()
    let (media, _) = play(harness)
    harness.advance(1)
    #expect(media.openDecoders == 1)
    harness.engine.removeAllItems()
    harness.advance(0.01)
    #expect(media.openDecoders == 0)
  }

  @Test func titlesAreToldWhenTheirFirstFrameIsHeardAndNoneTwice() {
    let harness = EngineHarness()
    let (media, id) = play(harness, seconds: 1)
    for (title, frame) in [("a", 0), ("b", 66_150), ("b", 70_000), ("c", 132_300)] {
      media.say(title, at: Int64(frame))
    }
    media.send(4 * 44_100)
    _ = harness.observe()
    harness.advance(6)
    let told = harness.seen.filter { if case .title = $0 { true } else { false } }
    #expect(told == [.title("a", 0), .title("b", 1.5), .title("c", 3)])
    // In the order of time with the steps.
    let around = harness.seen.filter { [.title("b", 1.5), .step(149), .step(150)].contains($0) }
    #expect(around == [.step(149), .title("b", 1.5), .step(150)])
    #expect(harness.steps == Array(0...500) && harness.engine.currentItem == id)
  }

  @Test func aTitleThatWasDecodedButNotHeardIsToldBehindAPause() {
    let harness = EngineHarness()
    let (media, _) = play(harness, seconds: 4)
    media.say("a", at: 0)
    media.say("b", at: 110_250)
    harness.advance(2)
    harness.engine.setRate(0)
    harness.advance(5)
    harness.engine.setRate(1)
    harness.advance(4)
    let told = harness.seen.filter { if case .title = $0 { true } else { false } }
    #expect(told.first == .title("a", 0) && told.last == .title("b", 2.5) && told.count == 2)
  }
}
