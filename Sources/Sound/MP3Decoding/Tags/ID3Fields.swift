package import AudioCore

/// Creates metadata fields and chapters from ID3 frames.
package enum ID3Fields {
  /// The maximum length of a text, in bytes. Lyrics and episode notes may be long.
  package static let textLimit = 1 << 20
  /// The maximum number of values of a text.
  static let valueLimit = 1000
  /// The maximum number of chapters in a medium, and of fields in a chapter.
  static let chapterLimit = 1000
  static let chapterFieldLimit = 64

  /// Returns the fields and chapters of an ID3v2 tag that begins with its header. Empty for other data.
  static func tag(version2 bytes: [UInt8]) -> MediaTag {
    let (frames, version) = ID3Frames.read(bytes)
    return MediaTag(
      fields: frames.compactMap { field($0, version: version) }, chapters: chapters(frames, version: version))
  }

  /// Returns the tags of a source: ID3v2 at its beginning, and missing fields from ID3v1 at its end. An ID3v2
  /// tag above `ID3Frames.tagLimit` and bytes not available yet are skipped. After an empty ID3v2 tag, a
  /// second one is read. May block on a local disk.
  package static func readTag(_ source: any ByteSource) throws(DecodingError) -> MediaTag {
    let first = try ID3Frames.tag(of: source, at: 0) ?? []
    var tag = self.tag(version2: first)
    if tag == MediaTag(), let end = Recognition.tagLength(first) {
      tag = self.tag(version2: try ID3Frames.tag(of: source, at: end) ?? [])
    }
    if let bytes = try ID3Text.version1(of: source) {
      for (key, text) in ID3Text.texts(version1: bytes)
      where !tag.fields.contains(where: { $0.key == key }) {
        tag.fields.append(MediaTag.Field(key: key, value: .text(text)))
      }
    }
    return tag
  }

  // MARK: Fields

  /// Returns the field in a frame; nil for chapters, linked pictures, and empty or truncated frames.
  private static func field(_ frame: ID3Frames.Frame, version: UInt8) -> MediaTag.Field? {
    let content = frame.content
    switch frame.id {
    case "CHAP", "CTOC": return nil
    case "TXXX": return described(frame)
    case "WXXX":
      guard var text = ID3TextReader(content) else { return nil }
      let info = text.next()
      return field(frame.id, ID3TextReader.latin1(text.rest), info: info)
    case "COMM", "USLT":
      guard let language = language(content) else { return nil }
      var field = described(frame, dropping: 3)
      field?.language = language
      return field
    case "APIC": return picture(content, version: version)
    case let id where id.hasPrefix("T"):
      guard let text = ID3TextReader(content) else { return nil }
      let values = text.all
      let joined = values.joined(separator: "; ")
      return field(
        id, id == "TCON" ? ID3Text.genre(Array(values.joined(separator: "\0").utf8)) ?? joined : joined)
    case let id where id.hasPrefix("W"): return field(id, ID3TextReader.latin1(content))
    default: return content.isEmpty ? nil : MediaTag.Field(key: frame.id, value: .data(Array(content)))
    }
  }

  private static func field(_ key: String, _ text: String?, info: String? = nil) -> MediaTag.Field? {
    // A text of blanks must not hide that of another tag.
    guard let text, ID3Text.clean(Array(text.utf8)) != nil else { return nil }
    return MediaTag.Field(key: key, value: .text(text), info: info.flatMap { $0.isEmpty ? nil : $0 })
  }

  /// Returns a text field whose text follows a description.
  private static func described(_ frame: ID3Frames.Frame, dropping count: Int = 0) -> MediaTag.Field? {
    guard var text = ID3TextReader(frame.content, dropping: count) else { return nil }
    let info = text.next()
    return field(frame.id, text.all.joined(separator: "; "), info: info)
  }

  private static func language(_ content: ArraySlice<UInt8>) -> String? {
    let code = content.dropFirst().prefix(3)
    guard code.count == 3 else { return nil }
    // Encoders write "xxx" or zeros if the language is unknown.
    let isCode = code.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
    let text = String(decoding: code, as: UTF8.self).lowercased()
    return isCode && text != "xxx" ? text : "und"
  }

  private static func picture(_ content: ArraySlice<UInt8>, version: UInt8) -> MediaTag.Field? {
    guard let encoding = content.first else { return nil }
    var rest = content.dropFirst()
    let type: String
    if version == 2 {
      type = String(decoding: rest.prefix(3), as: UTF8.self)
      rest = rest.dropFirst(3)
    } else {
      let name = rest.prefix { $0 != 0 }
      type = ID3TextReader.latin1(name)
      rest = rest.dropFirst(name.count + 1)
    }
    // The type "-->" marks a URL instead of image data.
    guard type != "-->", let kind = rest.first else { return nil }
    var text = ID3TextReader(encoding: encoding, rest.dropFirst())
    let info = text.next()
    guard !text.rest.isEmpty else { return nil }
    var field = MediaTag.Field(
      key: "APIC", value: .data(Array(text.rest)), info: info.flatMap { $0.isEmpty ? nil : $0 })
    field.pictureType = kind
    field.mimeType = ID3Text.imageType(text.rest) ?? (type.contains("/") ? String(type.prefix(64)) : nil)
    return field
  }

  // MARK: Chapters

  /// Returns the chapters of a tag, sorted by time: those in its top-level table of contents or, if that is
  /// missing or lists none, all.
  private static func chapters(_ frames: [ID3Frames.Frame], version: UInt8) -> [MediaTag.Chapter] {
    var chapters: [[UInt8]: MediaTag.Chapter] = [:]
    var tables: [[UInt8]: [[UInt8]]] = [:]
    var top: [UInt8]?
    for frame in frames {
      // The content of both kinds begins with the element's name.
      let name = Array(frame.content.prefix { $0 != 0 })
      let rest = frame.content.dropFirst(name.count + 1)
      if frame.id == "CHAP", chapters.count < chapterLimit {
        chapters[name] = chapter(rest, version: version)
      } else if frame.id == "CTOC", tables.count < chapterLimit, let flags = rest.first {
        tables[name] = children(rest.dropFirst())
        if flags & 2 != 0, top == nil { top = name }
      }
    }
    var listed = top.map { self.listed(from: $0, tables).compactMap { chapters[$0] } } ?? []
    if listed.isEmpty { listed = Array(chapters.values) }
    listed.sort { ($0.start, $0.end ?? .max) < ($1.start, $1.end ?? .max) }
    // A chapter with an invalid end extends to the beginning of the next one.
    for index in listed.indices where listed[index].end == nil {
      listed[index].end = listed[(index + 1)...].first { $0.start > listed[index].start }?.start
    }
    return listed
  }

  /// Returns the chapter names reachable from a table of contents, each once. Tables may refer to each other.
  private static func listed(from top: [UInt8], _ tables: [[UInt8]: [[UInt8]]]) -> [[UInt8]] {
    var names: [[UInt8]] = []
    var seen: Set<[UInt8]> = []
    var waiting = [top]
    while let name = waiting.popLast() {
      guard seen.insert(name).inserted else { continue }
      if let children = tables[name] { waiting += children } else { names.append(name) }
    }
    return names
  }

  private static func children(_ content: ArraySlice<UInt8>) -> [[UInt8]] {
    var names: [[UInt8]] = []
    var rest = content.dropFirst()
    for _ in 0..<(content.first ?? 0) where !rest.isEmpty {
      let name = rest.prefix { $0 != 0 }
      names.append(Array(name))
      rest = rest.dropFirst(name.count + 1)
    }
    return names
  }

  private static func chapter(_ content: ArraySlice<UInt8>, version: UInt8) -> MediaTag.Chapter? {
    guard content.count >= 16 else { return nil }
    let start = ID3Frames.number(content.prefix(4))
    let end = ID3Frames.number(content.dropFirst(4).prefix(4))
    // The value 0xFFFFFFFF means "none" in the byte offsets, and also occurs in times.
    guard start < 0xFFFF_FFFF else { return nil }
    let fields = ID3Frames.frames(content.dropFirst(16), version: version).prefix(chapterFieldLimit)
      .compactMap { field($0, version: version) }
    return MediaTag.Chapter(
      start: Int64(start), end: end > start && end < 0xFFFF_FFFF ? Int64(end) : nil, fields: fields)
  }
}

/// Reads the texts in ID3v2 frames, which are preceded by an encoding byte.
package struct ID3TextReader {
  private let encoding: UInt8
  /// The byte order of UTF-16 text. A byte order mark also applies to the texts after it. Without one:
  /// big-endian for encoding 2 (the standard), little-endian for 1 (usual).
  private var isBigFirst: Bool
  private(set) var rest: ArraySlice<UInt8>

  /// Creates a reader for the texts after an encoding byte and `count` further bytes; nil for no bytes.
  init?(_ content: ArraySlice<UInt8>, dropping count: Int = 0) {
    guard let encoding = content.first else { return nil }
    self.init(encoding: encoding, content.dropFirst(1 + count))
  }

  init(encoding: UInt8, _ rest: ArraySlice<UInt8>) {
    self.encoding = encoding
    isBigFirst = encoding == 2
    self.rest = rest
  }

  package static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
    let scalars = bytes.prefix(ID3Fields.textLimit).filter { $0 != 0 }.map { Unicode.Scalar($0) }
    return String(String.UnicodeScalarView(scalars))
  }

  /// Returns the next text, up to its terminator or the end; nil at the end.
  mutating func next() -> String? {
    guard !rest.isEmpty else { return nil }
    let isWide = encoding == 1 || encoding == 2
    var end = rest.startIndex
    while end < rest.endIndex, rest[end] != 0 || (isWide && end + 1 < rest.endIndex && rest[end + 1] != 0) {
      end += isWide ? 2 : 1
    }
    let bytes = rest[rest.startIndex..<min(end, rest.endIndex)]
    rest = rest[min(end + (isWide ? 2 : 1), rest.endIndex)...]
    return decoded(bytes.prefix(ID3Fields.textLimit))
  }

  /// The remaining texts that are not empty: at most `ID3Fields.valueLimit`, in `ID3Fields.textLimit` bytes.
  var all: [String] {
    var reader = self
    reader.rest = rest.prefix(ID3Fields.textLimit)
    return Array(
      sequence(state: reader) { $0.next() }.lazy.filter { !$0.isEmpty }.prefix(ID3Fields.valueLimit))
  }

  private mutating func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    switch encoding {
    case 1, 2:
      let isMarked = bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
      if isMarked { isBigFirst = bytes.first == 0xFE }
      let content = bytes.dropFirst(isMarked ? 2 : 0)
      let isBigFirst = isBigFirst
      let units = stride(from: content.startIndex, to: content.endIndex - 1, by: 2).map { place -> UInt16 in
        let first = UInt16(content[place])
        let second = UInt16(content[place + 1])
        return isBigFirst ? first << 8 | second : second << 8 | first
      }
      return String(decoding: units, as: UTF16.self)
    case 3: return String(decoding: bytes, as: UTF8.self)
    default: return Self.latin1(bytes)
    }
  }
}

extension MediaTag {
  /// Creates a tag from the first bytes of a file, as far as they reach; empty if no ID3v2 tag begins there.
  package init(front bytes: [UInt8]) { self = ID3Fields.tag(version2: bytes) }
}
