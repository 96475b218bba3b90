import AudioCore
import MP3Decoding
import TestSupport
import Testing

@testable import SoundFileDecoding

/// Broken files: any outcome is right that is an outcome.
@Suite(.timeLimit(.minutes(10)))
struct SoundFileFuzzTests {
  @Test("Mutated files", arguments: SoundFormat.all)
  func mutated(format: SoundFormat) throws {
    let whole = try SoundMaker.bytes(
      SoundMaker.sound(frames: 10_000), format, rate: format == .opus ? 48_000 : 44_100)
    var random = RandomSource(seed: UInt64(format.code))
    for round in 0..<Rounds.count(100) {
      var bytes = whole
      for _ in 0..<random.below(12) + 1 {
        let place = random.below(round % 2 == 0 ? min(600, bytes.count) : bytes.count)
        switch random.below(5) {
        case 0: bytes[place] ^= 1 << UInt8(random.below(8))
        case 1: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + random.below(300) + 1))
        case 3: bytes.insert(contentsOf: random.bytes(random.below(100) + 1), at: place)
        default: bytes.removeLast(random.below(bytes.count) / 4)
        }
        if bytes.isEmpty { bytes = [0] }
      }
      play(bytes, &random)
    }
  }

  private func play(_ bytes: [UInt8], _ random: inout RandomSource) {
    let source = ScriptedSource(bytes)
    do {
      guard let decoder = try MediaOpening(audioIn: source, options: .init(preciseDuration: true)).proceed()
      else {
        return
      }
      #expect((1...384_000).contains(decoder.format.sampleRate))
      #expect((1...2).contains(decoder.format.channelCount))
      try decoder.setOutputFormat(PCMFormat(sampleRate: 44_100, channelCount: 2))
      _ = try samples(of: decoder, channels: 2, limit: 5000)
      for _ in 0..<3 {
        let length = Int(clamping: max(1, min(decoder.frameCount.value ?? 1000, 1 << 30)))
        let target = Int64(random.below(length + 10))
        _ = try decoder.seek(toFrame: target)
        _ = try samples(of: decoder, channels: 2, limit: 2000)
      }
    } catch let error as DecodingError {
      #expect(error.scope == .item)
    } catch {
      Issue.record("\(error)")
    }
  }
}
