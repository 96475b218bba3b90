/// What a person calls a song.
struct SongName: Hashable, Sendable, CustomStringConvertible {
  var artist: String?
  var title: String

  /// Between artist and title.
  static let separator = " – "

  /// Artist and title, or the title.
  var description: String { artist.map { $0 + Self.separator + title } ?? title }
}
