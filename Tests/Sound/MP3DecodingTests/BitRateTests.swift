import AudioCore
import TestSupport
import Testing

@testable import MP3Decoding

extension MP3DecodingTests {
  /// What a decoder says of the bit rate of what it has read.
  @Suite struct BitRates {
    @Test(
      "Where the bit rate is constant it is that, whatever is read at a time and behind a seek",
      arguments: [
        ("noinfo-cbr.mp3", 128_000.0), ("cbr-44100-mono.mp3", 64_000), ("low-44100-stereo.mp3", 32_000),
        ("mpeg25-8000-mono.mp3", 8_000), ("layer2-48000-stereo.mp2", 128_000),
        ("free-32000-stereo.mp3", 200_000),
      ])
    func constant(name: String, bitRate: Double) throws {
      for outputRate in [nil, 44_100, 48_000] {
        let decoder = try decoder(name)
        let channels = decoder.format.channelCount
        if let outputRate {
          try decoder.setOutputFormat(PCMFormat(sampleRate: outputRate, channelCount: channels))
        }
        for (place, count) in [(0, 8_192), (7_000, 8_192), (3_000, 300), (3_300, 300)] {
          if place > 0 { _ = try decoder.seek(toFrame: Int64(place)) }
          #expect(try samples(of: decoder, channels: channels, chunk: count, limit: count).count > 0)
          let told = decoder.takeBitRate()
          #expect(abs(told - bitRate) < bitRate / 100, "\(told) at \(place) of \(name)")
        }
      }
    }

    @Test(
      "The mean bit rate: from the Info frame if it varies, otherwise from the first frame",
      arguments: [
        ("vbr-44100-stereo.mp3", 60_000...80_000), ("free-32000-stereo.mp3", 195_000...230_000),
        ("id3v1.mp3", 32_000...32_000),
      ])
    func mean(name: String, range: ClosedRange<Int>) throws {
      #expect(range.contains(try decoder(name).bitRate))
    }

    @Test("Where the bit rate changes it is that of what was read since it was asked for last")
    func changing() throws {
      let bytes = SongBytes.make(frames: 50, bitRate: 64) + SongBytes.make(frames: 50, bitRate: 256)
      let decoder = try decoder(bytes)
      var told: [Int] = []
      for _ in 0..<10 {
        _ = try samples(of: decoder, channels: 2, limit: 10 * 1152)
        told.append(Int((decoder.takeBitRate() / 1000).rounded()))
      }
      #expect(told == [64, 64, 64, 64, 64, 256, 256, 256, 256, 256])
      // Nothing was decoded since.
      #expect(Int((decoder.takeBitRate() / 1000).rounded()) == 256)
      _ = try decoder.seek(toFrame: 20 * 1152)
      _ = try samples(of: decoder, channels: 2, limit: 2 * 1152)
      #expect(Int((decoder.takeBitRate() / 1000).rounded()) == 64)
    }
  }
}
