import AudioCore
import Foundation
import SoundFileDecoding
import TestSupport
import Testing

@testable import MP3Decoding

extension MP3DecodingTests {
  /// Tags and headers.
  @Suite struct Metadata {
    private func metadata(_ name: String) throws -> AudioMetadata {
      try AudioFile(path: Fixture.path(name)).readMetadata()
    }

    private func cover(_ name: String) throws -> MediaTag.Field? {
      try AudioFile(path: Fixture.path(name)).readTag().cover
    }

    private func data(of field: MediaTag.Field?) -> [UInt8] {
      if case .data(let data)? = field?.value { data } else { [] }
    }

    private func metadata(_ bytes: [UInt8]) throws -> AudioMetadata {
      try MetadataReader.read(ScriptedSource(bytes))
    }

    @Test func version1() throws {
      let metadata = try metadata("id3v1.mp3")
      #expect(metadata.title == "Title one")
      #expect(metadata.artist == "Artist one")
      #expect(metadata.album == "Album one")
      #expect(metadata.date == "1999")
      #expect(metadata.trackNumber == 7)
      #expect(metadata.genre == "Rock")
      #expect(try cover("id3v1.mp3") == nil)
      #expect(metadata.format == PCMFormat(sampleRate: 22050, channelCount: 1))
      #expect(metadata.frameCount == .estimate(10_368))
    }

    @Test("ID3v2.3 in UTF-16, with a picture")
    func version23() throws {
      let metadata = try metadata("id3v23-cover.mp3")
      #expect(metadata.title == "Für Elise – エリーゼ 🎹")
      #expect(metadata.artist == "Ludwig van Beethoven")
      #expect(metadata.album == "Бетховен")
      #expect(metadata.date == "1810")
      #expect(metadata.trackNumber == 3)
      #expect(metadata.genre == "Classical")
      let cover = try cover("id3v23-cover.mp3")
      #expect(cover?.mimeType == "image/jpeg")
      #expect(data(of: cover).starts(with: [0xFF, 0xD8, 0xFF]))
    }

    @Test("ID3v2.4 in UTF-8: several values, two pictures, of which the front cover is taken")
    func version24() throws {
      let metadata = try metadata("id3v24-cover.mp3")
      #expect(metadata.title == "Ночь 夜 🌙")
      #expect(metadata.artist == "Erste; Zweite")
      #expect(metadata.albumArtist == "Orchester")
      #expect(metadata.composer == "Komponistin")
      #expect(metadata.album == "Größe")
      #expect(metadata.genre == "Rock; Live")
      #expect(metadata.date == "2004-05-06")
      #expect(metadata.trackNumber == 4)
      #expect(metadata.discNumber == 1)
      let cover = try cover("id3v24-cover.mp3")
      #expect(cover?.pictureType == 3 && cover?.mimeType == "image/jpeg")
      #expect(data(of: cover).count == 225)
    }

    @Test("The length comes from the Info frame")
    func length() throws {
      let vbr = try metadata("vbr-44100-stereo.mp3")
      #expect(vbr.frameCount == .exact(88_200))
      #expect(vbr.duration == 2)
      #expect(vbr.title == nil)
    }

    @Test("The frame count is the decoder's", arguments: Fixture.all)
    func sameFrameCount(name: String) throws {
      let metadata = try metadata(name).frameCount
      let decoder = try decoder(name).frameCount
      // The decoder does not look for the 128 bytes at the end.
      #expect(metadata == decoder || name.hasPrefix("id3v1"))
    }

    /// An ID3v2.3 tag before a sound file.
    private func tagged(_ fields: [(String, [UInt8])], padding: Int = 0) throws -> [UInt8] {
      var body: [UInt8] = []
      for (id, value) in fields {
        let size = value.count
        body += Array(id.utf8)
        body += [
          UInt8(size >> 24 & 255), UInt8(size >> 16 & 255), UInt8(size >> 8 & 255), UInt8(size & 255), 0, 0,
        ]
        body += value
      }
      body += [UInt8](repeating: 0, count: padding)
      var bytes = Array("ID3".utf8)
      bytes += [3, 0, 0]
      for shift in [21, 14, 7, 0] { bytes.append(UInt8(body.count >> shift & 127)) }
      return try bytes + body + Fixture.bytes("noinfo-cbr.mp3")
    }

    private func latin1(_ text: String) -> [UInt8] { [0] + Array(text.utf8) }

    @Test(
      "Genres by number become names",
      arguments: [
        ("17", "Rock"), ("(17)", "Rock"), ("(17)Rock", "Rock"), ("(4)(12)", "Disco; Other"),
        ("(RX)", "Remix"),
        ("CR", "Cover"), ("(79)My own", "Hard Rock; My own"), ("((Brackets)", "(Brackets)"),
        ("(999)", "(999)"),
        ("Tango", "Tango"), ("191", "Psybient"), ("192", "192"), ("(", "("), ("-1", "-1"), ("+5", "+5"),
      ])
    func genres(field: String, name: String) throws {
      #expect(try metadata(tagged([("TCON", latin1(field))])).genre == name)
    }

    @Test(
      "Track numbers",
      arguments: [
        ("3", 3), ("03/12", 3), ("3/", 3), ("/12", nil), ("x", nil), ("0/0", nil),
        ("99999999999999999999", 999_999_999), ("-4", nil),
      ] as [(String, Int?)])
    func tracks(field: String, number: Int?) throws {
      #expect(try metadata(tagged([("TRCK", latin1(field))])).trackNumber == number)
    }

    @Test("The year and the day of ID3v2.3 become one date")
    func dates() throws {
      let metadata = try metadata(tagged([("TYER", latin1("1987")), ("TDAT", latin1("2405"))]))
      #expect(metadata.date == "1987-05-24")
      #expect(try self.metadata(tagged([("TYER", latin1("1987"))])).date == "1987")
    }

    @Test("The date of ID3v2.4 goes before the years of ID3v2.3 and ID3v1")
    func dateOfVersion24() throws {
      let end = try Fixture.bytes("id3v1.mp3").suffix(128)
      #expect(try metadata(tagged([("TDRC", latin1("2004-05-06"))]) + end).date == "2004-05-06")
      let both = [("TDRC", latin1("2004-05-06")), ("TYER", latin1("1987")), ("TDAT", latin1("2405"))]
      #expect(try metadata(tagged(both)).date == "2004-05-06")
    }

    @Test("A byte order mark counts for all values of a field")
    func byteOrder() throws {
      let value: [UInt8] = [1, 0xFE, 0xFF, 0, 0x61, 0, 0, 0, 0x62]
      #expect(try metadata(tagged([("TPE1", value)])).artist == "a; b")
    }

    @Test("Text is cleaned: control characters, space at the ends, broken UTF-8, length")
    func cleaning() throws {
      #expect(try metadata(tagged([("TIT2", latin1("  a\u{1}b\n "))])).title == "a b")
      #expect(try metadata(tagged([("TIT2", latin1("   "))])).title == nil)
      #expect(try metadata(tagged([("TIT2", [])])).title == nil)
      let broken = try metadata(tagged([("TIT2", [3, 0x61, 0xFF, 0xC3, 0x62])])).title
      #expect(broken == nil || broken?.utf8.contains(0xFF) == false)
      let long = try metadata(tagged([("TIT2", latin1(String(repeating: "x", count: 100_000)))])).title
      #expect(long?.utf8.count == ID3Text.limit)
    }

    @Test("ID3v1 text that is not UTF-8 is Latin-1")
    func version1Encodings() throws {
      var bytes = try Fixture.bytes("id3v1.mp3")
      let title = bytes.count - 125
      bytes.replaceSubrange(title..<(title + 5), with: [0x47, 0x72, 0xF6, 0xDF, 0x65])
      #expect(try metadata(bytes).title == "Größe one")
      bytes.replaceSubrange(title..<(title + 10), with: [0x47, 0x72, 0xC3, 0xB6, 0xC3, 0x9F, 0x65, 0, 0, 0])
      #expect(try metadata(bytes).title == "Größe")
    }

    @Test("ID3v2 goes before ID3v1, field by field")
    func bothVersions() throws {
      let both = try tagged([("TIT2", latin1("Two"))]) + Fixture.bytes("id3v1.mp3").suffix(128)
      let metadata = try metadata(both)
      #expect(metadata.title == "Two")
      #expect(metadata.artist == "Artist one")
      // Blanks are no text.
      let blank = try tagged([("TPE1", latin1("  "))]) + Fixture.bytes("id3v1.mp3").suffix(128)
      #expect(try self.metadata(blank).artist == "Artist one")
    }

    @Test("A large picture is read, a tag above the limit is skipped, and the audio is found behind it")
    func largeTags() throws {
      let picture = latin1("image/png") + [0, 3, 0] + [UInt8](repeating: 7, count: 5 << 20)
      let bytes = try tagged([("APIC", picture), ("TIT2", latin1("Large"))])
      let cover = try ID3Fields.readTag(ScriptedSource(bytes)).cover
      #expect(cover?.value == .data([UInt8](repeating: 7, count: 5 << 20)))
      #expect(cover?.mimeType == "image/png")
      let large = try metadata(bytes)
      #expect(large.title == "Large")

      let source = ScriptedSource(try tagged([("TIT2", latin1("Too large"))], padding: 17 << 20))
      let skipped = try MetadataReader.read(source)
      #expect(skipped.title == nil)
      #expect(skipped.frameCount == .estimate(78 * 1152))
      #expect(source.bytesRead < 1 << 20)
    }

    @Test func errors() throws {
      #expect(
        decodingError { _ = try AudioFile(path: "/nowhere/at/all.mp3").readMetadata() }?.reason == .notFound)
    }
  }
}
