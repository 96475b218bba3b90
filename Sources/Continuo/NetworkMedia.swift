package import AudioCore
import CurlTransport
package import HostTime
package import MP3Decoding
import QueuePlayer
package import RemoteMedia
import Synchronization
package import Transfer

/// How media come from the network.
package struct NetworkSettings: Sendable {
  /// What all requests have in common. The fields and the credentials of an asset come before those here.
  package var requests = RequestSettings(userAgent: "Continuo/\(Version.number)")
  /// Seconds that items are to read ahead, for those who make them; 0: the player chooses.
  package var bufferDuration = 0.0
  /// How long is waited.
  package var times = TransferTimes()
  /// Returns what keeps the bytes. Called at each URL of clients, so it is to be the same each time.
  package var makeCache: @Sendable () -> MediaCache = { MediaCache() }
  /// Returns what sends the requests: the same each time, so that one thread and one limit of requests for each host serve all.
  package var makeTransport: @Sendable (any HostClock) -> any HTTPTransport = {
    CurlTransport.shared(clock: $0)
  }
  /// Begins to open the bytes of a medium; nil: as MPEG audio.
  package var makeOpening: (@Sendable (any ByteSource, MP3File.Options, MP3Opening.Stream?) -> MediaOpening)?
  /// A number for what is random, another one for each medium.
  package var makeSeed: @Sendable () -> UInt64 = { .random(in: 0 ... .max) }

  /// The usual ones: libcurl, the user's cache folder.
  package init() {}
}

/// Makes the media of an environment on the network. What they share is made with the first one, so that who plays only
/// files has none of it.
final class NetworkMedia: Sendable {
  private let settings: NetworkSettings
  private let clock: any HostClock
  private let shared = Mutex<RemoteEnvironment?>(nil)

  init(_ settings: NetworkSettings, clock: any HostClock) {
    self.settings = settings
    self.clock = clock
  }

  func medium(
    _ asset: RemoteAsset, onNote: @escaping @Sendable (TransferNote) -> Void
  ) -> RemoteMedium {
    var requests = settings.requests(reach: asset.reach)
    for field in asset.fields.all { requests.fields.set(field.name, field.value) }
    if let userAgent = asset.userAgent { requests.userAgent = userAgent }
    requests.credentials = asset.credentials ?? requests.credentials
    var environment = environment
    if let transport = asset.transport {
      environment.transport = transport
      // A person may have to be asked first: only that nothing comes at all ends it.
      environment.times.connect = .infinity
      environment.times.firstByte = .infinity
      environment.times.stall = .infinity
    }
    return RemoteMedium(
      url: asset.url, settings: requests, options: MP3File.Options(preciseDuration: asset.isPrecise),
      environment: environment, onNote: onNote)
  }

  private var environment: RemoteEnvironment {
    shared.withLock { shared in
      if let shared { return shared }
      var environment = RemoteEnvironment(
        transport: settings.makeTransport(clock), clock: clock, cache: settings.makeCache())
      environment.times = settings.times
      environment.makeSeed = settings.makeSeed
      if let makeOpening = settings.makeOpening { environment.makeOpening = makeOpening }
      shared = environment
      return environment
    }
  }
}

extension NetworkSettings {
  /// What requests for a URL say that may lead so far; nil: as far as those of the user's own.
  func requests(reach: NetworkReach?) -> RequestSettings {
    var requests = requests
    if let reach, reach != .all {
      // Somebody else chose the URL: what was given for the user's own ones is not sent there.
      requests.fields = HTTPFields()
      requests.credentials = nil
    }
    if let reach { requests.reach = reach }
    return requests
  }
}
