import Foundation

/// The W3C's Extended Log File Format: a line with the version, a line of field names, then a line for each entry.
enum ExtendedLogText {
  typealias Fields = [(name: String, value: Value)]

  enum Value {
    /// Text, written in quotation marks.
    case text(String?)
    /// A word, number or address; written as unknown if empty or with white space.
    case word(String?)
    /// A number; values below 0 mean unknown.
    case number(Double)
  }

  /// Returns the log of entries, each with the same fields, as text in UTF-8.
  static func data(_ entries: [Fields]) -> Data {
    var text = "#Version: 1.0\n"
    if let first = entries.first { text += "#Fields: \(first.map(\.name).joined(separator: " "))\n" }
    for entry in entries { text += entry.map { written($0.value) }.joined(separator: " ") + "\n" }
    return Data(text.utf8)
  }

  /// Returns the fields `date` and `time` for a date, in UTC.
  static func fields(of date: Date?) -> Fields {
    let parts = date.map { $0.formatted(.iso8601).dropLast().split(separator: "T").map(String.init) } ?? []
    return [("date", .word(parts.first)), ("time", .word(parts.last))]
  }

  private static func written(_ value: Value) -> String {
    switch value {
    case .text(let text?):
      "\"\(text.map { $0.isNewline ? " " : String($0) }.joined().replacingOccurrences(of: "\"", with: "\"\""))\""
    case .word(let word?): word.contains { $0.isWhitespace } || word.isEmpty ? "-" : word
    case .number(let number) where number >= 0:
      number == number.rounded() && number < 1e15 ? String(Int64(number)) : String(format: "%.3f", number)
    case .text(nil), .word(nil), .number: "-"
    }
  }
}
