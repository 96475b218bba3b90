import Transfer

/// Parses the text of playlists into entries. Does not access the file system.
package enum PlaylistText {
  package struct Entry: Hashable, Sendable {
    /// The line of the entry, counted from 1.
    package var line: Int
    /// A path or URL, as written.
    package var text: [UInt8]
    package var title: String?
  }

  package struct Problem: Hashable, Sendable {
    package var line: Int
    package var reason: String
  }

  package struct Content: Hashable, Sendable {
    package var entries: [Entry] = []
    package var problems: [Problem] = []
    var isLiveStreaming = false
  }

  /// The maximum length of a line in bytes. A path has at most 4095 bytes (PATH_MAX), each of which takes up
  /// to three in a URL.
  package static let lineLimit = 3 * 4096 + 64

  /// Parses a playlist and returns its content. The format is PLS if `isPLS` is true, M3U if it is false.
  /// With nil, the format is PLS if the first line is `[playlist]`, whatever the file's name.
  ///
  /// Lines end with LF, CR LF or CR. A byte order mark and white space around a line are removed, and empty
  /// lines are skipped. In M3U, lines that begin with `#` are comments, except that `#EXTINF:` has the title
  /// of the next entry. In PLS only `FileN=` and `TitleN=` are read, in the order of N. Parsing stops after
  /// `limit` entries and problems.
  package static func parse(_ bytes: [UInt8], isPLS: Bool? = nil, limit: Int = .max) -> Content {
    var content = Content()
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      content.problems = [Problem(line: 1, reason: "UTF-16 text; save the playlist as UTF-8")]
      return content
    }
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var isPLS = isPLS
    var numbered: [(number: Int, entry: Entry)] = []
    var title: String?
    var titles: [Int: String] = [:]
    forEachLine(bytes[start...]) { line, text in
      if isPLS == nil { isPLS = lowercased(text) == Array("[playlist]".utf8) }
      if text.first == UInt8(ascii: "#") {
        if text.starts(with: "#EXTINF:".utf8) { title = Self.title(inEXTINF: text) }
        if text.starts(with: "#EXT-X-".utf8) { content.isLiveStreaming = true }
        return true
      }
      if let reason = flaw(of: text) {
        content.problems.append(Problem(line: line, reason: reason))
      } else if isPLS == true {
        if let (number, value) = numberedEntry("file", text) {
          numbered.append((number, Entry(line: line, text: value)))
        } else if let (number, value) = numberedEntry("title", text) {
          titles[number] = LenientText.clean(value)
        }
      } else {
        content.entries.append(Entry(line: line, text: Array(text), title: title))
        title = nil
      }
      return content.entries.count + content.problems.count + numbered.count < limit
    }
    content.entries += numbered.sorted { ($0.number, $0.entry.line) < ($1.number, $1.entry.line) }
      .map { number, entry in Entry(line: entry.line, text: entry.text, title: titles[number]) }
    return content
  }

  /// Returns the title in a line `#EXTINF:SECONDS,TITLE`; nil if the line has none.
  private static func title(inEXTINF text: ArraySlice<UInt8>) -> String? {
    guard let comma = text.firstIndex(of: UInt8(ascii: ",")) else { return nil }
    let title = LenientText.clean(text[(comma + 1)...])
    return title.isEmpty ? nil : title
  }

  private static func flaw(of text: ArraySlice<UInt8>) -> String? {
    if text.count > lineLimit { return "a line of more than \(lineLimit) bytes" }
    return text.contains(0) ? "not text" : nil
  }

  /// Calls `body` with the number and trimmed text of each line that is not empty, until it returns false.
  private static func forEachLine(_ bytes: ArraySlice<UInt8>, _ body: (Int, ArraySlice<UInt8>) -> Bool) {
    var line = 1
    var start = bytes.startIndex
    var index = start
    while index <= bytes.endIndex {
      let isEnd = index == bytes.endIndex
      if isEnd || bytes[index] == 0x0A || bytes[index] == 0x0D {
        let text = trimmed(bytes[start..<index])
        if !text.isEmpty, !body(line, text) { return }
        if isEnd { return }
        line += 1
        if bytes[index] == 0x0D, index + 1 < bytes.endIndex, bytes[index + 1] == 0x0A { index += 1 }
        start = index + 1
      }
      index += 1
    }
  }

  static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let start = text.firstIndex { !isSpace($0) } ?? text.endIndex
    let end = text.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
    return text[start..<end]
  }

  static func lowercased(_ text: ArraySlice<UInt8>, _ limit: Int = 64) -> [UInt8] {
    text.prefix(limit).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }

  /// Returns the number N and the value of a line `NAMEN=value`, such as `File1=…`; nil for any other line.
  private static func numberedEntry(
    _ name: StaticString, _ text: ArraySlice<UInt8>
  ) -> (number: Int, value: [UInt8])? {
    let length = name.utf8CodeUnitCount
    guard name.withUTF8Buffer({ lowercased(text).starts(with: $0) }),
      let equals = text.firstIndex(of: UInt8(ascii: "="))
    else { return nil }
    let digits = trimmed(text[(text.startIndex + length)..<equals])
    let value = trimmed(text[(equals + 1)...])
    guard let number = Int(String(decoding: digits, as: UTF8.self)), number >= 0, !value.isEmpty else {
      return nil
    }
    return (number, Array(value))
  }
}
