import Clocks
import Foundation
import MP3Decoding
import RemoteMedia
import SoundFileDecoding
import TestSupport
import Testing

@testable import ContinuoTesting

/// Media over bad connections, in virtual time: what is decoded is the medium.
@Suite("Remote media in virtual time")
struct RemoteSoundTests {
  @Test(
    "200 songs of all MPEG versions, cut at random places: the samples of the files, bit for bit",
    arguments: [
      "abr-48000-stereo.mp3", "cbr-44100-stereo.mp3", "crc-32000-stereo.mp3", "free-32000-stereo.mp3",
      "id3v24-cover.mp3", "layer2-48000-stereo.mp2", "mpeg2-24000-vbr.mp3", "mpeg25-8000-mono.mp3",
      "noinfo-vbr.mp3", "vbr-44100-stereo.mp3",
    ])
  func files(_ name: String) throws {
    let path = Repository.fixtures.appendingPathComponent(name).path
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let expected = try VirtualMedia.samples(of: AudioFile(path: path))
    try overBadConnections(name, bytes, expected: expected, seeds: 20)
  }

  @Test(
    "The files of libsndfile, cut at random places: the samples of the files, bit for bit",
    arguments: SoundFormat.all)
  func soundFiles(_ format: SoundFormat) throws {
    let folder = try TemporaryFolder()
    let path = try SoundMaker.write(
      SoundMaker.sound(frames: 100_000, for: format), to: folder.file("song"), format,
      rate: format == .opus ? 48_000 : 44_100)
    let expected = try VirtualMedia.samples(of: AudioFile(path: path))
    #expect(expected.count == 200_000)
    try overBadConnections("song", folder.read("song"), expected: expected, seeds: 5)
  }

  @Test(
    "Without a disk, too, a large picture before the sound is fetched once, also for a seek",
    arguments: [2, 9], [true, false])
  func largePicture(megabytes: Int, hasRanges: Bool) throws {
    let song = try SoundMaker.bytes(SoundMaker.sound(frames: 400_000), .flac16)
    // A block of padding behind the first one, as long as a picture.
    let length = megabytes << 20
    var bytes = Array(song[..<42])
    bytes[4] &= 0x7F
    bytes += [1, UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
    bytes += [UInt8](repeating: 0, count: length) + song[42...]
    let folder = try TemporaryFolder()
    let expected = try VirtualMedia.samples(of: AudioFile(path: folder.write("song", bytes)))
    #expect(expected.count == 800_000)
    for start in hasRanges ? [0, 300_000] : [0] {
      let media = VirtualMedia()
      let url = "https://files.test/song"
      media.network.serve(.data(bytes, etag: "\"1\""), at: url)
      media.network.link = .init(bytesPerSecond: 1_000_000, latency: .milliseconds(20))
      if !hasRanges { media.network.host("files.test").ignoresRanges() }
      let heard = try media.samples(of: try media.medium(at: url), from: Int64(start))
      let isSame = heard == Array(expected[(start * 2)...])
      #expect(isSame)
      // A seek takes some for its place.
      #expect(media.network.requests.count <= (start > 0 ? 10 : 1), "\(media.network.requests)")
    }
  }

  private func overBadConnections(
    _ name: String, _ bytes: [UInt8], expected: [Float], seeds: Int
  ) throws {
    for seed in 0..<UInt64(Rounds.count(seeds)) {
      var random = RandomSource(seed: seed)
      let media = VirtualMedia()
      let url = "https://files.test/\(name)"
      media.network.serve(.data(bytes, etag: seed % 3 == 0 ? nil : "\"1\""), at: url)
      media.network.link = .init(
        bytesPerSecond: 10_000 + random.below(100_000), latency: .milliseconds(random.below(500)),
        pieces: 1...(1 + random.below(65_536)))
      media.network.seed(seed)
      let host = media.network.host("files.test")
      if seed % 4 == 0 { host.ignoresRanges() }
      host.closes(after: (0..<8).map { _ in random.below(bytes.count) })
      let medium = try media.medium(
        at: url, folders: seed % 2 == 0 ? [] : MediaCache.usualFolders, seed: seed)
      let isSame = try media.samples(of: medium) == expected
      #expect(isSame, "seed \(seed)")
    }
  }
}
