import AudioCore
import TestSupport
import Testing

@testable import MP3Decoding

extension MP3DecodingTests {
  /// Bytes that are not there yet: the samples are the same, and nothing blocks.
  @Suite struct Waiting {
    private func check(
      _ bytes: [UInt8], largest: Int, seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation
    )
      throws
    {
      let linear = try samples(of: decoder(bytes))
      let source = SlowSource(bytes, largest: largest, seed: seed)
      let decoder = try source.open()
      try expectSame(source.samples(of: decoder), linear, sourceLocation: sourceLocation)
      let length = Int64(linear.count / decoder.format.channelCount)
      #expect(decoder.frameCount == .exact(length), sourceLocation: sourceLocation)
    }

    @Test("Pieces of any size give the samples of a file that is there", arguments: Fixture.all)
    func pieces(name: String) throws {
      let bytes = try Fixture.bytes(name)
      for (index, largest) in [1, 7, 100, 417, 4096, 65_536].enumerated() {
        try check(bytes, largest: largest, seed: UInt64(index))
      }
    }

    @Test("Long files, too", arguments: LongFile.all)
    func longFiles(file: LongFile) throws {
      try check(file.bytes(), largest: 65_536, seed: 3)
    }

    @Test("Damaged, concatenated and tagged files, too")
    func oddFiles() throws {
      let first = try Fixture.bytes("cbr-44100-stereo.mp3")
      let second = try Fixture.bytes("mpeg2-22050-stereo.mp3")
      var holed = first
      for index in 10_000..<14_000 { holed[index] = 0 }
      var flipped = first
      var random = RandomSource(seed: 8)
      for _ in 0..<40 { flipped[Int.random(in: 1000..<flipped.count, using: &random)] ^= 0x55 }
      let junk = (0..<40_000).map { _ in UInt8.random(in: 0...255, using: &random) }
      let tagged = try Fixture.bytes("id3v24-cover.mp3")
      for bytes in [
        holed, flipped, first + second + first, Array(first.prefix(20_000)), first + junk, junk + first,
        tagged + tagged, layer1(frames: 60, seed: 1),
      ] {
        for (index, largest) in [1, 200, 20_000].enumerated() {
          try check(bytes, largest: largest, seed: UInt64(index))
        }
      }
    }

    @Test("A source that does not know its length")
    func unknownLength() throws {
      let bytes = try Fixture.bytes("noinfo-vbr.mp3")
      let linear = try samples(of: decoder(bytes))
      let source = SlowSource(bytes, largest: 2000)
      source.size = nil
      let decoder = try source.open()
      #expect(decoder.frameCount == .unknown)
      try expectSame(source.samples(of: decoder), linear)
      #expect(decoder.frameCount == .exact(Int64(linear.count / 2)))
    }

    @Test(
      "Seeks while it waits are exact, in what is there and beyond",
      arguments: [
        "cbr-44100-stereo.mp3", "noinfo-vbr.mp3", "free-32000-stereo.mp3", "layer2-48000-stereo.mp2",
        "mpeg2-24000-vbr.mp3", "mpeg25-8000-mono.mp3",
      ])
    func seeks(name: String) throws {
      let bytes = try Fixture.bytes(name)
      let linear = try samples(of: decoder(bytes))
      var random = RandomSource(seed: 21)
      for seed in 0..<20 {
        let source = SlowSource(bytes, largest: 3000, seed: UInt64(seed))
        let decoder = try source.open()
        let channels = decoder.format.channelCount
        for _ in 0..<6 {
          // Given up again, as an impatient listener does.
          _ = try decoder.seek(toFrame: Int64.random(in: 0..<Int64(linear.count / channels), using: &random))
          let target = Int.random(in: 0..<(linear.count / channels), using: &random)
          let count = min(Int.random(in: 1...5000, using: &random), linear.count / channels - target)
          #expect(try source.seek(decoder, to: Int64(target)) == Int64(target))
          let read = try source.samples(of: decoder, limit: count)
          let isSame = same(read, linear[(target * channels)..<((target + count) * channels)])
          try #require(isSame, "\(count) frames from \(target)")
        }
      }
    }

    @Test("While a seek looks for its place there is nothing to read; another one takes its place")
    func seekBeyond() throws {
      let bytes = try Fixture.bytes("noinfo-cbr.mp3")
      let linear = try samples(of: decoder(bytes))
      let source = SlowSource(bytes, largest: 5000)
      let decoder = try source.open()
      #expect(try decoder.seek(toFrame: 80_000) == nil)
      var buffer = [Float](repeating: 0, count: 200)
      let read = try buffer.withUnsafeMutableBufferPointer { try decoder.read(into: $0) }
      #expect(read == .waiting)
      let before = source.count
      #expect(try decoder.seek(toFrame: 500) == 500)
      try expectSame(source.samples(of: decoder, limit: 500), Array(linear[1000..<2000]))
      #expect(source.count == before)
      #expect(try source.seek(decoder, to: 1 << 40) == Int64(linear.count / 2))
      #expect(source.count == bytes.count)
      #expect(try source.samples(of: decoder).isEmpty)
    }

    @Test("A precise duration is waited for")
    func preciseDuration() throws {
      let bytes = try Fixture.bytes("noinfo-vbr.mp3")
      let source = SlowSource(bytes, largest: 1000)
      let decoder = try source.open(options: .init(preciseDuration: true))
      #expect(source.count == bytes.count)
      #expect(decoder.frameCount == .exact(78 * 1152))
      try expectSame(source.samples(of: decoder), samples(of: MP3DecodingTests.Waiting.fresh(bytes)))
    }

    private static func fresh(_ bytes: [UInt8]) throws -> any AudioDecoder { try decoder(bytes) }

    @Test(
      "A tag at the beginning is not asked for: what is wanted begins behind it", arguments: [false, true])
    func leadingTag(hasFooter: Bool) throws {
      let length = 1 << 20
      var tag = Array("ID3".utf8) + [4, 0, hasFooter ? 0x10 : 0]
      tag += [
        UInt8(length >> 21), UInt8(length >> 14 & 0x7F), UInt8(length >> 7 & 0x7F), UInt8(length & 0x7F),
      ]
      tag += [UInt8](repeating: 0xFF, count: length + (hasFooter ? 10 : 0))
      let sound = try Fixture.bytes("cbr-44100-stereo.mp3")
      let source = SlowSource(tag + sound, largest: 500)
      let decoder = try source.open()
      #expect(source.wishes == [Int64(tag.count)])
      try expectSame(source.samples(of: decoder), samples(of: MP3DecodingTests.Waiting.fresh(sound)))
      #expect(source.count < sound.count + 1000)
      #expect(decoder.damage == 0)
    }

    @Test("A seek says from where on it reads")
    func wishes() throws {
      let bytes = try Fixture.bytes("noinfo-cbr.mp3")
      let source = SlowSource(bytes)
      let decoder = try source.open()
      _ = try source.samples(of: decoder)
      _ = try decoder.seek(toFrame: 60 * 1152)
      _ = try source.samples(of: decoder, limit: 1)
      let wish = try #require(source.wishes.last)
      // Frame 48, from which on the run-up is decoded.
      #expect((19_900...20_100).contains(wish))
    }

    @Test("A source that fails while it is waited for fails what was asked: opening, reading, a seek")
    func failures() throws {
      let bytes = try Fixture.bytes("noinfo-cbr.mp3")
      let empty = SlowSource(bytes)
      let opening = MP3Opening(source: empty)
      #expect(try opening.decode() == nil)
      empty.fails = true
      #expect(decodingError { _ = try opening.decode() }?.message == "lost")

      let source = SlowSource(bytes, largest: 4000)
      let decoder = try source.open()
      _ = try source.samples(of: decoder, limit: 5 * 1152)
      source.fails = true
      let (frames, error) = framesUntilError(decoder, reading: 1000)
      #expect(frames >= 0)
      #expect(error?.message == "lost")

      let other = SlowSource(bytes, largest: 4000)
      let seeking = try other.open()
      #expect(try seeking.seek(toFrame: 70_000) == nil)
      other.fails = true
      #expect(decodingError { _ = try seeking.seek(toFrame: 70_000) }?.message == "lost")
    }

    @Test("Letting go of what waits lets go of its source")
    func closing() throws {
      weak var source: SlowSource?
      do {
        let slow = SlowSource(try Fixture.bytes("noinfo-cbr.mp3"), largest: 3000)
        source = slow
        let decoder = try slow.open()
        #expect(try decoder.seek(toFrame: 80_000) == nil)
        #expect(try MP3Opening(source: SlowSource([1, 2, 3])).decode() == nil)
      }
      #expect(source == nil)
    }

    @Test(
      "A tag between two files that is longer than the search for a frame", arguments: ["ID3", "APETAGEX"])
    func longTagInBetween(kind: String) throws {
      let length = 5 << 20
      var tag: [UInt8]
      if kind == "ID3" {
        tag = Array("ID3".utf8) + [3, 0, 0]
        tag += [
          UInt8(length >> 21), UInt8(length >> 14 & 0x7F), UInt8(length >> 7 & 0x7F), UInt8(length & 0x7F),
        ]
      } else {
        tag = Array("APETAGEX".utf8) + [0xD0, 7, 0, 0]
        tag +=
          (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + [UInt8](repeating: 0, count: 16)
      }
      tag += [UInt8](repeating: 0, count: length)
      let sound = try Fixture.bytes("noinfo-cbr.mp3")
      let source = SlowSource(sound + tag + sound)
      let decoder = try source.open()
      let read = try source.samples(of: decoder)
      #expect(read.count == 2 * 78 * 1152 * 2)
      #expect(decoder.damage == 0)
      let folder = try TemporaryFolder()
      try expectSame(read, mpg123(folder.write("file.mp3", source.bytes)))
    }
  }
}
