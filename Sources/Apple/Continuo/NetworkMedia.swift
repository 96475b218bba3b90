package import AudioCore
import AudioSession
package import Clocks
import CurlTransport
package import MP3Decoding
package import RemoteMedia
import Synchronization
package import Transfer

/// The settings for media from the network.
package struct NetworkSettings: Sendable {
  /// The common settings of all requests. An asset's header fields and credentials take precedence.
  package var requests = RequestSettings(userAgent: "Continuo/\(Version.number)")
  /// The preferred read-ahead of items in seconds, which the code that creates items must apply; 0 lets the player choose.
  package var bufferDuration = 0.0
  /// The timeouts for connecting, the first byte, stalls and starvation.
  package var times = TransferTimes()
  /// Returns the media cache. Called repeatedly. By default each cache is a new one, with a limit of its own.
  package var makeCache: @Sendable () -> MediaCache = { MediaCache() }
  /// Returns the transport. Must always return the same one, so that all requests share one thread and one
  /// limit of requests per host.
  package var makeTransport: @Sendable (any HostClock) -> any HTTPTransport = {
    CurlHTTPTransport.shared(clock: $0)
  }
  /// Starts opening a medium from its bytes; nil for the default, which detects the format.
  package var makeOpening: (@Sendable (any ByteSource, OpeningOptions, MP3Opening.Stream?) -> MediaOpening)?
  /// Returns a random seed, a different one for each medium.
  package var makeSeed: @Sendable () -> UInt64 = { .random(in: 0 ... .max) }

  /// Creates default settings: libcurl and the user's cache folder.
  package init() {}
}

/// Creates network media. Their shared environment is created with the first medium, because local files do
/// not need it.
final class NetworkMedia: Sendable {
  private let settings: NetworkSettings
  private let clock: any HostClock
  private let shared = Mutex<RemoteEnvironment?>(nil)

  init(_ settings: NetworkSettings, clock: any HostClock) {
    self.settings = settings
    self.clock = clock
  }

  func medium(_ asset: RemoteAsset, onNote: @escaping @Sendable (TransferNote) -> Void) -> RemoteMedium {
    var requests = settings.requests(reach: asset.reach, credentials: asset.credentials)
    for field in asset.fields.all { requests.fields.set(field.name, field.value) }
    if let userAgent = asset.userAgent { requests.userAgent = userAgent }
    var environment = environment
    if let transport = asset.transport {
      environment.transport = transport
      // The application's resource loader may first have to ask the user, so only `giveUp` limits the wait.
      environment.times.connect = .infinity
      environment.times.firstByte = .infinity
      environment.times.stall = .infinity
    }
    return RemoteMedium(
      url: asset.url, settings: requests, options: OpeningOptions(preciseDuration: asset.isPrecise),
      environment: environment, onNote: onNote)
  }

  private var environment: RemoteEnvironment {
    shared.withLock { shared in
      let environment = shared ?? settings.makeEnvironment(clock)
      shared = environment
      return environment
    }
  }
}

extension NetworkSettings {
  func makeEnvironment(_ clock: any HostClock) -> RemoteEnvironment {
    var environment = RemoteEnvironment(transport: makeTransport(clock), clock: clock, cache: makeCache())
    environment.times = times
    environment.makeSeed = makeSeed
    if let makeOpening { environment.makeOpening = makeOpening }
    return environment
  }

  /// Returns the settings of requests to the addresses in `reach`; nil keeps the reach of the settings. With a `reach`
  /// other than `all`, the user's header fields and credentials are dropped. If `credentials` is not nil, it replaces
  /// the user's credentials.
  func requests(reach: NetworkReach?, credentials: Credentials? = nil) -> RequestSettings {
    var requests = requests
    if let reach, reach != .all {
      // The URL does not come from the user, so the user's header fields and credentials must not be sent.
      requests.fields = HTTPFields()
      requests.credentials = nil
    }
    if let reach { requests.reach = reach }
    if let credentials { requests.credentials = credentials }
    return requests
  }
}
