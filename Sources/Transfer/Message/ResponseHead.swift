/// The head of a response: its status and its header fields.
package struct ResponseHead: Hashable, Sendable {
  /// The status, 100 to 999.
  package var status: Int
  /// Whether the status line was `ICY 200 OK` instead of HTTP.
  package var isICY = false
  /// The header fields.
  package var fields = HTTPFields()

  /// A head with this status and these fields.
  package init(status: Int, fields: [(String, String)] = []) {
    self.status = status
    for (name, value) in fields { self.fields.add(name, value) }
  }

  /// Reads a status line, such as `HTTP/1.1 206 Partial Content` or `ICY 200 OK`; nil if it is none.
  init?(statusLine line: String) {
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[0] == "ICY" || parts[0].hasPrefix("HTTP/"), parts[1].utf8.count == 3,
      let status = Int(parts[1]), status >= 100
    else { return nil }
    self.init(status: status)
    isICY = parts[0] == "ICY"
  }

  /// What `Content-Range` says.
  package var contentRange: ContentRange? { fields["Content-Range"].flatMap(ContentRange.init) }

  /// The body's length in bytes. Nil if it is not told, or if it is told of a body that is encoded.
  package var contentLength: Int64? {
    guard !isEncoded, fields["Transfer-Encoding"] == nil, let text = fields["Content-Length"], !text.isEmpty,
      text.utf8.allSatisfy(\.isDigit)
    else { return nil }
    return Int64(text)
  }

  /// Whether the body is encoded (gzip) although nobody asked for it: ranges and lengths then do not count its bytes.
  package var isEncoded: Bool {
    guard let coding = fields["Content-Encoding"]?.lowercased() else { return false }
    return !coding.isEmpty && coding != "identity"
  }

  /// Whether the body consists of several ranges.
  package var isMultipart: Bool {
    fields["Content-Type"]?.lowercased().hasPrefix("multipart/") ?? false
  }

  /// Whether the server says that it has no ranges.
  package var refusesRanges: Bool { fields["Accept-Ranges"]?.lowercased() == "none" }

  /// Where the server says that the medium is, if this is a redirect.
  package var redirect: String? {
    [301, 302, 303, 307, 308].contains(status) ? fields["Location"] : nil
  }

  /// Seconds to wait before the next request, as the server asks for; at most `NetworkLimits.retryAfter`.
  package var retryAfter: Double? {
    guard let text = fields["Retry-After"] else { return nil }
    let seconds: Double
    if let number = Int64(text) {
      seconds = Double(number)
    } else if let date = HTTPDate(text), let now = fields["Date"].flatMap(HTTPDate.init) {
      seconds = Double(date.seconds - now.seconds)
    } else {
      return nil
    }
    return min(max(seconds, 0), NetworkLimits.retryAfter)
  }

  /// What a request can be made conditional with.
  package var validator: Validator? { Validator(self) }
}

/// What `Content-Range` says: which bytes follow, and how many there are in all.
package struct ContentRange: Hashable, Sendable {
  /// The bytes that follow; nil where the server says that it has none of those asked for.
  package let bytes: Range<Int64>?
  /// How many bytes the whole has; nil if the server does not know.
  package let total: Int64?

  /// Reads `bytes 0-99/1000`, `bytes 0-99/*` or `bytes */1000`; nil for anything else.
  package init?(_ text: String) {
    guard text.lowercased().hasPrefix("bytes") else { return nil }
    let rest = text.dropFirst(5)
    guard let slash = rest.firstIndex(of: "/") else { return nil }
    let range = rest[..<slash].trimmedOfBlanks
    let whole = rest[rest.index(after: slash)...].trimmedOfBlanks
    let total = whole == "*" ? nil : Self.number(whole)
    guard whole == "*" || total != nil else { return nil }
    self.total = total
    if range == "*" {
      guard total != nil else { return nil }
      bytes = nil
      return
    }
    let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { Self.number($0) }
    guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < .max else {
      return nil
    }
    if let total, last >= total { return nil }
    bytes = first..<last + 1
  }

  private static func number(_ text: some StringProtocol) -> Int64? {
    text.utf8.allSatisfy(\.isDigit) ? Int64(text) : nil
  }
}

/// What tells one version of a medium from another, strong enough for `If-Range` (RFC 9110, 13.1.5 and 8.8.2.2).
package enum Validator: Hashable, Sendable {
  /// A strong entity tag, with its quotes.
  case tag(String)
  /// A `Last-Modified` that is at least a minute older than the answer, as it was written.
  case date(String)

  /// The validator of a response, if it has one.
  init?(_ head: ResponseHead) {
    if let tag = head.fields["ETag"] {
      // With a tag, a date may not be used even if the tag is weak.
      guard tag.utf8.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return nil }
      self = .tag(tag)
      return
    }
    guard let text = head.fields["Last-Modified"], let modified = HTTPDate(text),
      let now = head.fields["Date"].flatMap(HTTPDate.init), now.seconds - modified.seconds >= 60
    else { return nil }
    self = .date(text)
  }

  /// As `If-Range` has it.
  package var text: String {
    switch self {
    case .tag(let text), .date(let text): text
    }
  }
}
