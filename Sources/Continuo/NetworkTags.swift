package import AudioCore
package import HostTime
import RemoteMedia
package import Transfer

/// Reads tags of media on the network, one at a time.
package struct NetworkTags: Sendable {
  private let settings: NetworkSettings
  private let clock: any HostClock

  /// What reads them with these settings; nothing is made before the first one is read.
  package init(_ settings: NetworkSettings = NetworkSettings(), clock: any HostClock) {
    self.settings = settings
    self.clock = clock
  }

  /// The tag at the front of the medium at `url`, with its pictures; nil as for `TagFetch`, and once `interruption`, which is
  /// asked ten times a second, gives a reason: the requests are cancelled then. Blocks for at most `TagFetch.timeLimit` and a
  /// moment. Not on a virtual clock's thread.
  package func read(
    _ url: WebURL, _ credentials: Credentials?, reach: NetworkReach, interruption: () -> String?
  ) -> MediaTag? {
    var requests = settings.requests(reach: reach)
    requests.credentials = credentials ?? requests.credentials
    var environment = RemoteEnvironment(
      transport: settings.makeTransport(clock), clock: clock, cache: settings.makeCache())
    environment.times = settings.times
    let answer = AwaitedAnswer<MediaTag?>()
    let fetch = TagFetch(url, settings: requests, environment: environment) { answer.give($0) }
    return withExtendedLifetime(fetch) { answer.wait { interruption() != nil } ?? nil }
  }
}
