import AudioCore
import SoundFileDecoding
import TestSupport
import Testing

@testable import MP3Decoding

extension MP3DecodingTests {
  /// After a seek the samples are those of linear decoding, bit for bit.
  @Suite struct Seeking {
    private func check(
      _ decoder: any AudioDecoder, against linear: [Float], seeks: Int, seed: UInt64
    ) throws {
      let channels = decoder.format.channelCount
      let length = linear.count / channels
      var random = RandomSource(seed: seed)
      for _ in 0..<seeks {
        let target = Int.random(in: 0..<length, using: &random)
        let count = min(Int.random(in: 1...3000, using: &random), length - target)
        #expect(try decoder.seek(toFrame: Int64(target)) == Int64(target))
        let read = try samples(of: decoder, channels: channels, limit: count)
        // Not inside `#require`, which would print all samples.
        let expected = linear[(target * channels)..<((target + count) * channels)]
        let isSame = same(read, expected)
        let difference = isSame ? 0 : largestDifference(read[...], expected)
        try #require(isSame, "\(count) frames from \(target), largest difference \(difference)")
      }
    }

    @Test("Many seeks in one decoder", arguments: Fixture.all)
    func manySeeks(name: String) throws {
      let linear = try samples(of: decoder(name))
      try check(decoder(name), against: linear, seeks: 60, seed: 11)
    }

    @Test("A first seek into a fresh decoder", arguments: Fixture.all)
    func freshDecoders(name: String) throws {
      let linear = try samples(of: decoder(name))
      for seed in 1...8 { try check(decoder(name), against: linear, seeks: 1, seed: UInt64(seed)) }
    }

    @Test("Seeks in a file that is longer than the run-up before a seek", arguments: LongFile.all)
    func longFiles(file: LongFile) throws {
      let bytes = try file.bytes()
      let linear = try samples(of: decoder(bytes))
      try check(decoder(bytes), against: linear, seeks: 200, seed: 17)
      for seed in 1...8 {
        try check(MP3DecodingTests.Seeking.fresh(bytes), against: linear, seeks: 1, seed: UInt64(seed))
      }
    }

    /// In MPEG 2 at 8 kbit/s and 24 kHz a frame with a checksum has one byte of main data: sound after silence comes
    /// from the bytes of 255 frames.
    @Test("Seeks where the bit reservoir is filled by 255 frames")
    func slowReservoir() throws {
      var random = RandomSource(seed: 23)
      var bytes: [UInt8] = []
      for number in 0..<1200 {
        // The reservoir is full when it is used, and empty afterwards.
        let isLoud = number % 300 == 299
        var bits: [UInt8] = []
        func append(_ value: Int, _ count: Int) {
          for shift in (0..<count).reversed() { bits.append(UInt8(value >> shift & 1)) }
        }
        append(min(number % 300, 255), 8)
        append(0, 2)
        for _ in 0..<2 {
          append(isLoud ? 900 : 0, 12)
          append(isLoud ? 100 : 0, 9)
          append(isLoud ? 190 : 0, 8)
          // No scale factors, no window switching, pairs of Huffman table 1.
          for (value, count) in [(0, 9), (0, 1), (1, 5), (1, 5), (1, 5), (7, 4), (7, 3), (0, 1), (1, 1)] {
            append(value, count)
          }
        }
        bytes += [0xFF, 0xF2, 0x14, 0x00, 0, 0]
        bytes += stride(from: 0, to: 136, by: 8).map { bits[$0..<$0 + 8].reduce(0) { $0 << 1 | $1 } }
        bytes.append(UInt8.random(in: 0...255, using: &random))
      }
      let linear = try samples(of: decoder(bytes))
      let loud = linear.indices.filter { linear[$0] != 0 }.map { $0 / 2 / 576 }
      #expect(Set([299, 599, 899, 1199]).isSubset(of: loud))
      for frame in [299, 599, 899, 1199] {
        let target = frame * 576 + 100
        let decoder = try MP3DecodingTests.Seeking.fresh(bytes)
        #expect(try decoder.seek(toFrame: Int64(target)) == Int64(target))
        let isSame = same(
          try samples(of: decoder, channels: 2, limit: 400), linear[(target * 2)..<((target + 400) * 2)])
        #expect(isSame, "frame \(frame)")
      }
    }

    @Test("Seeks after the end was reached, and after a full scan")
    func afterTheEnd() throws {
      let decoder = try AudioFile(
        path: Fixture.path("noinfo-vbr.mp3"), options: .init(preciseDuration: true)
      ).makeDecoder()
      let linear = try samples(of: decoder)
      try check(decoder, against: linear, seeks: 40, seed: 3)
    }

    @Test("At and behind the end there is nothing", arguments: ["cbr-44100-stereo.mp3", "noinfo-vbr.mp3"])
    func pastTheEnd(name: String) throws {
      let length = Int64(try samples(of: decoder(name)).count / 2)
      let decoder = try decoder(name)
      for target in [length, length + 1, length * 3, .max] {
        #expect(try decoder.seek(toFrame: target) == length)
        #expect(try samples(of: decoder).isEmpty)
      }
      #expect(decoder.frameCount == .exact(length))
      #expect(try decoder.seek(toFrame: -5) == 0)
      #expect(try decoder.seek(toFrame: length - 1) == length - 1)
      #expect(try samples(of: decoder).count == 2)
    }

    @Test("Concatenated files: all is played, as mpg123 does, and all seeks are exact")
    func concatenated() throws {
      let bytes = try Fixture.bytes("cbr-44100-stereo.mp3") + Fixture.bytes("vbr-44100-stereo.mp3")
      let folder = try TemporaryFolder()
      let expected = try mpg123(folder.write("file.mp3", bytes))
      let decoder = try decoder(bytes)
      let linear = try samples(of: decoder)
      let isSame = same(linear, expected)
      #expect(isSame)
      #expect(linear.count / 2 == 88_200 + 79 * 1152)
      #expect(decoder.frameCount == .exact(Int64(linear.count / 2)))
      try check(decoder, against: linear, seeks: 60, seed: 5)
      for seed in 1...8 {
        try check(MP3DecodingTests.Seeking.fresh(bytes), against: linear, seeks: 1, seed: UInt64(seed))
      }
    }

    private static func fresh(_ bytes: [UInt8]) throws -> any AudioDecoder { try decoder(bytes) }

    @Test("Behind the announced end of a concatenated file, without having read there")
    func behindTheAnnouncedEnd() throws {
      let bytes = try Fixture.bytes("cbr-44100-stereo.mp3") + Fixture.bytes("vbr-44100-stereo.mp3")
      let linear = try samples(of: decoder(bytes))
      for target in [88_199, 88_200, 88_201, 100_000, 179_207] {
        let decoder = try decoder(bytes)
        #expect(decoder.frameCount == .exact(88_200))
        #expect(try decoder.seek(toFrame: Int64(target)) == Int64(target))
        let isSame = same(try samples(of: decoder), linear[(target * 2)...])
        #expect(isSame, "from \(target)")
      }
    }

    @Test("A seek in a file of several formats is exact in each of them")
    func severalFormats() throws {
      let bytes =
        try Fixture.bytes("cbr-44100-stereo.mp3") + Fixture.bytes("cbr-44100-mono.mp3")
        + Fixture.bytes("noinfo-vbr.mp3")
      let linear = try samples(of: decoder(bytes))
      try check(decoder(bytes), against: linear, seeks: 60, seed: 9)
      for seed in 20...28 { try check(decoder(bytes), against: linear, seeks: 1, seed: UInt64(seed)) }
    }

    /// Behind an odd number of frames of 576 samples, frames of 1152 never find the filter bank's ring at its beginning.
    @Test("A seek in MPEG 1 behind MPEG 2 is exact where nothing is converted", arguments: [0, 157])
    func behindShortFrames(cut: Int) throws {
      let first = try Fixture.bytes("mpeg2-22050-stereo.mp3").dropLast(cut)
      let bytes = Array(first) + (try Fixture.bytes("noinfo-cbr.mp3"))
      let output = PCMFormat(sampleRate: 44_100, channelCount: 2)
      let whole = try decoder(bytes)
      try whole.setOutputFormat(output)
      let linear = try samples(of: whole, channels: 2)
      let border = try samples(of: decoder(Array(first))).count / 2
      let decoder = try decoder(bytes)
      try decoder.setOutputFormat(output)
      var random = RandomSource(seed: 12)
      for _ in 0..<60 {
        let target = border + Int.random(in: 0..<(77 * 576), using: &random)
        #expect(try decoder.seek(toFrame: Int64(target)) == Int64(target))
        let read = try samples(of: decoder, channels: 2, limit: 1000)
        let isSame = same(read, linear[(target * 4)..<(target * 4 + 2000)])
        let difference = largestDifference(read[...], linear[(target * 4)...])
        try #require(isSame, "from \(target), \(target - border) behind the border, largest \(difference)")
      }
    }
  }
}
