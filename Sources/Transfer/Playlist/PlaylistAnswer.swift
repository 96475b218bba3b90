/// What came of a URL that may be one of a playlist.
package struct PlaylistAnswer: Sendable {
  /// A medium that a playlist names.
  package struct Medium: Hashable, Sendable {
    /// Where it is, and what the playlist calls it.
    package var entry: NetworkPlaylist.Entry
    /// Which addresses it may be at: what a public server names is not looked for at a private one.
    package var reach: NetworkReach

    /// A medium with these properties.
    package init(_ entry: NetworkPlaylist.Entry, reach: NetworkReach) {
      self.entry = entry
      self.reach = reach
    }
  }

  /// The media, in order.
  package var media: [Medium] = []
  /// Entries that cannot be used.
  package var problems: [NetworkPlaylist.Problem] = []
  /// Why nothing, or not all, was read.
  package var failure: String?
  /// Whether the URL is that of a playlist. If it is not, and `failure` is nil, it is that of a medium.
  package var isPlaylist = false

  /// An answer that says nothing yet.
  package init() {}
}

/// Reads the playlist at a URL, with those that it names. Blocks on the network, for at most `NetworkLimits.playlistTime` and a
/// moment. `interruption` is asked ten times a second; where it gives a reason, the requests are cancelled, and that reason is
/// the failure.
package typealias PlaylistReading =
  @Sendable (
    WebURL, Credentials?, NetworkReach, _ interruption: () -> String?
  ) -> PlaylistAnswer
