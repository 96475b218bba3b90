import TextFormatting

/// The parts of a URL or reference (RFC 3986, appendix B), without the fragment. In path and query, bytes that a URL
/// may not contain are percent-encoded.
struct URLReference {
  /// The scheme in lower case.
  var scheme: String?
  var authority: String?
  var path: String
  var query: String?

  init(_ text: String) throws(WebURL.Problem) {
    let text = text.trimmedOfBlanks
    guard text.utf8.count <= NetworkLimits.url else { throw .tooLong }
    guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .malformed }
    var rest = text[...]
    if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
    if let mark = rest.firstIndex(of: "?") {
      query = try Self.encoded(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    let head = rest.prefix { $0 != "/" }
    if let colon = head.firstIndex(of: ":"), Self.isScheme(head[..<colon]) {
      scheme = head[..<colon].lowercased()
      rest = rest[rest.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      let place = rest.dropFirst(2).prefix { $0 != "/" }
      authority = String(place)
      rest = rest[place.endIndex...]
    }
    path = try Self.encoded(rest)
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, first.isLetter else { return false }
    return text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
  }

  /// Returns the text with percent-encoded blanks and bytes that are not allowed in a URL. Percent signs are
  /// unchanged.
  private static func encoded(_ text: Substring) throws(WebURL.Problem) -> String {
    let bytes = PercentEncoding.encode(Array(text.utf8).span) { byte in
      byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}".utf8.contains(byte)
    }
    guard bytes.count <= NetworkLimits.url else { throw .tooLong }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the path without the segments `.` and `..` (RFC 3986, 5.2.4). The result begins with a slash.
  static func withoutDots(_ path: some StringProtocol) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    var kept: [String] = []
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      switch part {
      case "" where index == 0: break
      case ".": if isLast { kept.append("") }
      case "..":
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(String(part))
      }
    }
    return "/" + kept.joined(separator: "/")
  }
}

struct Authority {
  let credentials: Credentials?
  let host: String
  let port: Int?

  init(_ text: String) throws(WebURL.Problem) {
    var rest = text[...]
    var found: Credentials?
    if let at = rest.lastIndex(of: "@") {
      let pair = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = pair.map { String(decoding: PercentEncoding.decode($0.utf8).bytes, as: UTF8.self) }
      let (user, password) = (texts.first ?? "", texts.count > 1 ? texts[1] : "")
      if !user.isEmpty || !password.isEmpty { found = Credentials(user: user, password: password) }
      rest = rest[rest.index(after: at)...]
    }
    credentials = found
    let name: Substring
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]") else { throw .malformed }
      name = rest[...end]
      guard name.count > 3,
        name.dropFirst().dropLast().utf8.allSatisfy({ $0.isHexDigit || $0 == 0x3A || $0 == 0x2E })
      else { throw .malformed }
      rest = rest[rest.index(after: end)...]
    } else {
      name = rest.prefix { $0 != ":" }
      let isHost: (UInt8) -> Bool = {
        $0 >= 0x80 || $0.isLetter || $0.isDigit || "-._~!$&'()*+,;=".utf8.contains($0)
      }
      guard !name.isEmpty, name.utf8.allSatisfy(isHost) else { throw .malformed }
      rest = rest[name.endIndex...]
    }
    host = name.lowercased()
    let digits = rest.dropFirst()
    guard rest.isEmpty || rest.first == ":", digits.utf8.allSatisfy(\.isDigit) else { throw .malformed }
    // A colon without a number means the default port.
    port = Int(digits)
    guard digits.isEmpty || (1...65_535).contains(port ?? 0) else { throw .malformed }
  }
}

extension UInt8 {
  var isDigit: Bool { (0x30...0x39).contains(self) }
  var isLetter: Bool { (0x41...0x5A).contains(self | 0x20 == self ? self - 0x20 : self) }
  var isHexDigit: Bool { isDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self) }
}

extension StringProtocol {
  /// The text without blanks, tabs and line ends at both ends.
  var trimmedOfBlanks: String {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let bytes = Array(utf8)
    guard let first = bytes.firstIndex(where: { !isBlank($0) }),
      let last = bytes.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }
}
