import TextFormatting

/// A file, URL or playlist entry that cannot be played.
package struct QueueProblem: Hashable, Sendable, CustomStringConvertible {
  /// The path or URL, for a person.
  package var name: String
  /// The playlist that contains the entry, and its line number.
  package var origin: String?
  /// The reason, for a person.
  package var reason: String

  /// The reason for a folder without music that was named by an argument or entry.
  static let noMusic = "contains no MP3 files"
  /// The reason for a link in a folder that leads nowhere.
  static let brokenLink = "broken link"

  /// The problem in one line, safe for a terminal.
  package var description: String {
    TerminalText.sanitized((origin.map { "\($0): " } ?? "") + "\(name): \(reason)")
  }
}
