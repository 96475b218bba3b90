package import Transfer

/// What is known of a download that is not finished: enough to go on with it later, in another process.
///
/// Has no credentials and no header fields of requests. Its URL has the query, which may be a secret of its own.
package struct DownloadRecord: Hashable, Sendable {
  /// What was asked for.
  package let url: WebURL
  /// How many bytes are on the disk, safe from a power cut.
  package internal(set) var length: Int64 = 0
  /// How many the whole has, if the server told it.
  package internal(set) var total: Int64?
  /// Whether the server has answered a request for a part with that part.
  package internal(set) var hasRanges = false
  /// `ETag`, `Last-Modified` and `Date` of the last answer, as far as it had them.
  package internal(set) var version = HTTPFields()

  /// The record of a download that has nothing yet.
  package init(url: WebURL) { self.url = url }

  /// Whether another process gets the rest only, from a server that does as it did before: what resume data promise.
  package var isResumable: Bool {
    length > 0 && hasRanges && (version["ETag"] != nil || version["Last-Modified"] != nil)
  }

  private static let heading = "continuo download 1"
  private static let fields = ["ETag", "Last-Modified", "Date"]

  // MARK: As bytes

  /// The record as lines of text, to be kept: `init(bytes:)` reads them.
  package var bytes: [UInt8] {
    var lines = [Self.heading, "url: \(url.text)", "length: \(length)"]
    if let total { lines.append("total: \(total)") }
    if hasRanges { lines.append("ranges: yes") }
    lines += version.all.map { "\($0.name): \($0.value)" }
    return Array((lines.joined(separator: "\n") + "\nend\n").utf8)
  }

  /// Reads a record; nil if these bytes are none, or one of a later version of this program.
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

  /// What a machine needs to know to go on.
  var stored: StoredVersion {
    var stored = StoredVersion()
    guard length > 0 else { return stored }
    stored.total = total
    var head = ResponseHead(status: 200)
    head.fields = version
    stored.validator = head.validator
    return stored
  }

  /// Notes what an answer says of the version that it has.
  mutating func take(_ head: ResponseHead) {
    version = HTTPFields()
    guard !head.isEncoded else { return }
    for name in Self.fields {
      // What a request could not have is of no use.
      if let value = head.fields[name], HTTPFields.allows(name, value) { version.add(name, value) }
    }
  }

  /// Whether a part that was sent without a condition belongs to another version than what is stored, by what the server
  /// says of it: a weak tag, or a date that could not be a condition.
  func differs(from head: ResponseHead) -> Bool {
    ["ETag", "Last-Modified"].contains { name in
      guard let known = version[name], let other = head.fields[name] else { return false }
      return known != other
    }
  }
}
