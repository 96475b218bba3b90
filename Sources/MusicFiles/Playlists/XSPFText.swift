import Transfer

/// The tracks of an XSPF playlist (xspf.org, version 1), out of the little of XML that it needs. What breaks XML's rules is
/// read as far as it makes sense; nothing is ever fetched for it.
enum XSPFText {
  struct Track: Hashable {
    var location: [UInt8] = []
    var title: String?
  }

  /// The tracks that have a location, with their first one. Throws for declarations (DTD), which could name other files.
  static func tracks(_ bytes: [UInt8]) throws(NetworkPlaylist.Refusal) -> [Track] {
    var tracks: [Track] = []
    var track: Track?
    var path: [String] = []
    var text: [UInt8] = []
    var rest = bytes[...]
    while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
      text += decoded(rest[..<open])
      rest = rest[open...]
      if rest.starts(with: "<!--".utf8) {
        rest = skip(rest, past: "-->")
        continue
      }
      if rest.starts(with: "<![CDATA[".utf8) {
        let inside = rest.dropFirst(9)
        rest = skip(inside, past: "]]>")
        text += inside[..<max(inside.startIndex, min(inside.endIndex, rest.startIndex - 3))]
        continue
      }
      if rest.starts(with: "<!".utf8) { throw .declarations }
      guard let close = rest.firstIndex(of: UInt8(ascii: ">")) else { break }
      let tag = rest[(open + 1)..<close]
      rest = rest[(close + 1)...]
      if tag.first == UInt8(ascii: "?") || tag.last == UInt8(ascii: "/") { continue }
      if tag.first == UInt8(ascii: "/") {
        if path.last == "location", track?.location.isEmpty == true {
          track?.location = Array(PlaylistText.trimmed(text[...]))
        } else if path.last == "title", path.dropLast().last == "track" {
          track?.title = LenientText.clean(text)
        } else if path.last == "track", let found = track {
          if !found.location.isEmpty { tracks.append(found) }
          track = nil
        }
        _ = path.popLast()
      } else {
        // Nothing that is meant to be read lies so deep.
        guard path.count < 64 else { break }
        let name = tag.prefix { $0 > 0x20 }
        path.append(String(decoding: name.suffix(while: { $0 != UInt8(ascii: ":") }), as: UTF8.self))
        if path.last == "track" { track = Track() }
      }
      text = []
    }
    return tracks
  }

  private static func skip(_ bytes: ArraySlice<UInt8>, past mark: String) -> ArraySlice<UInt8> {
    let mark = Array(mark.utf8)
    var rest = bytes
    while let first = rest.firstIndex(of: mark[0]) {
      rest = rest[first...]
      if rest.starts(with: mark) { return rest.dropFirst(mark.count) }
      rest = rest.dropFirst()
    }
    return bytes[bytes.endIndex...]
  }

  /// The text with the five entities of XML, and those by number, in place of their names.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "&"), let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
        result.append(byte)
        continue
      }
      guard let scalar = scalar(String(decoding: rest[..<end], as: UTF8.self)) else {
        result.append(byte)
        continue
      }
      result += String(scalar).utf8
      rest = rest[(end + 1)...]
    }
    return result
  }

  private static func scalar(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "amp": "&"
    case "lt": "<"
    case "gt": ">"
    case "quot": "\""
    case "apos": "'"
    case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
    case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
    default: nil
    }
  }
}

extension ArraySlice<UInt8> {
  /// The longest end whose bytes all fit.
  fileprivate func suffix(while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    self[(lastIndex { !fits($0) }.map { $0 + 1 } ?? startIndex)...]
  }
}
