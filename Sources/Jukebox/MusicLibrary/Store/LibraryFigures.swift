/// The statistics of a library.
package struct LibraryFigures: Hashable, Sendable {
  /// The numbers of artists, albums and songs.
  package var artists = 0
  package var albums = 0
  package var songs = 0
  /// The total duration of all songs, in seconds.
  package var playtime: Int64 = 0
  /// The time of the last change, in seconds since 1970.
  package var updated: Int64 = 0
}
