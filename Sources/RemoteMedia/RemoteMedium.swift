package import AudioCore
package import HostTime
import MP3Decoding
import Synchronization
package import Transfer

/// What media from the network share.
package struct RemoteEnvironment: Sendable {
  /// Who sends the requests.
  package var transport: any HTTPTransport
  /// The time.
  package var clock: any HostClock
  /// Where bytes are kept.
  package var cache: MediaCache
  /// How long is waited.
  package var times = TransferTimes()
  /// A number for what is random, another one for each medium.
  package var makeSeed: @Sendable () -> UInt64 = { .random(in: 0 ... .max) }

  /// An environment with the usual times.
  package init(transport: any HTTPTransport, clock: any HostClock, cache: MediaCache) {
    self.transport = transport
    self.clock = clock
    self.cache = cache
  }
}

/// An MPEG audio medium behind a URL. What was fetched of it stays as long as this object, or until others need the room.
package final class RemoteMedium: MediaSource {
  /// Where it is.
  package let url: WebURL
  private let settings: RequestSettings
  private let environment: RemoteEnvironment
  private let onNote: @Sendable (TransferNote) -> Void
  private let present = Mutex<RemoteFetch?>(nil)
  /// Where the last decoder began.
  private let lastBase = Mutex<Int64?>(nil)

  /// The medium at `url`; nothing is fetched before it is opened.
  ///
  /// - Parameter onNote: called with what happens, on a worker, in order. It must be short.
  package init(
    url: WebURL, settings: RequestSettings, environment: RemoteEnvironment,
    onNote: @escaping @Sendable (TransferNote) -> Void = { _ in }
  ) {
    self.url = url
    self.settings = settings
    self.environment = environment
    self.onNote = onNote
  }

  /// The fetch of the version that is played: a new one if the one before has ended because the server has another version,
  /// or failed.
  package var fetch: RemoteFetch {
    present.withLock { present in
      if let present, present.outcome == nil { return present }
      let fetch = RemoteFetch(
        url: url, settings: settings, transport: environment.transport, clock: environment.clock,
        cache: environment.cache, times: environment.times, seed: environment.makeSeed(), onNote: onNote)
      present = fetch
      lastBase.withLock { $0 = nil }
      return fetch
    }
  }

  /// Begins to open it at its beginning. The steps throw what `MP3File.open(whenBytesCome:)` says, and reason `.unreadable`
  /// with the transfer's message when it was given up.
  ///
  /// A live stream's decoder ends where the connection was lost; opened again, it goes on with the next one.
  package func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    let fetch = fetch
    let base = lastBase.withLock { last in
      let base = fetch.isLive ? fetch.placeToJoin(after: last) : 0
      last = base
      return base
    }
    let source = RemoteByteSource(fetch, from: base)
    source.whenBytesCome(callback)
    let opening = MP3Opening(source: source)
    return MediaOpening { () throws(DecodingError) in
      guard let decoder = try opening.proceed() else { return nil }
      if base == 0, let total = Self.expectedTotal(fetch.store) { fetch.tell(.expect(total: total)) }
      return decoder
    }
  }

  /// The length that the medium's Info frame tells.
  private static func expectedTotal(_ store: MediaStore) -> Int64? {
    func bytes(_ count: Int, at offset: Int64) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: count)
      let read = bytes.withUnsafeMutableBytes { store.read(into: $0, at: offset) }
      return Array(bytes[..<read])
    }
    let tag = InfoFrame.tagLength(bytes(10, at: 0))
    return InfoFrame.byteCount(bytes(InfoFrame.length, at: tag)).map { $0 + tag }
  }
}
