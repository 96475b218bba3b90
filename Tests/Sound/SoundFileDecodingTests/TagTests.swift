import AudioCore
import Foundation
import MP3Decoding
import TestSupport
import Testing

@testable import SoundFileDecoding

@Suite struct SoundFileTagTests {
  private static let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 1, 2, 3, 4, 5]

  private func number(_ value: Int, isBig: Bool = false) -> [UInt8] {
    let bytes = (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) }
    return isBig ? bytes.reversed() : bytes
  }

  private func comments(_ texts: [String]) -> [UInt8] {
    number(4) + Array("test".utf8) + number(texts.count)
      + texts.flatMap { number($0.utf8.count) + Array($0.utf8) }
  }

  private func pictureBlock(_ subject: Int, _ data: [UInt8] = picture) -> [UInt8] {
    number(subject, isBig: true) + number(9, isBig: true) + Array("image/png".utf8)
      + number(5, isBig: true) + Array("Front".utf8) + [UInt8](repeating: 0, count: 16)
      + number(data.count, isBig: true) + data
  }

  /// A FLAC file with these blocks after its stream information.
  private func flac(_ blocks: [(type: UInt8, content: [UInt8])]) throws -> [UInt8] {
    let bytes = try SoundMaker.bytes(SoundMaker.sound(frames: 3000), .flac16)
    // The mark, and the stream information with its header.
    var result = Array(bytes[..<42])
    result[4] &= 0x7F
    for block in blocks {
      result += [block.type] + number(block.content.count, isBig: true).dropFirst() + block.content
    }
    // An empty block of padding is the last one.
    result += [0x81, 0, 0, 0]
    var offset = 4
    while true {
      let isLast = bytes[offset] & 0x80 != 0
      offset += 4 + bytes[(offset + 1)..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
      if isLast { break }
    }
    return result + bytes[offset...]
  }

  private func metadata(_ bytes: [UInt8]) throws -> AudioMetadata {
    let folder = try TemporaryFolder()
    return try AudioFile(path: folder.write("song", bytes)).readMetadata()
  }

  @Test("Of many comments the first two thousand count")
  func manyComments() throws {
    let texts = (0..<20_000).map { "A\($0)=x" }
    #expect(VorbisComments.fields(comments(texts)[...]).count == VorbisComments.limit)
    #expect(VorbisComments.fields(comments(texts.map { _ in "A=x" })[...]).count == 1)
  }

  @Test("Comments and pictures of FLAC")
  func flacTags() throws {
    let bytes = try flac([
      (6, pictureBlock(4, Self.picture + [9])), (6, pictureBlock(3)),
      (
        4,
        comments([
          "TITLE=Ärger", "artist=One", "Artist=Two", "ALBUM=Record", "ALBUMARTIST=Band", "TRACKNUMBER=3",
          "TRACKTOTAL=12", "DISCNUMBER=1", "DATE=2004-05-06", "GENRE=Jazz", "COMPOSER=Someone", "MYTHING=x",
          "broken",
          "REPLAYGAIN_TRACK_GAIN=-7.03 dB", "REPLAYGAIN_TRACK_PEAK=0.5",
        ])
      ),
    ])
    let metadata = try metadata(bytes)
    #expect(metadata.title == "Ärger")
    #expect(metadata.artist == "One; Two")
    #expect(metadata.album == "Record")
    #expect(metadata.albumArtist == "Band")
    #expect(metadata.trackNumber == 3)
    #expect(metadata.discNumber == 1)
    #expect(metadata.date == "2004-05-06")
    #expect(metadata.genre == "Jazz")
    #expect(metadata.composer == "Someone")
    #expect(metadata.frameCount == .exact(3000))
    let decoder = try #require(try MediaOpening(audioIn: ScriptedSource(bytes)).proceed())
    #expect(try decoder.readReplayGain().track == ReplayGain.Level(gain: -7.03, peak: 0.5))
    let tag = MediaTag(beginning: bytes)
    #expect(tag.cover?.pictureType == 3 && tag.cover?.mimeType == "image/png")
    #expect(tag.cover?.value == .data(Self.picture))
    let fields = tag.fields
    #expect(fields.contains { $0.key == "TRCK" && $0.value == .text("3/12") })
    #expect(fields.contains { $0.key == "TXXX" && $0.info == "MYTHING" && $0.value == .text("x") })
  }

  @Test("Texts of Ogg files", arguments: [SoundFormat.vorbis, .opus])
  func oggTexts(format: SoundFormat) throws {
    let folder = try TemporaryFolder()
    let path = try SoundMaker.write(
      SoundMaker.sound(frames: 30_000), to: folder.file("song"), format, rate: 48_000,
      texts: [1: "Title", 4: "Artist", 7: "Album", 9: "5", 16: "Rock"])
    let metadata = try AudioFile(path: path).readMetadata()
    #expect(metadata.title == "Title")
    #expect(metadata.artist == "Artist")
    #expect(metadata.album == "Album")
    #expect(metadata.frameCount == .exact(30_000))
  }

  /// Pages with a packet of a stream; `isFirst`: its first one.
  private func pages(_ packet: [UInt8], of stream: UInt8 = 0, isFirst: Bool = false) -> [UInt8] {
    var lengths = [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
    var result: [UInt8] = []
    var rest = packet[...]
    while !lengths.isEmpty {
      let segments = lengths.prefix(255)
      lengths.removeFirst(segments.count)
      let size = segments.reduce(0) { $0 + Int($1) }
      result += Array("OggS".utf8) + [0, isFirst ? 2 : 0] + [UInt8](repeating: 0, count: 8)
      result += [stream] + [UInt8](repeating: 0, count: 11) + [UInt8(segments.count)] + segments
      result += rest.prefix(size)
      rest = rest.dropFirst(size)
    }
    return result
  }

  /// Two pages with the packets of an Opus file's headers.
  private func opusHead(_ comments: [UInt8]) -> [UInt8] {
    pages(Array("OpusHead".utf8) + [1, 2], isFirst: true) + pages(Array("OpusTags".utf8) + comments)
  }

  @Test("The comments of the sound beside a skeleton and a film; none where there is no sound")
  func multiplexed() throws {
    func title(_ text: String) -> [UInt8] { comments(["TITLE=\(text)"] + (0..<90).map { "K\($0)=\(text)" }) }
    func theora(_ type: UInt8) -> [UInt8] { [type] + Array("theora".utf8) }
    let film = [
      pages(Array("fishead\0".utf8) + [3], of: 1, isFirst: true), pages(theora(0x80), of: 2, isFirst: true),
      pages([1] + Array("vorbis".utf8), of: 3, isFirst: true), pages(theora(0x81) + title("Film"), of: 2),
      pages([3] + Array("vorbis".utf8) + title("Sound"), of: 3), pages(theora(0x82), of: 2),
    ]
    let all = Array(film.joined())
    #expect(MediaTag(beginning: all).text("TIT2") == "Sound")
    let length = film[..<5].reduce(0) { $0 + $1.count }
    for count in 12...all.count {
      let needed = try #require(MediaTag.length(beginning: Array(all.prefix(count))))
      #expect(needed <= count ? count >= length && needed == length : needed <= length, "\(count)")
    }
    let silent = Array((film[..<2] + film[3...3]).joined())
    #expect(MediaTag(beginning: silent).fields.isEmpty)
    #expect(MediaTag.length(beginning: silent).map { $0 <= silent.count } == true)
  }

  @Test("A picture and levels in Opus comments that cross pages")
  func opusPicture() throws {
    let data = Self.picture + RandomSource.bytes(200_000)
    let encoded = Data(pictureBlock(3, data)).base64EncodedString()
    let bytes = opusHead(
      comments(["METADATA_BLOCK_PICTURE=\(encoded)", "R128_TRACK_GAIN=-512", "R128_ALBUM_GAIN=256"]))
    let tag = MediaTag(beginning: bytes)
    let picture = try #require(tag.fields.first { $0.key == "APIC" })
    #expect(picture.value == .data(data))
    #expect(picture.mimeType == "image/png")
    #expect(picture.pictureType == 3)
    let levels = ReplayGainTags.levels(of: tag)
    #expect(levels.track?.gain == 3)
    #expect(levels.album?.gain == 6)
  }

  @Test("An ID3 chunk and the texts of WAV and AIFF")
  func chunks() throws {
    let id3 = SongBytes.make(["TPE1": "Artist", "TCON": "17"], frames: 0)
    for (format, isBig, name) in [
      (SoundFormat.wav16, false, "id3 "), (.rifx16, true, "id3 "), (.aiff16, true, "ID3 "),
    ] {
      let folder = try TemporaryFolder()
      try SoundMaker.write(
        SoundMaker.sound(frames: 3000), to: folder.file("song"), format, texts: [1: "Title", 4: "Other"])
      var bytes = try folder.read("song")
      if bytes.count % 2 == 1 { bytes.append(0) }
      bytes += Array(name.utf8) + number(id3.count, isBig: isBig) + id3
      let metadata = try metadata(bytes)
      #expect(metadata.title == "Title", "\(format)")
      #expect(metadata.artist == "Artist", "\(format)")
    }
  }

  @Test("Truncated and mutated tags are read without a crash")
  func broken() throws {
    let whole = try [
      flac([(4, comments(["TITLE=x", "ARTIST=y"])), (6, pictureBlock(3))]), opusHead(comments(["TITLE=x"])),
      SoundMaker.bytes(SoundMaker.sound(frames: 100), .aiff16),
    ]
    var random = RandomSource(seed: 5)
    for bytes in whole {
      for count in stride(from: 0, to: min(bytes.count, 2000), by: 3) {
        _ = MediaTag(beginning: Array(bytes.prefix(count)))
      }
      for _ in 0..<Rounds.count(500) {
        var bytes = bytes
        for _ in 0..<5 {
          bytes[random.below(min(bytes.count, 600))] = UInt8(truncatingIfNeeded: random.next())
        }
        _ = MediaTag(beginning: bytes)
      }
    }
  }
}

extension RandomSource {
  fileprivate static func bytes(_ count: Int) -> [UInt8] {
    var random = RandomSource(seed: 1)
    return random.bytes(count)
  }
}
