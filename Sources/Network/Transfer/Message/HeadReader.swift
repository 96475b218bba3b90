package struct HeadReader: Sendable {
  private var head: ResponseHead?
  private var count = 0

  package init() {}

  /// Parses the next line. Returns the head after its last, empty line; nil before. Interim responses (100
  /// Continue) are skipped. Throws `badAnswer` for a line or a head that is too long, and for text that is
  /// not HTTP.
  package mutating func add(_ bytes: [UInt8]) throws(TransferFailure) -> ResponseHead? {
    count += bytes.count
    guard bytes.count <= NetworkLimits.headerLine, count <= NetworkLimits.head else {
      throw TransferFailure(.badAnswer, "the head of the answer is too long")
    }
    let end = bytes.lastIndex { $0 != 0x0A && $0 != 0x0D } ?? -1
    let line = LenientText.read(bytes[...end])
    guard var present = head else {
      guard let first = ResponseHead(statusLine: line) else {
        throw TransferFailure(.badAnswer, "the answer is no HTTP")
      }
      head = first
      return nil
    }
    if line.isEmpty {
      head = nil
      if (100..<200).contains(present.status) { return nil }
      return present
    }
    if let first = line.utf8.first, first == 0x20 || first == 0x09 {
      present.fields.extend(line)
    } else if let colon = line.firstIndex(of: ":") {
      present.fields.add(line[..<colon].trimmedOfBlanks, String(line[line.index(after: colon)...]))
    }
    // A line without a colon is ignored.
    head = present
    return nil
  }
}

/// Decodes text from servers that do not name its encoding.
package enum LenientText {
  /// Returns the text, decoded as UTF-8 if valid, or else as Latin-1, because stations write their names in
  /// either.
  package static func read(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }

  /// Returns the decoded text with control characters replaced by blanks, and with trimmed ends.
  package static func clean(_ bytes: some Collection<UInt8>) -> String {
    var text = read(bytes)
    text.unicodeScalars = String.UnicodeScalarView(
      text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
    return text.trimmedOfBlanks
  }
}
