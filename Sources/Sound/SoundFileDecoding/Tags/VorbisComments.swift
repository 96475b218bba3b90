import AudioCore
import MP3Decoding

/// Creates metadata fields from Vorbis comments, as in FLAC, Ogg Vorbis and Opus, under the identifiers of ID3.
enum VorbisComments {
  /// The maximum number of comments.
  static let limit = 2000

  private static let names = [
    "TITLE": "TIT2", "ARTIST": "TPE1", "ALBUM": "TALB", "ALBUMARTIST": "TPE2", "ALBUM ARTIST": "TPE2",
    "COMPOSER": "TCOM", "CONDUCTOR": "TPE3", "LYRICIST": "TEXT", "GENRE": "TCON", "DATE": "TDRC",
    "YEAR": "TYER", "TRACKNUMBER": "TRCK", "DISCNUMBER": "TPOS", "COPYRIGHT": "TCOP", "ORGANIZATION": "TPUB",
    "PUBLISHER": "TPUB", "LABEL": "TPUB", "ISRC": "TSRC", "BPM": "TBPM", "COMMENT": "COMM",
    "DESCRIPTION": "COMM", "LYRICS": "USLT", "UNSYNCEDLYRICS": "USLT", "ENCODER": "TSSE", "LANGUAGE": "TLAN",
    "MOOD": "TMOO", "SUBTITLE": "TIT3", "TITLESORT": "TSOT", "ARTISTSORT": "TSOP", "ALBUMSORT": "TSOA",
  ]
  /// The names of the counts that ID3 stores after the number, as in "3/12".
  private static let totals = [
    "TRACKTOTAL": "TRCK", "TOTALTRACKS": "TRCK", "DISCTOTAL": "TPOS", "TOTALDISCS": "TPOS",
  ]

  /// Returns the fields of a comment block. Such a block has the vendor, the number of comments, and the comments; a
  /// length precedes the vendor and each comment.
  static func fields(_ block: ArraySlice<UInt8>) -> [MediaTag.Field] {
    var reader = BlockReader(block, isBigEndian: false)
    guard reader.bytes(reader.number()) != nil, var count = reader.number().map({ min($0, limit) }) else {
      return []
    }
    var fields: [MediaTag.Field] = []
    var counts: [String: String] = [:]
    // Several comments of a name are several values of one field.
    var places: [String: Int] = [:]
    while count > 0, let comment = reader.bytes(reader.number()) {
      count -= 1
      guard let sign = comment.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(decoding: comment[..<sign].prefix(256), as: UTF8.self).uppercased()
      let value = comment[(sign + 1)...]
      if name == "METADATA_BLOCK_PICTURE" {
        if let field = picture(Base64.decode(value)[...]) { fields.append(field) }
        continue
      }
      let text = String(decoding: value.prefix(ID3Fields.textLimit), as: UTF8.self)
      if let key = totals[name] {
        counts[key] = text
      } else if let place = places[name], case .text(let known) = fields[place].value {
        if known.utf8.count < ID3Fields.textLimit { fields[place].value = .text("\(known); \(text)") }
      } else if !text.isEmpty {
        places[name] = fields.count
        let key = names[name]
        fields.append(MediaTag.Field(key: key ?? "TXXX", value: .text(text), info: key == nil ? name : nil))
      }
    }
    for index in fields.indices {
      guard let total = counts[fields[index].key], case .text(let number) = fields[index].value else {
        continue
      }
      if !number.contains("/") { fields[index].value = .text("\(number)/\(total)") }
    }
    return fields
  }

  /// Returns the field of a FLAC picture block; nil for invalid blocks and URLs. Such a block has the picture type,
  /// the MIME type, the description, four numbers about the image's size and colours, and the data.
  static func picture(_ block: ArraySlice<UInt8>) -> MediaTag.Field? {
    var reader = BlockReader(block, isBigEndian: true)
    guard let subject = reader.number(), let type = reader.bytes(reader.number()),
      let info = reader.bytes(reader.number()), reader.bytes(16) != nil,
      let data = reader.bytes(reader.number()), !data.isEmpty
    else { return nil }
    let mimeType = String(decoding: type.prefix(64), as: UTF8.self)
    // The type "-->" marks a URL instead of image data.
    guard mimeType != "-->" else { return nil }
    let text = String(decoding: info.prefix(4096), as: UTF8.self)
    var field = MediaTag.Field(key: "APIC", value: .data(Array(data)), info: text.isEmpty ? nil : text)
    field.pictureType = UInt8(exactly: subject) ?? 0
    field.mimeType = ID3Text.imageType(data) ?? (mimeType.contains("/") ? mimeType : nil)
    return field
  }
}

enum Base64 {
  /// Returns the decoded bytes, up to the first character that is not in the Base64 alphabet.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for character in text {
      guard let value = value(character) else { break }
      bits = bits << 6 | UInt32(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return bytes
  }

  private static func value(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
