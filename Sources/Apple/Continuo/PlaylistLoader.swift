package import HostTime
package import NetworkPlaylists
package import Transfer

/// Reads playlists from the network, one at a time.
package struct PlaylistLoader: Sendable {
  private let settings: NetworkSettings
  private let clock: any HostClock

  /// Creates a reader with the given settings. The transport is created with the first playlist.
  package init(_ settings: NetworkSettings = NetworkSettings(), clock: any HostClock) {
    self.settings = settings
    self.clock = clock
  }

  /// Reads the playlist at `url`, as `PlaylistReading` specifies. Must not be called on a virtual clock's
  /// thread.
  package func read(
    _ url: WebURL, _ credentials: Credentials?, reach: NetworkReach, interruption: () -> String?
  ) -> PlaylistAnswer {
    var requests = settings.requests(reach: reach)
    requests.credentials = credentials ?? requests.credentials
    let answer = AwaitedAnswer<PlaylistAnswer>()
    let reader = PlaylistReader(
      url, settings: requests, transport: settings.makeTransport(clock), clock: clock
    ) { answer.give($0) }
    var reason: String?
    let found = withExtendedLifetime(reader) {
      answer.wait {
        reason = interruption()
        return reason != nil
      }
    }
    if let found { return found }
    var ended = PlaylistAnswer()
    ended.failure = reason
    return ended
  }
}
