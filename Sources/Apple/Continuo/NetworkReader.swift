package import AudioCore
package import Clocks
package import NetworkPlaylists
import RemoteMedia
import Synchronization
package import Transfer

/// Reads playlists and tags from the network. Methods block, and must not be called on the thread of a
/// virtual clock. A reason returned by `interruption`, which is polled ten times a second, cancels the
/// request.
package struct NetworkReader: Sendable {
  private let settings: NetworkSettings
  private let clock: any HostClock

  /// Creates a reader with the given settings. The transport is created with the first request.
  package init(_ settings: NetworkSettings = NetworkSettings(), clock: any HostClock) {
    self.settings = settings
    self.clock = clock
  }

  /// Reads the playlist at `url` and returns it, as `PlaylistReading` specifies.
  package func readPlaylist(
    _ url: WebURL, _ credentials: Credentials?, reach: NetworkReach, interruption: () -> String?
  ) -> PlaylistAnswer {
    let requests = settings.requests(reach: reach, credentials: credentials)
    let answer = AwaitedAnswer<PlaylistAnswer>()
    let reader = PlaylistReader(
      url, settings: requests, transport: settings.makeTransport(clock), clock: clock
    ) { answer.give($0) }
    do throws(Interruption) {
      return try withExtendedLifetime(reader) { () throws(Interruption) in try answer.wait(interruption) }
    } catch {
      var ended = PlaylistAnswer()
      ended.failure = error.reason
      return ended
    }
  }

  /// Returns the tag at the beginning of the medium at `url`, with its pictures; nil if `TagFetch` returns
  /// nil, or after an interruption. Blocks for slightly more than `TagFetch.timeLimit` at most.
  package func readTag(
    _ url: WebURL, _ credentials: Credentials?, reach: NetworkReach, interruption: () -> String?
  ) -> MediaTag? {
    let requests = settings.requests(reach: reach, credentials: credentials)
    let answer = AwaitedAnswer<MediaTag?>()
    let fetch = TagFetch(url, settings: requests, environment: settings.makeEnvironment(clock)) {
      answer.give($0)
    }
    return withExtendedLifetime(fetch) { try? answer.wait(interruption) }
  }
}

private struct Interruption: Error {
  let reason: String
}

/// An answer for which one thread blocks until another thread gives it.
private final class AwaitedAnswer<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let isThere = Semaphore()

  func give(_ value: Value) {
    self.value.withLock { $0 = value }
    isThere.post()
  }

  /// Returns the answer once it is available. Throws an `Interruption` if `interruption` returns a reason
  /// first. Blocks.
  func wait(_ interruption: () -> String?) throws(Interruption) -> Value {
    while true {
      let next = SystemClock.shared.now.advanced(bySeconds: 0.1)
      if isThere.wait(until: next), let value = value.withLock({ $0 }) { return value }
      if let reason = interruption() { throw Interruption(reason: reason) }
    }
  }
}
