import AudioCore
import SoundFileDecoding
import TestSupport
import Testing

@testable import MP3Decoding

extension MP3DecodingTests {
  /// All fields of ID3 tags, and chapters.
  @Suite struct Tags {
    // MARK: Making tags

    static func big(_ number: Int, _ count: Int = 4) -> [UInt8] {
      (0..<count).reversed().map { UInt8(number >> ($0 * 8) & 255) }
    }
    static func synchsafe(_ number: Int) -> [UInt8] {
      (0..<4).reversed().map { UInt8(number >> ($0 * 7) & 127) }
    }
    static func latin1(_ text: String) -> [UInt8] { Array(text.unicodeScalars.map { UInt8($0.value) }) }

    static func frame(_ id: String, _ content: [UInt8], version: UInt8 = 3, flags: [UInt8] = [0, 0])
      -> [UInt8]
    {
      switch version {
      case 2: Array(id.utf8) + big(content.count, 3) + content
      case 3: Array(id.utf8) + big(content.count) + flags + content
      default: Array(id.utf8) + synchsafe(content.count) + flags + content
      }
    }

    static func tag(_ frames: [[UInt8]], version: UInt8 = 3, flags: UInt8 = 0, padding: Int = 0) -> [UInt8] {
      let body = frames.flatMap { $0 } + [UInt8](repeating: 0, count: padding)
      return Array("ID3".utf8) + [version, 0, flags] + synchsafe(body.count) + body
    }

    static func chapter(
      _ name: String, _ start: Int, _ end: Int, _ frames: [[UInt8]] = [], version: UInt8 = 3
    ) -> [UInt8] {
      let none: [UInt8] = [255, 255, 255, 255]
      return frame(
        "CHAP", Array(name.utf8) + [0] + big(start) + big(end) + none + none + frames.flatMap { $0 },
        version: version)
    }

    static func contents(_ name: String, isTop: Bool, _ children: [String]) -> [UInt8] {
      frame(
        "CTOC",
        Array(name.utf8) + [0, isTop ? 3 : 1, UInt8(children.count)]
          + children.flatMap { Array($0.utf8) + [0] })
    }

    private func fields(_ frames: [[UInt8]], version: UInt8 = 3, flags: UInt8 = 0) -> [MediaTag.Field] {
      ID3Fields.tag(version2: Self.tag(frames, version: version, flags: flags)).fields
    }

    private func texts(_ frames: [[UInt8]], version: UInt8 = 3, flags: UInt8 = 0) -> [String: String] {
      Dictionary(
        fields(frames, version: version, flags: flags).compactMap { field in
          if case .text(let text) = field.value { (field.key, text) } else { nil }
        }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Fields

    @Test("Texts in all encodings")
    func encodings() {
      let texts = texts([
        Self.frame("TIT2", [0] + Self.latin1("Größe")),
        Self.frame("TPE1", [1, 0xFF, 0xFE, 0x1C, 0x59, 0, 0]),
        Self.frame("TALB", [1, 0xFE, 0xFF, 0x59, 0x1C]), Self.frame("TPE2", [2, 0x59, 0x1C, 0, 0]),
        Self.frame("TCOM", [3] + Array("夜 🎹".utf8) + [0]), Self.frame("TIT1", [1, 0x1C, 0x59]),
        Self.frame("TIT3", [0]), Self.frame("TPE3", []), Self.frame("TPE4", [3, 0xFF, 0x61]),
      ])
      #expect(
        texts == [
          "TIT2": "Größe", "TPE1": "夜", "TALB": "夜", "TPE2": "夜", "TCOM": "夜 🎹", "TIT1": "夜",
          "TPE4": "\u{FFFD}a",
        ])
    }

    @Test("Several values, genres, dates")
    func values() {
      let texts = texts(
        [
          Self.frame("TPE1", [3] + Array("Erste\0Zweite\0".utf8), version: 4),
          Self.frame("TCON", [3] + Array("17\0Live".utf8), version: 4),
          Self.frame("TDRC", [0] + Self.latin1("2004-05-06"), version: 4),
        ], version: 4)
      #expect(texts == ["TPE1": "Erste; Zweite", "TCON": "Rock; Live", "TDRC": "2004-05-06"])
    }

    @Test("Comments, lyrics, users' own fields and addresses have descriptions")
    func described() throws {
      let fields = fields([
        Self.frame("COMM", [0] + Self.latin1("engshort\0A comment\nin two lines")),
        Self.frame("USLT", [1] + Self.latin1("XXX") + [0xFF, 0xFE, 0, 0, 0xFF, 0xFE, 0x61, 0]),
        Self.frame("TXXX", [0] + Self.latin1("REPLAYGAIN\0-7 dB")),
        Self.frame("WXXX", [0] + Self.latin1("home\0https://example.org")),
        Self.frame("WOAR", Self.latin1("https://example.org/a")), Self.frame("PRIV", [1, 2, 3]),
        Self.frame("COMM", [0, 0x65]),
      ])
      #expect(
        fields == [
          MediaTag.Field(
            key: "COMM", value: .text("A comment\nin two lines"), info: "short", language: "eng"),
          MediaTag.Field(key: "USLT", value: .text("a"), language: "und"),
          MediaTag.Field(key: "TXXX", value: .text("-7 dB"), info: "REPLAYGAIN"),
          MediaTag.Field(key: "WXXX", value: .text("https://example.org"), info: "home"),
          MediaTag.Field(key: "WOAR", value: .text("https://example.org/a")),
          MediaTag.Field(key: "PRIV", value: .data([1, 2, 3])),
        ])
    }

    @Test("Pictures of versions 2.2 and 2.3")
    func pictures() throws {
      let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 1, 2]
      let old = try #require(
        fields(
          [Self.frame("PIC", [0] + Self.latin1("PNG") + [3] + Self.latin1("d\0") + png, version: 2)],
          version: 2
        )
        .first)
      #expect(old.key == "APIC" && old.value == .data(png))
      #expect(old.mimeType == "image/png" && old.pictureType == 3 && old.info == "d")
      let new = try #require(
        fields([Self.frame("APIC", [1] + Self.latin1("image/gif\0") + [4, 0xFF, 0xFE, 0, 0, 7, 8])]).first)
      #expect(
        new.value == .data([7, 8]) && new.mimeType == "image/gif" && new.pictureType == 4 && new.info == nil)
      #expect(
        fields([Self.frame("APIC", [0] + Self.latin1("-->\0") + [3, 0] + Self.latin1("http://a"))]).isEmpty)
      for content: [UInt8] in [[], [0], [0, 0], [0, 0, 3], [0, 0, 3, 0], [0] + Self.latin1("image/png")] {
        #expect(fields([Self.frame("APIC", content)]).isEmpty, "\(content)")
      }
    }

    @Test("Version 2.2 has names of three letters")
    func version22() {
      let frames = [
        Self.frame("TT2", [0] + Self.latin1("Old"), version: 2), Self.frame("XYZ", [0, 1], version: 2),
        Self.frame("TP1", [0] + Self.latin1("Artist"), version: 2),
      ]
      #expect(texts(frames, version: 2) == ["TIT2": "Old", "TPE1": "Artist"])
    }

    @Test("What was put in against false headers is taken out")
    func unsynchronized() {
      // 0xFF 0x00 stands for 0xFF.
      #expect(
        texts([Self.frame("TIT2", [0, 0xFF, 0, 0x61])], flags: 0x80).isEmpty,
        "the size of a frame of version 2.3 counts the bytes after it was taken out")
      let whole = Self.frame("TIT2", [0, 0xFF, 0x61])
      #expect(texts([Array(whole.prefix(12)) + [0] + whole.suffix(1)], flags: 0x80) == ["TIT2": "ÿa"])
      let single = Self.frame("TIT2", [0, 0, 0, 2, 0, 0xFF, 0, 0x61], version: 4, flags: [0, 3])
      #expect(texts([single], version: 4) == ["TIT2": "ÿa"])
      // In version 2.4 the tag's flag concerns all frames. Some programs set it and put nothing in.
      let all = Self.frame("TIT2", [0, 0xFF, 0, 0x61], version: 4)
      #expect(texts([all], version: 4, flags: 0x80) == ["TIT2": "ÿa"])
      let none = Self.frame("TIT2", [0, 0xFF, 0xE0, 0xFF], version: 4)
      #expect(texts([none], version: 4, flags: 0x80) == ["TIT2": "ÿàÿ"])
    }

    @Test("A text has at most a thousand values; of two tags in a row an empty first one does not count")
    func valuesAndTags() throws {
      let values = (0..<20_000).map { UInt8($0 % 2 == 0 ? 0x61 : 0) }
      let title = texts([Self.frame("TIT2", [0] + values)])["TIT2"]
      #expect(title?.split(separator: "; ").count == ID3Fields.valueLimit)
      let both = Self.tag([]) + Self.tag([Self.frame("TIT2", [0, 0x61])])
      #expect(try ID3Fields.readTag(ScriptedSource(both)).text("TIT2") == "a")
      // Version 2.4 has footers, which the size of the tag does not count.
      let header = Self.tag([], version: 4, flags: 0x10)
      let after = header + Array("3DI".utf8) + header[3..<10] + Self.tag([Self.frame("TIT2", [0, 0x61])])
      #expect(try ID3Fields.readTag(ScriptedSource(after)).text("TIT2") == "a")
    }

    @Test("Compressed and encrypted frames are left out, groups' numbers too")
    func transformed() {
      let text = [0] + Self.latin1("x")
      for flags: UInt8 in [0x80, 0x40] {
        #expect(texts([Self.frame("TIT2", text, flags: [0, flags])]).isEmpty)
      }
      #expect(texts([Self.frame("TIT2", [9] + text, flags: [0, 0x20])]) == ["TIT2": "x"])
      for flags: UInt8 in [0x08, 0x04] {
        #expect(texts([Self.frame("TIT2", text, version: 4, flags: [0, flags])], version: 4).isEmpty)
      }
      #expect(
        texts([Self.frame("TIT2", [9] + text, version: 4, flags: [0, 0x40])], version: 4) == ["TIT2": "x"])
    }

    @Test("An extended header is skipped")
    func extended() {
      let text = Self.frame("TIT2", [0] + Self.latin1("x"))
      #expect(texts([Self.big(6) + [0, 0, 0, 0, 0, 0], text], flags: 0x40) == ["TIT2": "x"])
      let new = Self.frame("TIT2", [0] + Self.latin1("x"), version: 4)
      #expect(texts([Self.synchsafe(6) + [1, 0], new], version: 4, flags: 0x40) == ["TIT2": "x"])
      #expect(texts([[0xFF, 0xFF, 0xFF, 0xFF], text], flags: 0x40).isEmpty)
    }

    @Test("Sizes of version 2.3 in a tag of version 2.4 are seen")
    func wrongSizes() {
      let long = String(repeating: "x", count: 299)
      let frames = [
        Array("TIT2".utf8) + Self.big(300) + [0, 0, 0] + Self.latin1(long),
        Array("TPE1".utf8) + Self.big(2) + [0, 0, 0] + Self.latin1("y"),
      ]
      #expect(texts(frames, version: 4) == ["TIT2": long, "TPE1": "y"])
      #expect(texts([frames[0]], version: 4) == ["TIT2": long])
    }

    @Test("A frame that is cut off ends the tag")
    func cut() {
      let tag = Self.tag([
        Self.frame("TIT2", [0] + Self.latin1("x")), Array("TPE1".utf8) + Self.big(1 << 30) + [0, 0, 0],
      ])
      #expect(ID3Fields.tag(version2: tag).fields == [MediaTag.Field(key: "TIT2", value: .text("x"))])
      for version: UInt8 in [0, 1, 5, 255] {
        #expect(ID3Fields.tag(version2: Self.tag([], version: version)) == MediaTag())
      }
    }

    @Test("Frames, chapters and texts are counted")
    func limits() throws {
      let many = (0..<5000).map { Self.frame("TXXX", [0] + Self.latin1("\($0)\0v")) }
      #expect(fields(many).count == ID3Frames.limit)
      let chapters = (0..<1500).map { Self.chapter("c\($0)", $0 * 10, $0 * 10 + 10) }
      #expect(ID3Fields.tag(version2: Self.tag(chapters)).chapters.count == ID3Fields.chapterLimit)
      let texts = (0..<200).map { Self.frame("TXXX", [0] + Self.latin1("\($0)\0v")) }
      let one = ID3Fields.tag(version2: Self.tag([Self.chapter("c", 0, 1, texts)]))
      #expect(one.chapters.first?.fields.count == ID3Fields.chapterFieldLimit)
      let long = try #require(
        fields([Self.frame("USLT", [0] + Self.latin1("eng\0") + [UInt8](repeating: 0x61, count: 3 << 20))])
          .first)
      #expect(long.value == .text(String(repeating: "a", count: ID3Fields.textLimit)))
    }

    // MARK: Chapters

    @Test("Chapters by time, with their titles")
    func chapters() {
      func title(_ text: String) -> [[UInt8]] { [Self.frame("TIT2", [3] + Array(text.utf8))] }
      let tag = ID3Fields.tag(
        version2: Self.tag([
          Self.contents("toc", isTop: true, ["b", "a", "missing"]),
          Self.chapter("b", 10_000, 20_000, title("Zweites")), Self.chapter("a", 0, 10_000, title("Erstes")),
          Self.chapter("hidden", 5, 6, title("Not in the table")),
        ]))
      #expect(
        tag.chapters == [
          MediaTag.Chapter(
            start: 0, end: 10_000, fields: [MediaTag.Field(key: "TIT2", value: .text("Erstes"))]),
          MediaTag.Chapter(
            start: 10_000, end: 20_000, fields: [MediaTag.Field(key: "TIT2", value: .text("Zweites"))]),
        ])
      #expect(tag.fields.isEmpty)
    }

    @Test("Tables of contents that lead to each other, and none at all")
    func tables() {
      let chapters = ["a", "b", "c"].enumerated().map { Self.chapter($0.element, $0.offset, $0.offset + 1) }
      func starts(_ frames: [[UInt8]]) -> [Int64] {
        ID3Fields.tag(version2: Self.tag(frames + chapters)).chapters.map(\.start)
      }
      #expect(starts([]) == [0, 1, 2])
      #expect(starts([Self.contents("t", isTop: false, ["a"])]) == [0, 1, 2])
      #expect(starts([Self.contents("t", isTop: true, ["x"])]) == [0, 1, 2])
      #expect(
        starts([
          Self.contents("t", isTop: true, ["u", "a", "t"]),
          Self.contents("u", isTop: false, ["t", "c", "c"]),
        ])
          == [0, 2])
    }

    @Test("Ends that make no sense are the next beginning")
    func ends() {
      let chapters = ID3Fields.tag(
        version2: Self.tag([
          Self.chapter("a", 0, 0), Self.chapter("b", 5, 3), Self.chapter("c", 9, 0xFFFF_FFFF),
          Self.chapter("d", 0xFFFF_FFFF, 0xFFFF_FFFF),
        ])
      ).chapters
      #expect(chapters.map(\.start) == [0, 5, 9])
      #expect(chapters.map(\.end) == [5, 9, nil])
    }

    // MARK: Files

    @Test("Tags of files that LAME and others have made")
    func files() throws {
      func text(_ name: String, _ key: String) throws -> String? {
        let tag = try AudioFile(path: Fixture.path(name)).readTag()
        guard case .text(let text)? = tag.fields.first(where: { $0.key == key })?.value else { return nil }
        return text
      }
      #expect(try text("id3v1.mp3", "TIT2") == "Title one")
      #expect(try text("id3v1.mp3", "TRCK") == "7")
      #expect(try text("id3v1.mp3", "TCON") == "Rock")
      #expect(try text("id3v23-cover.mp3", "TIT2") == "Für Elise – エリーゼ 🎹")
      #expect(try text("id3v24-cover.mp3", "TPE1") == "Erste; Zweite")
      let pictures = try AudioFile(path: Fixture.path("id3v24-cover.mp3")).readTag().fields.filter {
        $0.key == "APIC"
      }
      #expect(pictures.count == 2)
      #expect(pictures.contains { $0.pictureType == 3 && $0.mimeType == "image/jpeg" })
      #expect(try AudioFile(path: Fixture.path("vbr-44100-stereo.mp3")).readTag() == MediaTag())
      #expect(decodingError { _ = try AudioFile(path: "/nowhere.mp3").readTag() }?.reason == .notFound)
    }

    @Test("Version 2 goes before version 1, and a tag above the limit is skipped")
    func both() throws {
      let old = Array(try Fixture.bytes("id3v1.mp3").suffix(128))
      let source = ScriptedSource(Self.tag([Self.frame("TIT2", [0] + Self.latin1("Two"))]) + old)
      let fields = try ID3Fields.readTag(source).fields
      #expect(fields.filter { $0.key == "TIT2" } == [MediaTag.Field(key: "TIT2", value: .text("Two"))])
      #expect(fields.contains { $0.key == "TPE1" })
      let large = ScriptedSource(
        Self.tag([Self.frame("TIT2", [0] + Self.latin1("x"))], padding: 17 << 20) + old)
      #expect(try ID3Fields.readTag(large).fields.first?.value == .text("Title one"))
      #expect(large.bytesRead < 1000)
    }

    // MARK: Hostile tags

    @Test("Mutated tags", arguments: 0..<4)
    func mutated(part: Int) throws {
      var random = RandomSource(seed: UInt64(7000 + part))
      let text: [UInt8] = [1, 0xFF, 0xFE, 0x61, 0, 0x62, 0]
      let seeds: [[UInt8]] = [
        Self.tag(
          [
            Self.contents("toc", isTop: true, ["a", "b"]),
            Self.chapter("a", 0, 5, [Self.frame("TIT2", text)]),
            Self.chapter("b", 5, 9, [Self.frame("TIT2", text)]), Self.frame("TIT2", text),
            Self.frame("COMM", [1] + Self.latin1("eng") + text.dropFirst() + [0, 0] + text.dropFirst()),
            Self.frame("APIC", [1] + Self.latin1("image/png\0") + [3] + text.dropFirst() + [0, 0, 1, 2, 3]),
          ], padding: 20),
        Self.tag(
          [Self.frame("TIT2", text, version: 4, flags: [0, 3]), Self.frame("TXXX", text, version: 4)],
          version: 4),
        Self.tag(
          [Self.frame("TT2", text, version: 2), Self.frame("PIC", [0, 1, 2, 3, 4, 5, 0, 7], version: 2)],
          version: 2),
        Array(try Fixture.bytes("id3v24-cover.mp3").prefix(1500)),
      ]
      for round in 0..<3000 {
        var bytes = seeds[round % seeds.count]
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          let place = Int.random(in: 0..<bytes.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
          case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
          case 2: bytes[place] = [0, 0x7F, 0x80, 0xFF][Int.random(in: 0..<4, using: &random)]
          default: bytes.removeLast(min(Int.random(in: 1...30, using: &random), bytes.count - 10))
          }
        }
        // Whatever it says, what comes out is not more than went in.
        let tag = ID3Fields.tag(version2: bytes)
        #expect(tag.fields.count <= bytes.count / 6)
        for chapter in tag.chapters { #expect(chapter.end ?? .max > chapter.start && chapter.start >= 0) }
        for case .data(let data) in tag.fields.map(\.value) { #expect(data.count <= bytes.count) }
      }
    }

    @Test("All lengths of a tag")
    func truncations() throws {
      let tag = Self.tag([
        Self.chapter("a", 0, 5, [Self.frame("TIT2", [1, 0xFF, 0xFE, 0x61, 0])]),
        Self.frame("COMM", [0] + Self.latin1("eng\0x")), Self.frame("TIT2", [0] + Self.latin1("x")),
      ])
      for count in 0..<tag.count { _ = ID3Fields.tag(version2: Array(tag.prefix(count))) }
      #expect(ID3Fields.tag(version2: tag).chapters.count == 1)
    }
  }
}
