/// What there is in a library.
package struct LibraryFigures: Hashable, Sendable {
  /// How many artists, albums and songs there are.
  package var artists = 0
  package var albums = 0
  package var songs = 0
  /// Seconds of sound in all songs.
  package var playtime: Int64 = 0
  /// When it was changed last, in seconds since 1970.
  package var updated: Int64 = 0
}
