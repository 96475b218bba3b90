/// The name of a song for display.
struct SongName: Hashable, Sendable, CustomStringConvertible {
  var artist: String?
  var title: String

  /// The text between artist and title.
  static let separator = " – "

  /// The artist and the title, or only the title.
  var description: String { artist.map { $0 + Self.separator + title } ?? title }
}
