package import HostTime
import RemoteMedia
package import Transfer

/// Reads playlists of the network, one at a time.
package struct NetworkPlaylists: Sendable {
  private let settings: NetworkSettings
  private let clock: any HostClock

  /// What reads them with these settings; nothing is made before the first one is read.
  package init(_ settings: NetworkSettings = NetworkSettings(), clock: any HostClock) {
    self.settings = settings
    self.clock = clock
  }

  /// Reads the playlist at `url`, with those that it names. Blocks for at most `NetworkLimits.playlistTime` and a moment. Not on
  /// a virtual clock's thread.
  package func read(
    _ url: WebURL, _ credentials: Credentials?, reach: NetworkReach
  ) -> PlaylistAnswer {
    var requests = settings.requests(reach: reach)
    requests.credentials = credentials ?? settings.credentials(url, reach) ?? requests.credentials
    let answer = AwaitedAnswer<PlaylistAnswer>()
    let reader = PlaylistReader(
      url, settings: requests, transport: settings.makeTransport(clock), clock: clock
    ) { answer.give($0) }
    return withExtendedLifetime(reader) { answer.wait() }
  }
}
