import AudioCore
import Foundation
import SoundFileDecoding
import TestSupport
import Testing

@testable import MP3Decoding

extension MP3DecodingTests {
  /// What a source may do to the decoder.
  @Suite struct Source {
    @Test("Short reads make no difference", arguments: [1, 2, 3, 417, 4096])
    func shortReads(longest: Int) throws {
      let bytes = try Fixture.bytes("vbr-44100-stereo.mp3")
      let expected = try samples(of: decoder(bytes))
      let source = ScriptedSource(bytes)
      source.longestRead = longest
      let decoder = try decoder(of: source)
      try expectSame(samples(of: decoder), expected)
      _ = try decoder.seek(toFrame: 40_000)
      try expectSame(samples(of: decoder), Array(expected[80_000...]))
    }

    @Test("An interrupted read is repeated")
    func interruptedReads() throws {
      let path = try Fixture.path("vbr-44100-stereo.mp3")
      let calls = Counter()
      let source = try FileByteSource(path: Array(path.utf8)) { descriptor, buffer, offset in
        calls.value += 1
        guard calls.value % 3 == 0 else { return -Int(EINTR) }
        // Short on top.
        let result = pread(descriptor, buffer.baseAddress, min(buffer.count, 1000), off_t(offset))
        return result >= 0 ? result : -Int(errno)
      }
      try expectSame(samples(of: decoder(of: source)), samples(of: AudioFile(path: path).makeDecoder()))
      #expect(calls.value > 30)
    }

    @Test("A read error is the item's, with its own words, after what was decoded before")
    func readErrors() throws {
      let bytes = try Fixture.bytes("noinfo-cbr.mp3")
      let source = ScriptedSource(bytes)
      let decoder = try decoder(of: source)
      source.failsFrom = 20_000
      let (frames, error) = framesUntilError(decoder, reading: 8192)
      // The window had read ahead by then.
      #expect(error?.reason == .unreadable)
      #expect(error?.message == "scripted")
      #expect(frames > 40 * 1152)
      #expect(decodingError { _ = try samples(of: decoder) } == error)
    }

    @Test("A source of unknown length is played; its length comes out at the end")
    func unknownLength() throws {
      let bytes = try Fixture.bytes("noinfo-vbr.mp3")
      let source = ScriptedSource(bytes)
      source.size = nil
      let decoder = try decoder(of: source)
      #expect(decoder.frameCount == .unknown)
      try expectSame(samples(of: decoder), samples(of: MP3DecodingTests.Source.fresh(bytes)))
      #expect(decoder.frameCount == .exact(78 * 1152))
    }

    @Test(
      "A file that grows while it plays is played as far as it was when it was opened",
      arguments: ["vbr-44100-stereo.mp3", "noinfo-vbr.mp3", "noinfo-cbr.mp3", "id3v1.mp3"])
    func growingFile(name: String) throws {
      let bytes = try Fixture.bytes(name)
      for length in stride(from: bytes.count / 2, to: bytes.count / 2 + 900, by: 127) {
        let source = ScriptedSource(bytes)
        source.size = Int64(length)
        let expected = try samples(of: decoder(Array(bytes.prefix(length))))
        try expectSame(samples(of: decoder(of: source)), expected)
      }
    }

    private static func fresh(_ bytes: [UInt8]) throws -> any AudioDecoder { try decoder(bytes) }

    @Test("A sparse file of 8 EiB does no harm", arguments: ["vbr-44100-stereo.mp3", "noinfo-vbr.mp3"])
    func absurdLength(name: String) throws {
      let source = ScriptedSource(try Fixture.bytes(name))
      let sound = try samples(of: decoder(of: source))
      source.size = .max
      #expect(try MetadataReader.read(source).frameCount.value ?? 0 > 0)
      let decoder = try decoder(of: source)
      #expect(decoder.frameCount.value ?? 0 > 0)
      try expectSame(samples(of: decoder, channels: 2, limit: sound.count / 2), sound)
      let error = decodingError { _ = try decoder.seek(toFrame: .max) }
      // Behind an announced end, zeros are the end; without one, they are junk.
      #expect(error?.reason == (name.hasPrefix("noinfo") ? .decodeFailed : nil))
      #expect(source.bytesRead < 16 << 20)
    }

    @Test func errorsWhileOpening() throws {
      let source = ScriptedSource(try Fixture.bytes("noinfo-cbr.mp3"))
      source.failsFrom = 0
      #expect(decodingError { _ = try decoder(of: source) }?.reason == .unreadable)
      source.failsFrom = 200
      #expect(decodingError { _ = try decoder(of: source) }?.message == "scripted")
      let path = try Fixture.path("noinfo-cbr.mp3")
      let failing = try FileByteSource(path: Array(path.utf8)) { _, _, _ in -Int(EIO) }
      #expect(decodingError { _ = try decoder(of: failing) }?.reason == .unreadable)
    }

    @Test("Few calls: a file is read in windows of 32 KiB")
    func windows() throws {
      let calls = Counter()
      let source = try FileByteSource(path: Array(Fixture.path("cbr-44100-stereo.mp3").utf8)) {
        descriptor, buffer, offset in
        calls.value += 1
        return pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      }
      _ = try samples(of: decoder(of: source))
      #expect(calls.value < 12)
    }

    private final class Counter { var value = 0 }
  }
}
