import TextFormatting

package struct ResponseHead: Hashable, Sendable {
  /// The status code, 100…999.
  package var status: Int
  /// Whether the status line began with `ICY` instead of `HTTP/`.
  package var isICY = false
  package var fields = HTTPFields()

  package init(status: Int, fields: [(String, String)] = []) {
    self.status = status
    for (name, value) in fields { self.fields.add(name, value) }
  }

  /// Parses a status line, such as `HTTP/1.1 206 Partial Content` or `ICY 200 OK`; nil if it is malformed.
  init?(statusLine line: String) {
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[0] == "ICY" || parts[0].hasPrefix("HTTP/"), parts[1].utf8.count == 3,
      let status = Int(parts[1]), status >= 100
    else { return nil }
    self.init(status: status)
    isICY = parts[0] == "ICY"
  }

  package var contentRange: ContentRange? { fields["Content-Range"].flatMap(ContentRange.init) }

  /// The body's announced length in bytes; nil if unknown, as for an encoded body.
  package var contentLength: Int64? {
    guard !isEncoded, fields["Transfer-Encoding"] == nil, let text = fields["Content-Length"], !text.isEmpty,
      text.utf8.allSatisfy(\.isDigit)
    else { return nil }
    return Int64(text)
  }

  /// Whether the body is encoded, with gzip for example. Ranges and lengths do not count its decoded bytes.
  package var isEncoded: Bool {
    guard let coding = fields["Content-Encoding"]?.lowercased() else { return false }
    return !coding.isEmpty && coding != "identity"
  }

  /// Whether the body has several parts, as a response with several ranges does.
  package var isMultipart: Bool { fields["Content-Type"]?.lowercased().hasPrefix("multipart/") ?? false }

  /// Whether `Accept-Ranges` says that the server does not support ranges.
  package var refusesRanges: Bool { fields["Accept-Ranges"]?.lowercased() == "none" }

  /// The `Location` of a redirect; nil for any other response, and without the field.
  package var redirect: String? { [301, 302, 303, 307, 308].contains(status) ? fields["Location"] : nil }

  /// The delay in seconds that the server requests, at most `NetworkLimits.retryAfter`; nil if none.
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

  package var validator: Validator? { Validator(self) }
}

package struct ContentRange: Hashable, Sendable {
  /// The range of the body's bytes; nil if the server has none of the requested bytes.
  package let bytes: Range<Int64>?
  /// The complete length in bytes; nil if the server does not know it.
  package let total: Int64?

  /// Parses `bytes 0-99/1000`, `bytes 0-99/*` or `bytes */1000`; nil for anything else.
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

/// A validator of a medium's version, strong enough for `If-Range` (RFC 9110, 13.1.5 and 8.8.2.2).
package enum Validator: Hashable, Sendable {
  /// A strong entity tag, with its quotes.
  case tag(String)
  /// The unchanged text of a `Last-Modified` at least a minute older than the response.
  case date(String)

  init?(_ head: ResponseHead) {
    if let tag = head.fields["ETag"] {
      // A response with a tag must not be validated by date, even if the tag is weak.
      guard tag.utf8.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return nil }
      self = .tag(tag)
      return
    }
    guard let text = head.fields["Last-Modified"], let modified = HTTPDate(text),
      let now = head.fields["Date"].flatMap(HTTPDate.init), now.seconds - modified.seconds >= 60
    else { return nil }
    self = .date(text)
  }

  /// The value of `If-Range`.
  package var text: String {
    switch self {
    case .tag(let text), .date(let text): text
    }
  }
}

/// An HTTP date in the current format: `Sun, 06 Nov 1994 08:49:37 GMT`.
package struct HTTPDate: Hashable, Sendable {
  /// Seconds since 1 January 1970, 00:00 UTC.
  package let seconds: Int64

  /// Parses a date; nil for anything else, including the two obsolete formats.
  package init?(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), (1...31).contains(day),
      let month = Self.months.firstIndex(of: String(parts[2])), let year = Int(parts[3]),
      (1970...9999).contains(year)
    else { return nil }
    let clock = parts[4].split(separator: ":").compactMap { Int64($0) }
    guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]),
      (0...60).contains(clock[2])
    else { return nil }
    let days = UTCTime.days(year, month + 1, day)
    seconds = Int64(days) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
