import TextFormatting

/// Something that was to be played and cannot be.
package struct QueueProblem: Hashable, Sendable, CustomStringConvertible {
  /// The path or URL, for a person.
  package var name: String
  /// The playlist that names it, and the line there.
  package var origin: String?
  /// Why it cannot be played.
  package var reason: String

  /// The reason of a folder, named as such, that has no music.
  package static let noMusic = "no MP3 files in it"
  /// The reason of a link in a folder.
  static let brokenLink = "a link to nothing"

  /// One line for a person.
  package var description: String {
    TerminalText.sanitized((origin.map { "\($0): " } ?? "") + "\(name): \(reason)")
  }
}
