package import AudioCore
package import HostTime
import RemoteMedia
package import Transfer

/// Reads tags of network media, one at a time.
package struct NetworkTags: Sendable {
  private let settings: NetworkSettings
  private let clock: any HostClock

  /// Creates a reader with the given settings. The transport is created with the first tag.
  package init(_ settings: NetworkSettings = NetworkSettings(), clock: any HostClock) {
    self.settings = settings
    self.clock = clock
  }

  /// Returns the tag at the beginning of the medium at `url`, with its pictures. Returns nil as `TagFetch`
  /// does, and when `interruption`, polled ten times a second, returns a reason; the requests are then
  /// cancelled. Blocks for slightly more than `TagFetch.timeLimit` at most. Must not be called on a virtual
  /// clock's thread.
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
