/// What `stats` answers.
package struct StatsReply: Hashable, Sendable {
  /// What is known of the songs in the home directory.
  package struct Database: Hashable, Sendable {
    /// How many artists, albums and songs there are.
    package var artists: Int
    package var albums: Int
    package var songs: Int
    /// Seconds of sound in all songs.
    package var playtime: Int64
    /// When it was changed last, in seconds since 1970.
    package var updated: Int64

    /// All of it.
    package init(artists: Int, albums: Int, songs: Int, playtime: Int64, updated: Int64) {
      self.artists = artists
      self.albums = albums
      self.songs = songs
      self.playtime = playtime
      self.updated = updated
    }
  }

  /// Seconds since the server began.
  package var uptime: Int64
  /// Seconds of sound since then.
  package var playtime: Int64
  /// `nil` without a database: a real server has no lines of it then.
  package var database: Database?

  /// Both times in seconds.
  package init(uptime: Int64, playtime: Int64, database: Database? = nil) {
    self.uptime = uptime
    self.playtime = playtime
    self.database = database
  }

  /// The lines, in mpd's order.
  package func write(into reply: inout Reply) {
    reply.append("uptime", uptime)
    reply.append("playtime", playtime)
    guard let database else { return }
    reply.append("artists", database.artists)
    reply.append("albums", database.albums)
    reply.append("songs", database.songs)
    reply.append("db_playtime", database.playtime)
    reply.append("db_update", database.updated)
  }
}
