internal import TextFormatting

/// The title of a drawing: the command of the run, and its circumstances.
package struct RunTitle: Hashable, Sendable {
  /// The command line.
  package var command: String
  /// The version, the date and notes.
  package var details = ""
}

extension RunTitle {
  /// Creates the title of a run of a program with these arguments, at a time of the wall clock.
  package init(
    program: String, arguments: [String], version: String, secondsSince1970: Double, notes: String
  ) {
    command = ([program] + arguments.map(Self.quoted)).joined(separator: " ")
    details = "Continuo \(version); \(Self.date(secondsSince1970)); \(notes)"
  }

  /// Returns a time in UTC by ISO 8601, to the millisecond: `2026-05-01T08:00:00.250Z`. A time before 1970 becomes
  /// the beginning of 1970.
  package static func date(_ secondsSince1970: Double) -> String {
    let thousandths = Int64((min(max(secondsSince1970, 0), 2.5e11) * 1000).rounded())
    let time = UTCTime(secondsSince1970: thousandths / 1000)
    let date = "\(time.year.digits(4))-\(time.month.digits(2))-\(time.day.digits(2))"
    return "\(date)T\(time.hour.digits(2)):\(time.minute.digits(2)):\(time.second.digits(2))"
      + ".\((thousandths % 1000).digits(3))Z"
  }

  /// Returns an argument, quoted for a shell if necessary.
  private static func quoted(_ argument: String) -> String {
    let isPlain = argument.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0) || "-_./:=,+@%".unicodeScalars.contains($0)
    }
    if isPlain, !argument.isEmpty { return argument }
    return "'" + argument.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }

  /// Returns the lines of the title, broken at spaces into at most `columns` columns. A longer word is
  /// shortened, and a title of more than `lineLimit` lines too.
  func lines(columns: Int) -> [String] {
    var lines: [String] = []
    for text in [command, details] {
      var line = ""
      for word in text.split(separator: " ") {
        if line.isEmpty {
          line = String(word)
        } else if TerminalText.width(line) + 1 + TerminalText.width(word) <= columns {
          line += " " + word
        } else {
          lines.append(line)
          line = String(word)
        }
        if lines.count > Self.lineLimit { break }
      }
      if !line.isEmpty { lines.append(line) }
    }
    return lines.prefix(Self.lineLimit).map { TerminalText.truncated($0, columns: columns) }
  }

  /// The maximum number of lines: more than a typed command takes.
  private static let lineLimit = 12
}
