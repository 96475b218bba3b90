package import Transfer

/// The state of an unfinished download, sufficient to resume it later in another process.
///
/// The record has no credentials and no request header fields. Its URL includes the query, which may itself
/// be secret.
package struct DownloadRecord: Hashable, Sendable {
  /// The requested URL.
  package let url: WebURL
  /// The number of bytes that are on the disk and survive a power cut.
  package internal(set) var length: Int64 = 0
  /// The total length in bytes, if the server reported it.
  package internal(set) var total: Int64?
  /// Whether the server has answered a range request with the range.
  package internal(set) var hasRanges = false
  /// `ETag`, `Last-Modified` and `Date` of the last response, if present.
  package internal(set) var version = HTTPFields()

  /// Creates the record of a download without bytes.
  package init(url: WebURL) { self.url = url }

  /// Whether another process can fetch just the remaining bytes, provided that the server behaves as before:
  /// the promise of resume data.
  package var isResumable: Bool {
    length > 0 && hasRanges && (version["ETag"] != nil || version["Last-Modified"] != nil)
  }

  private static let heading = "continuo download 1"
  private static let fields = ["ETag", "Last-Modified", "Date"]

  // MARK: As bytes

  /// The record as lines of text, which `init(bytes:)` parses.
  package var bytes: [UInt8] {
    var lines = [Self.heading, "url: \(url.text)", "length: \(length)"]
    if let total { lines.append("total: \(total)") }
    if hasRanges { lines.append("ranges: yes") }
    lines += version.all.map { "\($0.name): \($0.value)" }
    return Array((lines.joined(separator: "\n") + "\nend\n").utf8)
  }

  /// Parses a record; nil if the bytes are not a record, or have the format of a later program version.
  package init?(bytes: [UInt8]) {
    guard bytes.count <= NetworkLimits.record else { return nil }
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard lines.first == Self.heading, lines.suffix(2) == ["end", ""] else { return nil }
    lines = lines.dropFirst().dropLast(2)
    var values: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      guard values.updateValue(String(value), forKey: String(line[..<colon])) == nil else { return nil }
    }
    guard let text = values["url"], let (url, credentials) = try? WebURL.read(text), credentials == nil,
      let length = values["length"].flatMap(Int64.init), length >= 0
    else { return nil }
    self.url = url
    self.length = length
    if let text = values["total"] {
      guard let total = Int64(text), total >= length else { return nil }
      self.total = total
    }
    hasRanges = values["ranges"] == "yes"
    for name in Self.fields {
      guard let value = values[name] else { continue }
      guard HTTPFields.allows(name, value) else { return nil }
      version.add(name, value)
    }
  }

  // MARK: Versions

  /// The facts that a transfer machine needs to resume.
  var stored: StoredVersion {
    var stored = StoredVersion()
    guard length > 0 else { return stored }
    stored.total = total
    var head = ResponseHead(status: 200)
    head.fields = version
    stored.validator = head.validator
    return stored
  }

  /// Records the version of a response.
  mutating func take(_ head: ResponseHead) {
    version = HTTPFields()
    guard !head.isEncoded else { return }
    for name in Self.fields {
      // A value that is not valid in a request is useless.
      if let value = head.fields[name], HTTPFields.allows(name, value) { version.add(name, value) }
    }
  }

  /// Whether a range sent without a condition belongs to another version than the stored bytes. Compares tags
  /// and dates, even those too weak for a conditional request.
  func differs(from head: ResponseHead) -> Bool {
    ["ETag", "Last-Modified"].contains { name in
      guard let known = version[name], let other = head.fields[name] else { return false }
      return known != other
    }
  }
}
