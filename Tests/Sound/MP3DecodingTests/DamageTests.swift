import AudioCore
import Foundation
import SoundFileDecoding
import TestSupport
import Testing

@testable import MP3Decoding

extension MP3DecodingTests {
  /// Damaged files play on, files without audio are refused with a clear error.
  @Suite struct Damage {
    /// 10 s at 128 kbit/s, as 5 times 2 s without Info frame.
    private static func long() throws -> [UInt8] {
      let part = try Fixture.bytes("noinfo-cbr.mp3")
      return part + part + part + part + part
    }

    private static let frames = 5 * 78 * 1152

    private func outcome(_ bytes: [UInt8]) throws -> (frames: Int, damage: Int, decoder: MP3Decoder) {
      let decoder = try decoder(bytes)
      let frames = try samples(of: decoder).count / 2
      #expect(decoder.frameCount == .exact(Int64(frames)))
      return (frames, decoder.damage, decoder)
    }

    @Test func soundFile() throws {
      let result = try outcome(Damage.long())
      #expect(result.frames == Damage.frames)
      #expect(result.damage == 0)
    }

    @Test("60 flipped bytes: at most the frames that lost their headers are missing", arguments: 1...5)
    func flippedBytes(seed: Int) throws {
      var bytes = try Damage.long()
      var random = RandomSource(seed: UInt64(seed))
      for _ in 0..<60 {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      }
      let result = try outcome(bytes)
      #expect(result.frames > Damage.frames - 20 * 1152)
      #expect(result.frames <= Damage.frames + 1152)
    }

    @Test("A file cut in the middle plays to the cut, and what is missing is counted")
    func truncated() throws {
      let whole = try Fixture.bytes("cbr-44100-stereo.mp3")
      let linear = try samples(of: decoder(whole))
      let decoder = try decoder(Array(whole.prefix(whole.count / 2)))
      #expect(decoder.frameCount == .exact(88_200))
      let read = try samples(of: decoder)
      #expect(read.count > linear.count / 2 - 2 * 2 * 1152 && read.count < linear.count)
      expectSame(read, Array(linear[..<read.count]))
      #expect(decoder.frameCount == .exact(Int64(read.count / 2)))
      #expect(decoder.damage > 30)
    }

    @Test("4000 zero bytes over audio: 10 frames are lost, playing goes on")
    func zeroed() throws {
      var bytes = try Damage.long()
      for index in 50_000..<54_000 { bytes[index] = 0 }
      let result = try outcome(bytes)
      #expect(result.frames >= Damage.frames - 11 * 1152)
      #expect(result.frames < Damage.frames)
      #expect((3_500...4_900).contains(result.damage))
    }

    @Test("Zero bytes between frames: no frame is lost", arguments: [100, 5_000, 100_000, 900_000])
    func inserted(count: Int) throws {
      var bytes = try Damage.long()
      // Frame 120 begins 42 frames into the second part.
      let part = bytes.count / 5
      bytes.insert(contentsOf: [UInt8](repeating: 0, count: count), at: 2 * part)
      let result = try outcome(bytes)
      #expect(result.frames == Damage.frames)
      #expect(result.damage == count)
    }

    @Test("More than the limit of junk: what was decoded is delivered, then the error, and it stays")
    func tooMuchJunk() throws {
      var bytes = try Damage.long()
      bytes.insert(contentsOf: [UInt8](repeating: 0, count: 3 << 20), at: 2 * bytes.count / 5)
      let decoder = try decoder(bytes)
      let (frames, error) = framesUntilError(decoder, reading: 4096)
      #expect(frames == 2 * 78 * 1152)
      #expect(error?.scope == .item)
      #expect(error?.reason == .decodeFailed)
      #expect(decodingError { _ = try decoder.seek(toFrame: 0) } == error)
    }

    @Test("Junk behind the announced end is the end, however much there is")
    func junkBehindTheEnd() throws {
      let bytes = try Fixture.bytes("cbr-44100-stereo.mp3") + [UInt8](repeating: 0, count: 3 << 20)
      let result = try outcome(bytes)
      #expect(result.frames == 88_200)
    }

    @Test("Junk before the first frame", arguments: [1, 5_000, 500_000])
    func leadingJunk(count: Int) throws {
      let bytes = [UInt8](repeating: 0, count: count) + (try Fixture.bytes("cbr-44100-stereo.mp3"))
      let result = try outcome(bytes)
      #expect(result.frames == 88_200)
      #expect(result.damage == 0)
    }

    @Test("Tags between the files of a concatenation are not damage")
    func tagsInBetween() throws {
      let bytes =
        try Fixture.bytes("id3v1.mp3") + Fixture.bytes("id3v24-cover.mp3") + Fixture.bytes("id3v1.mp3")
      let decoder = try decoder(bytes)
      #expect(try samples(of: decoder).count == 3 * 10_368)
      #expect(decoder.damage == 0)
    }

    @Test("Seeks in a damaged file are exact but for the last bit")
    func seeksInDamage() throws {
      var bytes = try Damage.long()
      for index in 50_000..<54_000 { bytes[index] = 0 }
      let linear = try samples(of: decoder(bytes))
      let decoder = try decoder(bytes)
      var random = RandomSource(seed: 2)
      for _ in 0..<30 {
        let target = Int.random(in: 0..<(linear.count / 2), using: &random)
        #expect(try decoder.seek(toFrame: Int64(target)) == Int64(target))
        let read = try samples(of: decoder, channels: 2, limit: 2000)
        #expect(largestDifference(read[...], linear[(target * 2)...]) < 1e-6, "from \(target)")
      }
    }

    @Test("Damage is counted once, however often it is played")
    func countedOnce() throws {
      var bytes = try Damage.long()
      bytes.insert(contentsOf: [UInt8](repeating: 0, count: 1000), at: bytes.count / 5)
      let decoder = try decoder(bytes)
      for _ in 0..<3 {
        _ = try decoder.seek(toFrame: 80_000)
        _ = try samples(of: decoder, channels: 2, limit: 40_000)
      }
      #expect(decoder.damage == 1000)
    }

    // MARK: - Files that cannot be played

    private func reason(_ bytes: [UInt8], readAtMost limit: Int = 4 << 20) -> DecodingError.Reason? {
      let source = ScriptedSource(bytes)
      let error = decodingError { _ = try decoder(of: source) }
      #expect(error?.scope == .item)
      #expect(error?.message.isEmpty == false)
      #expect(source.bytesRead <= limit)
      let metadataError = decodingError { _ = try MetadataReader.read(ScriptedSource(bytes)) }
      #expect(metadataError?.reason == error?.reason)
      return error?.reason
    }

    @Test func unplayable() throws {
      var random = RandomSource(seed: 77)
      let noise = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(reason([]) == .notRecognized)
      #expect(reason([0xFF]) == .notRecognized)
      #expect(reason([0xFF, 0xFB, 0x90, 0x00]) == .notRecognized)
      #expect(reason(noise) == .notRecognized)
      #expect(reason(Array(String(repeating: "no music here\n", count: 5000).utf8)) == .notRecognized)
      #expect(reason([UInt8](repeating: 0, count: 100_000)) == .notRecognized)
      #expect(reason([UInt8](repeating: 0xFF, count: 100_000)) == .notRecognized)
      let tagged = try Fixture.bytes("id3v24-cover.mp3")
      #expect(reason(Array(tagged.prefix(tagged.count - 1800))) == .notRecognized)
      // A tag that claims more than there is.
      #expect(reason(Array("ID3".utf8) + [3, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F, 1, 2, 3]) == .notRecognized)
    }

    @Test(
      "Other formats are named", arguments: ["RIFF\0\0\0\0WAVEfmt ", "fLaC", "OggS", "\0\0\0\u{18}ftypM4A "])
    func otherFormats(beginning: String) throws {
      var bytes = Array(beginning.utf8) + [16, 0, 0, 0, 1, 0, 2, 0]
      // What follows would be found by a search.
      bytes += try Fixture.bytes("noinfo-cbr.mp3")
      #expect(reason(bytes, readAtMost: 1000) == .notRecognized)
    }

    @Test func mp3InWAV() throws {
      let header =
        Array("RIFF\0\0\0\0WAVEfmt ".utf8) + [16, 0, 0, 0, 0x55, 0, 2, 0] + [UInt8](repeating: 0, count: 12)
      let bytes = header + Array("data\0\0\0\0".utf8) + (try Fixture.bytes("noinfo-cbr.mp3"))
      #expect(try samples(of: decoder(bytes)).count == 78 * 1152 * 2)
    }

    @Test("Much of nothing is not read to its end")
    func muchOfNothing() throws {
      var random = RandomSource(seed: 5)
      var noise = [UInt8](repeating: 0, count: 12 << 20)
      for index in stride(from: 0, to: noise.count, by: 8) {
        withUnsafeBytes(of: random.next()) { word in
          for offset in 0..<8 { noise[index + offset] = word[offset] & 0xFE }
        }
      }
      #expect(reason(noise, readAtMost: 4 << 20) == .notRecognized)
      // Empty tags one after the other: each is skipped with a seek.
      var tags: [UInt8] = []
      for _ in 0..<400_000 { tags += [0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, 0] }
      #expect(reason(tags, readAtMost: 4 << 20) == .notRecognized)
    }

    @Test func paths() throws {
      let folder = try TemporaryFolder()
      func reason(_ path: String) -> DecodingError? {
        decodingError { _ = try AudioFile(path: path).makeDecoder() }
      }
      #expect(reason(folder.path + "/missing.mp3")?.reason == .notFound)
      #expect(reason(folder.path)?.reason == .unreadable)
      #expect(reason("/dev/null")?.reason == .unreadable)
      #expect(reason("/dev/zero")?.reason == .unreadable)
      #expect(reason("")?.reason == .notFound)
      let file = try folder.write("file.mp3", [1, 2, 3])
      #expect(reason(file + "/below")?.reason == .notFound)
      // A FIFO without a writer would block an ordinary open.
      let fifo = folder.path + "/fifo"
      #expect(mkfifo(fifo, 0o600) == 0)
      #expect(reason(fifo)?.reason == .unreadable)
      #expect(reason(fifo)?.scope == .item)
    }

    @Test("A file that changes its format with every frame ends in an error, not in growing memory")
    func everChangingFormat() throws {
      let a = layer1(frames: 1, seed: 1)
      var b = a
      // 48 kHz: 12 · 192000 / 48000 = 48 slots.
      b[2] = 0x64
      b = Array(b.prefix(192))
      var bytes = a + a + a
      for _ in 0..<6000 { bytes += a + b }
      let decoder = try decoder(bytes)
      let error = decodingError {
        while try !samples(of: decoder, channels: 2, limit: 100_000).isEmpty {}
      }
      #expect(error == nil || error?.reason == .decodeFailed)
    }
  }
}
