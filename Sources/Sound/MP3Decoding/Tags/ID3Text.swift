package import AudioCore

/// The text rules of ID3: encodings, numbers and genres.
package enum ID3Text {
  /// The number of bytes of a text that `clean` and `genre` use; the rest is cut off.
  static let limit = 4096

  /// Returns the 128 bytes of the ID3v1 tag at a source's end; nil without one.
  static func version1(of source: any ByteSource) throws(DecodingError) -> [UInt8]? {
    guard let size = source.size, size >= 128, let bytes = try source.peek(128, at: size - 128),
      bytes.count == 128, bytes.starts(with: Array("TAG".utf8))
    else { return nil }
    return bytes
  }

  /// Returns the fields of an ID3v1 tag of 128 bytes under their ID3v2.3 names.
  static func texts(version1 bytes: [UInt8]) -> [(key: String, text: String)] {
    // In ID3v1.1 the comment's last two bytes are a zero and the track number.
    let hasTrack = bytes[125] == 0 && bytes[126] != 0
    let fields = [
      ("TIT2", field(bytes[3..<33])), ("TPE1", field(bytes[33..<63])), ("TALB", field(bytes[63..<93])),
      ("TYER", field(bytes[93..<97])), ("COMM", field(bytes[97..<(hasTrack ? 125 : 127)])),
      ("TRCK", hasTrack ? String(bytes[126]) : nil), ("TCON", ID3Genres.name(Int(bytes[127]))),
    ]
    return fields.compactMap { key, text in text.map { (key, $0) } }
  }

  /// Returns the text of a fixed-width field of ID3v1, decoded as UTF-8 if valid, otherwise as Latin-1.
  private static func field(_ bytes: ArraySlice<UInt8>) -> String? {
    let text = bytes.prefix { $0 != 0 }
    if let valid = String(validating: text, as: UTF8.self) { return clean(Array(valid.utf8)) }
    return clean(Array(ID3TextReader.latin1(text).utf8))
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

  /// Returns the genres in a TCON field: zero-separated "17", "(17)", "(17)Rock", "(4)(12)", "RX" or text.
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

extension AudioMetadata {
  /// Creates metadata with the texts of a tag.
  package init(_ tag: MediaTag, format: PCMFormat, frameCount: FrameCount) {
    self.init(format: format, frameCount: frameCount)
    var year: String?
    var dayAndMonth: String?
    for field in tag.fields {
      guard case .text(let text) = field.value, let text = ID3Text.clean(Array(text.utf8)) else { continue }
      switch field.key {
      case "TIT2": title = text
      case "TPE1": artist = text
      case "TALB": album = text
      case "TPE2": albumArtist = text
      case "TCOM": composer = text
      case "TCON": genre = text
      case "TDRC": date = text
      case "TYER": year = text
      case "TDAT": dayAndMonth = text
      case "TRCK": trackNumber = ID3Text.number(text)
      case "TPOS": discNumber = ID3Text.number(text)
      default: break
      }
    }
    // ID3v2.3 stores the year in one field and the day and month, as DDMM, in another.
    guard date == nil, let year else { return }
    date = year
    if year.utf8.count == 4, let dayAndMonth, dayAndMonth.utf8.count == 4 {
      date = "\(year)-\(dayAndMonth.suffix(2))-\(dayAndMonth.prefix(2))"
    }
  }
}

extension ID3Text {
  /// Returns the number before a slash, 3 for "3/12"; nil if it is not a number above 0.
  fileprivate static func number(_ text: String) -> Int? {
    Int(text.prefix { $0 != "/" }.prefix(9).filter { $0 != " " }).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Returns the MIME type of a JPEG or PNG file; nil for other data.
  package static func imageType(_ file: ArraySlice<UInt8>) -> String? {
    if file.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    return file.starts(with: [0x89, 0x50, 0x4E, 0x47]) ? "image/png" : nil
  }
}

/// The numbered genres of ID3v1, including the Winamp extensions.
enum ID3Genres {
  /// Returns the name of genre `number`; nil if undefined (255 means "none").
  static func name(_ number: Int) -> String? { names.indices.contains(number) ? names[number] : nil }

  /// Returns the name of a genre given by number or by one of ID3v2's two letter codes; nil for other text.
  static func name(_ code: Substring) -> String? {
    switch code {
    case "RX": "Remix"
    case "CR": "Cover"
    default:
      code.utf8.count <= 3 && code.utf8.allSatisfy { (48...57).contains($0) }
        ? Int(code).flatMap { name($0) } : nil
    }
  }

  private static let names = [
    "Blues", "Classic Rock", "Country", "Dance", "Disco", "Funk", "Grunge", "Hip-Hop", "Jazz", "Metal",
    "New Age", "Oldies", "Other", "Pop", "R&B", "Rap", "Reggae", "Rock", "Techno", "Industrial",
    "Alternative", "Ska", "Death Metal", "Pranks", "Soundtrack", "Euro-Techno", "Ambient", "Trip-Hop",
    "Vocal", "Jazz+Funk", "Fusion", "Trance", "Classical", "Instrumental", "Acid", "House", "Game",
    "Sound Clip", "Gospel", "Noise", "Alternative Rock", "Bass", "Soul", "Punk", "Space", "Meditative",
    "Instrumental Pop", "Instrumental Rock", "Ethnic", "Gothic", "Darkwave", "Techno-Industrial",
    "Electronic", "Pop-Folk", "Eurodance", "Dream", "Southern Rock", "Comedy", "Cult", "Gangsta", "Top 40",
    "Christian Rap", "Pop/Funk", "Jungle", "Native American", "Cabaret", "New Wave", "Psychedelic", "Rave",
    "Showtunes", "Trailer", "Lo-Fi", "Tribal", "Acid Punk", "Acid Jazz", "Polka", "Retro", "Musical",
    "Rock & Roll", "Hard Rock", "Folk", "Folk-Rock", "National Folk", "Swing", "Fast Fusion", "Bebop",
    "Latin", "Revival", "Celtic", "Bluegrass", "Avantgarde", "Gothic Rock", "Progressive Rock",
    "Psychedelic Rock", "Symphonic Rock", "Slow Rock", "Big Band", "Chorus", "Easy Listening", "Acoustic",
    "Humour", "Speech", "Chanson", "Opera", "Chamber Music", "Sonata", "Symphony", "Booty Bass", "Primus",
    "Porn Groove", "Satire", "Slow Jam", "Club", "Tango", "Samba", "Folklore", "Ballad", "Power Ballad",
    "Rhythmic Soul", "Freestyle", "Duet", "Punk Rock", "Drum Solo", "A Cappella", "Euro-House", "Dance Hall",
    "Goa", "Drum & Bass", "Club-House", "Hardcore", "Terror", "Indie", "BritPop", "Afro-Punk", "Polsk Punk",
    "Beat", "Christian Gangsta Rap", "Heavy Metal", "Black Metal", "Crossover", "Contemporary Christian",
    "Christian Rock", "Merengue", "Salsa", "Thrash Metal", "Anime", "J-Pop", "Synthpop", "Abstract",
    "Art Rock", "Baroque", "Bhangra", "Big Beat", "Breakbeat", "Chillout", "Downtempo", "Dub", "EBM",
    "Eclectic", "Electro", "Electroclash", "Emo", "Experimental", "Garage", "Global", "IDM", "Illbient",
    "Industro-Goth", "Jam Band", "Krautrock", "Leftfield", "Lounge", "Math Rock", "New Romantic", "Nu-Breakz",
    "Post-Punk", "Post-Rock", "Psytrance", "Shoegaze", "Space Rock", "Trop Rock", "World Music",
    "Neoclassical", "Audiobook", "Audio Theatre", "Neue Deutsche Welle", "Podcast", "Indie Rock", "G-Funk",
    "Dubstep", "Garage Rock", "Psybient",
  ]
}
