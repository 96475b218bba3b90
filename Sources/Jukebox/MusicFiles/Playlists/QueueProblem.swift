import TextFormatting

/// A file, URL or playlist entry that cannot be played.
package struct QueueProblem: Hashable, Sendable, CustomStringConvertible {
  package var name: String
  /// The playlist that contains the entry, with the entry's line number if known; nil outside of a playlist.
  package var origin: String?
  package var reason: String

  static let noMusic = "contains no songs"
  static let brokenLink = "broken link"

  package var description: String {
    TerminalText.sanitized((origin.map { "\($0): " } ?? "") + "\(name): \(reason)")
  }
}
