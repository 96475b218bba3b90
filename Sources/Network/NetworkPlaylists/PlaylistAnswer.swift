package import Transfer

/// The result of reading a URL that may lead to a playlist.
package struct PlaylistAnswer: Sendable {
  /// A medium that a playlist names.
  package struct Medium: Hashable, Sendable {
    /// The medium's URL and its title in the playlist.
    package var entry: NetworkPlaylist.Entry
    /// The addresses that requests may reach: media that a public server names must not be at private
    /// addresses.
    package var reach: NetworkReach

    package init(_ entry: NetworkPlaylist.Entry, reach: NetworkReach) {
      self.entry = entry
      self.reach = reach
    }
  }

  /// The media, in order.
  package var media: [Medium] = []
  /// The entries that cannot be used.
  package var problems: [NetworkPlaylist.Problem] = []
  /// The reason why the playlist was not read, or not completely.
  package var failure: String?
  /// Whether the URL leads to a playlist. If false and `failure` is nil, it leads to a medium.
  package var isPlaylist = false

  package init() {}
}

/// Reads the playlist at a URL and the playlists that it names. Blocks on the network, for at most about
/// `NetworkLimits.playlistTime` seconds.
///
/// `interruption` is called ten times a second. If it returns a reason, the requests are cancelled and the
/// reason is the failure.
package typealias PlaylistReading =
  @Sendable (WebURL, Credentials?, NetworkReach, _ interruption: () -> String?) -> PlaylistAnswer
