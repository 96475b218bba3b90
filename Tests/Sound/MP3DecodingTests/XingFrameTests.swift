import AudioCore
import TestSupport
import Testing

@testable import MP3Decoding

extension MP3DecodingTests {
  @Suite struct XingFrames {
    private static let names = ["cbr-44100-stereo.mp3", "cbr-44100-mono.mp3", "mpeg2-24000-vbr.mp3"]

    @Test("The frame states its length and table", arguments: names)
    func fields(of name: String) throws {
      let bytes = try Fixture.bytes(name)
      let frame = try #require(XingFrame(beginning: bytes))
      #expect(frame.byteCount == Int64(bytes.count) && frame.places?.count == 100)
      #expect(frame.encoder.starts(with: "LAME".utf8))
      let start = try decoder(bytes).audioStart
      let found = try #require(try XingFrame.find(in: ScriptedSource(bytes), before: start))
      #expect(found.offset == 0 && found.frame.byteCount == frame.byteCount)
    }

    @Test("At the beginning of a file, the header's version and channels decide where the mark is")
    func strictMark() throws {
      var bytes = try Fixture.bytes("cbr-44100-stereo.mp3")
      bytes[3] |= 0xC0
      #expect(XingFrame(beginning: bytes) == nil)
      #expect(try XingFrame.find(in: ScriptedSource(bytes), before: 1_000) != nil)
    }

    @Test("All lengths of a frame: a truncated field is missing")
    func truncations() throws {
      let bytes = try Fixture.bytes("cbr-44100-stereo.mp3")
      // Header and side information, mark, flags and number of frames.
      let count = 36 + 4 + 4 + 4
      for length in 0..<200 {
        let frame = XingFrame(beginning: Array(bytes.prefix(length)))
        #expect((frame != nil) == (length >= 44))
        #expect((frame?.byteCount != nil) == (length >= count + 4))
        #expect((frame?.places != nil) == (length >= count + 104))
      }
    }
  }
}
