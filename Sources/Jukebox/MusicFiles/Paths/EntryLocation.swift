package import Transfer

/// The location of the medium that a playlist entry or an argument names.
package enum EntryLocation: Hashable, Sendable {
  /// A network URL, and the credentials in it.
  case url(WebURL, Credentials?)
  /// Candidate paths, of which the first existing one counts.
  case paths([MediaPath])
  /// An unsupported or invalid location, with the reason.
  case unusable(String)

  /// Parses a path or a URL.
  ///
  /// Playlists from other systems may name files in Latin-1 (the encoding of `.m3u` before `.m3u8`) and with
  /// backslashes. These readings follow the path as written in the list of candidates.
  package init(_ text: [UInt8]) {
    if let scheme = Self.scheme(of: text) {
      self = scheme == "file" ? Self.fileURL(text.dropFirst("file:".utf8.count)) : Self.webURL(text)
      return
    }
    var paths = [MediaPath(bytes: text)]
    if String(validating: text, as: UTF8.self) == nil {
      paths.append(MediaPath(String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))))
    }
    if text.contains(UInt8(ascii: "\\")) {
      paths += paths.map { path in
        MediaPath(bytes: path.bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 })
      }
    }
    self = .paths(paths)
  }

  /// Whether the text is a URL and not a path.
  package static func isURL(_ text: [UInt8]) -> Bool { scheme(of: text) != nil }

  /// The scheme in lower case if the text is a URL: `file:/` or `scheme://`. A path may contain a colon too.
  private static func scheme(of text: [UInt8]) -> String? {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
    let name = String(decoding: text[..<colon], as: UTF8.self).lowercased()
    let isName = name.utf8.enumerated().allSatisfy { index, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
        index > 0
      default: false
      }
    }
    let rest = text[(colon + 1)...]
    guard isName, rest.starts(with: "//".utf8) || (name == "file" && rest.first == UInt8(ascii: "/")) else {
      return nil
    }
    return name
  }

  private static func webURL(_ text: [UInt8]) -> EntryLocation {
    do throws(WebURL.Problem) {
      let (url, credentials) = try WebURL.read(LenientText.read(text))
      return .url(url, credentials)
    } catch {
      switch error {
      case .tooLong: return .unusable("a URL of more than \(NetworkLimits.url) bytes")
      case .unsupportedScheme(let scheme): return .unusable("\(scheme): URLs are not supported")
      case .malformed: return .unusable("not a valid URL")
      }
    }
  }

  /// Parses a `file:` URL without its scheme. The host must be empty or `localhost`.
  private static func fileURL(_ text: ArraySlice<UInt8>) -> EntryLocation {
    var path = text
    if text.starts(with: "//".utf8) {
      let slash = text.dropFirst(2).firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
      let host = String(decoding: text[(text.startIndex + 2)..<slash], as: UTF8.self)
      guard host.isEmpty || host.lowercased() == "localhost" else {
        return .unusable("a file URL of another host (\(host)) is not supported")
      }
      path = text[slash...]
    }
    guard !path.isEmpty else { return .unusable("a file URL without a path") }
    guard let decoded = percentDecoded(path) else { return .unusable("a file URL with a wrong % sequence") }
    return .paths([MediaPath(bytes: decoded)])
  }

  private static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var decoded: [UInt8] = []
    var index = text.startIndex
    while index < text.endIndex {
      guard text[index] == UInt8(ascii: "%") else {
        decoded.append(text[index])
        index += 1
        continue
      }
      guard index + 2 < text.endIndex, let high = hexValue(text[index + 1]),
        let low = hexValue(text[index + 2]), high * 16 + low > 0
      else { return nil }
      decoded.append(high * 16 + low)
      index += 3
    }
    return decoded
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
