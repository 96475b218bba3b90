import ControlProtocol
import SystemSupport
import Testing

@testable import Jukebox

@Suite(.timeLimit(.minutes(10)))
struct SongMetadataTests {
  @Test func knowsNothingOfItself() {
    let metadata = SongMetadata()
    #expect(metadata.duration == nil && metadata.modified == nil)
    #expect(metadata.sampleRate == nil && metadata.channels == nil && metadata.tags.isEmpty)
  }

  /// Lengths on both sides of where their coding takes another byte.
  @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152])
  func givesBackAValueOfAnyLength(length: Int) {
    let value = String(repeating: "x", count: length)
    let tags = [SongTag(.title, Argument(value)), SongTag(.album, "behind it")]
    let metadata = SongMetadata(duration: 1, tags: tags)
    #expect(metadata.tags == tags)
    #expect(metadata == SongMetadata(duration: 1, tags: tags))
    #expect(metadata != SongMetadata(duration: 1, tags: tags.reversed()))
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func givesBackWhatItWasMadeOf(seed: UInt64) {
    var random = SplitMix64(state: seed)
    for _ in 0..<100 {
      let duration = Bool.random(using: &random) ? Double.random(in: 0...1e9, using: &random) : nil
      let modified = Bool.random(using: &random) ? Int64.random(in: -1...(1 << 40), using: &random) : nil
      let rate = Bool.random(using: &random) ? Int.random(in: 1...192_000, using: &random) : nil
      let channels = Bool.random(using: &random) ? Int.random(in: 1...255, using: &random) : nil
      let tags = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        SongTag(
          TagType.allCases.randomElement(using: &random) ?? .title,
          Argument(String(repeating: "ü三x", count: Int.random(in: 0...60, using: &random))))
      }
      let metadata = SongMetadata(
        duration: duration, modified: modified, sampleRate: rate, channels: channels, tags: tags)
      #expect(metadata.duration == duration && metadata.modified == modified, "seed \(seed)")
      #expect(metadata.sampleRate == rate && metadata.channels == channels, "seed \(seed)")
      #expect(metadata.tags == tags, "seed \(seed)")
    }
  }

  @Test func takesNoImpossibleNumberForKnown() {
    let metadata = SongMetadata(duration: .nan, sampleRate: -1, channels: 0)
    #expect(metadata.duration == nil && metadata.sampleRate == nil && metadata.channels == nil)
    #expect(SongMetadata(sampleRate: .max).sampleRate == Int(UInt32.max))
    #expect(SongMetadata(channels: .max).channels == 255)
  }
}
