import AudioCore
import Foundation
import SoundFileDecoding
import TestSupport
import Testing

@testable import MP3Decoding

extension MP3DecodingTests {
  /// Linear decoding is what libmpg123's own player makes of a file, bit for bit.
  @Suite struct Decoding {
    @Test("Samples are mpg123's, bit for bit", arguments: Fixture.all)
    func likeMPG123(name: String) throws {
      let expected = try mpg123(Fixture.path(name))
      try #require(!expected.isEmpty)
      let decoder = try decoder(name)
      try expectSame(samples(of: decoder), expected)
      #expect(decoder.frameCount == .exact(Int64(expected.count / decoder.format.channelCount)))
      #expect(decoder.damage == 0)
      // The end stays the end.
      #expect(try samples(of: decoder).isEmpty)
    }

    @Test("The size of the buffer makes no difference", arguments: [1, 7, 1000, 1152, 5000])
    func chunkSizes(chunk: Int) throws {
      let name = "cbr-44100-stereo.mp3"
      let frames = chunk == 1 ? 5000 : Int.max
      let expected = try samples(of: decoder(name), channels: 2, limit: frames)
      try expectSame(samples(of: decoder(name), channels: 2, chunk: chunk, limit: frames), expected)
    }

    @Test func layerI() throws {
      let folder = try TemporaryFolder()
      let bytes = layer1(frames: 60, seed: 1)
      let expected = try mpg123(folder.write("layer1.mp1", bytes))
      try #require(expected.count == 60 * 384 * 2)
      try expectSame(samples(of: decoder(bytes)), expected)
      #expect((expected.max() ?? 0) > 0.01)
    }

    @Test("An Info frame without a LAME tag gives the length and the decoder's delay")
    func infoWithoutLAME() throws {
      var bytes = try Fixture.bytes("cbr-44100-stereo.mp3")
      let lame = try #require(bytes.firstRange(of: Array("LAME".utf8)))
      for index in lame.lowerBound..<417 { bytes[index] = 0 }
      let folder = try TemporaryFolder()
      let expected = try mpg123(folder.write("file.mp3", bytes))
      let decoder = try decoder(bytes)
      #expect(decoder.frameCount == .exact(78 * 1152 - 529))
      try expectSame(samples(of: decoder), expected)
    }

    @Test(
      "Frame counts before the first read",
      arguments: [
        ("cbr-44100-stereo.mp3", FrameCount.exact(88200)), ("vbr-44100-stereo.mp3", .exact(88200)),
        ("cbr-44100-mono.mp3", .exact(52920)), ("abr-48000-stereo.mp3", .exact(57600)),
        ("free-32000-stereo.mp3", .exact(32000)), ("noinfo-cbr.mp3", .estimate(78 * 1152)),
        ("mpeg25-8000-mono.mp3", .estimate(17280)), ("layer2-48000-stereo.mp2", .estimate(57600)),
      ])
    func frameCounts(name: String, expected: FrameCount) throws {
      #expect(try decoder(name).frameCount == expected)
    }

    @Test("preciseDuration counts", arguments: ["noinfo-cbr.mp3", "noinfo-vbr.mp3", "vbr-44100-stereo.mp3"])
    func preciseDuration(name: String) throws {
      let path = try Fixture.path(name)
      let expected = try mpg123(path)
      let decoder = try AudioFile(path: path, options: .init(preciseDuration: true)).makeDecoder()
      #expect(decoder.frameCount == .exact(Int64(expected.count / 2)))
      try expectSame(samples(of: decoder), expected)
    }

    @Test("A bad estimate gets better while reading and is exact at the end")
    func estimateImproves() throws {
      let decoder = try decoder("noinfo-vbr.mp3")
      _ = try samples(of: decoder, channels: 2, limit: 45_000)
      let middle = try #require(decoder.frameCount.value)
      #expect(abs(Double(middle) / Double(78 * 1152) - 1) < 0.15)
      _ = try samples(of: decoder, channels: 2)
      #expect(decoder.frameCount == .exact(78 * 1152))
    }

    @Test("A source makes any number of decoders")
    func severalDecoders() throws {
      let file = AudioFile(path: try Fixture.path("vbr-44100-stereo.mp3"))
      let first = try file.makeDecoder()
      let head = try samples(of: first, channels: 2, limit: 10_000)
      let second = try file.makeDecoder()
      try expectSame(samples(of: second, channels: 2, limit: 10_000), head)
      let rest = try samples(of: first)
      #expect(rest.count == (88_200 - 10_000) * 2)
    }
  }
}
