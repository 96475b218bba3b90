package import Transfer

/// The result of reading a URL that may lead to a playlist.
package struct PlaylistAnswer: Sendable {
  package struct Medium: Hashable, Sendable {
    package var entry: NetworkPlaylist.Entry
    /// Media that a public server names must not be at private addresses.
    package var reach: NetworkReach

    package init(_ entry: NetworkPlaylist.Entry, reach: NetworkReach) {
      self.entry = entry
      self.reach = reach
    }
  }

  package var media: [Medium] = []
  package var problems: [NetworkPlaylist.Problem] = []
  /// The reason why the playlist was not read, or not completely.
  package var failure: String?
  /// Whether the URL leads to a playlist. If false and `failure` is nil, it leads to a medium.
  package var isPlaylist = false

  package init() {}
}

/// Reads the playlist at a URL and the playlists that it names. Blocks on the network, for at most about
/// `NetworkLimits.playlistTime` seconds. `interruption` is called ten times a second; a reason that it
/// returns cancels the requests and is the failure.
package typealias PlaylistReading =
  @Sendable (WebURL, Credentials?, NetworkReach, _ interruption: () -> String?) -> PlaylistAnswer
