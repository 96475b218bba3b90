import AudioCore
import AudioOutput
import TestSupport
import Testing

@testable import PlaybackEngine

/// Joints of the sound at rates other than 1: of an item with a late or missing successor, and of two rates.
extension RateTests {
  @Test func anItemEndsBeforeOneThatCannotBeOpened() {
    let harness = EngineHarness()
    harness.add(frames: 44_100)
    let error = DecodingError(reason: .notFound, message: "gone")
    harness.add(SyntheticMedia(number: 2, frames: 1, openError: error))
    harness.engine.setRate(2)
    harness.playOut()
    #expect(harness.seen.contains(.ended(1)) && harness.seen.contains(.failed(2)))
    #expect(harness.heard.count == 22_050)
  }

  /// Nothing of the next item is there; with `isOpen` it could be opened.
  @Test(arguments: [false, true]) func anItemEndsBeforeTheNextOneComes(isOpen: Bool) {
    let harness = EngineHarness(stretching: HoardingStretching())
    harness.add(frames: 44_100)
    let next = SlowMedia(SyntheticMedia(number: 2, frames: 1_000))
    if isOpen { next.receive(0) }
    #expect(harness.engine.insert(ItemID.next(), source: next))
    harness.engine.setRate(2)
    harness.advance(3)
    #expect(harness.seen.contains(.ended(1)) && !harness.seen.contains(.stalled(1)))
    #expect(harness.heard.count == 22_050)
    next.receive(1_000)
    harness.playOut()
    #expect(places(harness).dropFirst(22_050).map(\.frame) == Array(stride(from: 0, to: 1_000, by: 2)))
  }

  /// The next item comes when silence has already forced a part of its predecessor's last frames out of the stretcher: for
  /// some of these lengths the ring is full just then.
  @Test(arguments: Array(stride(from: Int64(120_000), to: 160_000, by: 2_000)))
  func anItemThatComesLateBeginsWithItsFirstFrame(_ frames: Int64) {
    let harness = EngineHarness(stretching: HoardingStretching())
    harness.add(frames: frames)
    let next = SlowMedia(SyntheticMedia(number: 2, frames: 20_000))
    #expect(harness.engine.insert(ItemID.next(), source: next))
    harness.engine.setRate(2)
    harness.advance(0.25)
    next.receive(20_000)
    harness.playOut()
    let second = places(harness).dropFirst(Int(frames) / 2)
    #expect(second.map(\.frame) == Array(stride(from: 0, to: 20_000, by: 2)))
  }

  /// Ring and device hold 1.3 s of it.
  @Test func aChangeBetweenTwoSpeedsFadesInAStreamOf192kHz() {
    let harness = EngineHarness(.init { $0.latency = 1 })
    harness.add(SyntheticMedia(number: 1, frames: 3_000_000, sampleRate: 192_000))
    harness.engine.setRate(1.5)
    harness.advance(4.9)
    harness.engine.setRate(2)
    harness.advance(0.1)
    let heard = harness.heard[940_799..<943_000].map { $0 * 16_777_216 }
    let mixed = zip(heard, heard.dropFirst()).count { $1 - $0 != 2 }
    #expect((1_800...1_922).contains(mixed), "\(mixed) frames are mixed")
  }
}

/// Picks frames, and gives none before 8,192 more were put than it has given, as a real stretcher keeps some back.
private struct HoardingStretching: TimeStretching {
  func prepare() throws(TimeStretchError) {}

  func makeStretcher(format: PCMFormat, pace: Pace) throws(TimeStretchError) -> any TimeStretcher {
    Stretcher(picker: try FramePicker().makeStretcher(format: format, pace: pace), speed: pace.speed)
  }

  private final class Stretcher: TimeStretcher {
    let picker: any TimeStretcher
    let speed: Double
    private var (put, given) = (0.0, 0.0)

    init(picker: any TimeStretcher, speed: Double) {
      self.picker = picker
      self.speed = speed
    }

    func put(_ frames: UnsafeBufferPointer<Float>) {
      put += Double(frames.count / 2)
      picker.put(frames)
    }

    func receive(into buffer: UnsafeMutableBufferPointer<Float>) -> Int {
      let ready = Int((put - 8_192) / speed - given)
      guard ready > 0 else { return 0 }
      let part = UnsafeMutableBufferPointer(rebasing: buffer[..<min(buffer.count, ready * 2)])
      let count = picker.receive(into: part)
      given += Double(count)
      return count
    }
  }
}
