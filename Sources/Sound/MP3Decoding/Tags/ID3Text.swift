/// The text rules of ID3: encodings, numbers and genres.
enum ID3Text {
  /// The maximum length of a text, in bytes.
  static let limit = 4096

  /// Adds the fields of an ID3v1 tag of 128 bytes.
  static func add(version1 bytes: [UInt8], to metadata: inout MP3Metadata) {
    guard bytes.count == 128 else { return }
    metadata.title = field(bytes[3..<33])
    metadata.artist = field(bytes[33..<63])
    metadata.album = field(bytes[63..<93])
    metadata.date = field(bytes[93..<97])
    // In ID3v1.1 the comment's last two bytes are a zero and the track number.
    if bytes[125] == 0, bytes[126] != 0 { metadata.trackNumber = Int(bytes[126]) }
    metadata.genre = ID3Genres.name(Int(bytes[127]))
  }

  /// Returns the fields of an ID3v1 tag (128 bytes) under their ID3v2.3 names; empty for other data.
  static func texts(version1 bytes: [UInt8]) -> [(key: String, text: String)] {
    guard bytes.count == 128, bytes.starts(with: Array("TAG".utf8)) else { return [] }
    // In ID3v1.1 the comment's last two bytes are a zero and the track number.
    let hasTrack = bytes[125] == 0 && bytes[126] != 0
    let fields = [
      ("TIT2", field(bytes[3..<33])), ("TPE1", field(bytes[33..<63])), ("TALB", field(bytes[63..<93])),
      ("TYER", field(bytes[93..<97])), ("COMM", field(bytes[97..<(hasTrack ? 125 : 127)])),
      ("TRCK", hasTrack ? String(bytes[126]) : nil), ("TCON", ID3Genres.name(Int(bytes[127]))),
    ]
    return fields.compactMap { key, text in text.map { (key, $0) } }
  }

  /// Decodes a fixed-width field of ID3v1: as UTF-8 if valid, otherwise as Latin-1.
  private static func field(_ bytes: ArraySlice<UInt8>) -> String? {
    let text = bytes.prefix { $0 != 0 }
    if let valid = String(validating: text, as: UTF8.self) { return clean(Array(valid.utf8)) }
    var utf8: [UInt8] = []
    for byte in text { utf8.append(contentsOf: String(Unicode.Scalar(byte)).utf8) }
    return clean(utf8)
  }

  /// Returns valid text without control characters, with zero-separated strings joined; nil if empty.
  static func clean(_ bytes: [UInt8]) -> String? {
    let parts = bytes.prefix(limit).split(separator: 0).compactMap { part -> String? in
      var text = String(decoding: part, as: UTF8.self)
      text.unicodeScalars = String.UnicodeScalarView(
        text.unicodeScalars.map { $0.properties.generalCategory == .control || $0 == "\u{FEFF}" ? " " : $0 })
      let scalars = text.unicodeScalars
      guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
        let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
      else { return nil }
      return String(scalars[first...last])
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// Returns the genres in a TCON field: "17", "(17)", "(17)Rock", "(4)(12)", "RX", "CR" or plain text,
  /// several separated by zero bytes.
  static func genre(_ bytes: [UInt8]) -> String? {
    var names: [String] = []
    func add(_ name: String) {
      if !name.isEmpty, !names.contains(name) { names.append(name) }
    }
    for part in bytes.prefix(limit).split(separator: 0) {
      var rest = Substring(clean(Array(part)) ?? "")
      while rest.hasPrefix("("), !rest.hasPrefix("(("), let end = rest.firstIndex(of: ")") {
        let code = rest[rest.index(after: rest.startIndex)..<end]
        guard let name = ID3Genres.name(code) else { break }
        add(name)
        rest = rest[rest.index(after: end)...]
      }
      if rest.hasPrefix("((") { rest = rest.dropFirst() }
      add(ID3Genres.name(rest) ?? String(rest))
    }
    return names.isEmpty ? nil : names.joined(separator: "; ")
  }
}
