package import AudioCore
package import HostTime
package import MP3Decoding
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
  /// Begins to open the bytes of a medium, as MPEG audio; those of a part of a live stream if there is one.
  package var makeOpening: @Sendable (any ByteSource, MP3File.Options, MP3Opening.Stream?) -> MediaOpening = {
    source, options, stream in
    let opening =
      stream.map { MP3Opening(source: source, stream: $0) } ?? MP3Opening(source: source, options: options)
    return MediaOpening { () throws(DecodingError) in try opening.proceed() }
  }

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
  private let options: MP3File.Options
  private let environment: RemoteEnvironment
  private let onNote: @Sendable (TransferNote) -> Void
  private let present = Mutex(Present())
  /// Frames of the live stream that decoders have read.
  private let frames = FrameCounter()

  private struct Present {
    /// What is fetched stays for as long as the medium.
    var fetch: RemoteFetch?
    /// A live stream is fetched only while a decoder reads it.
    weak var live: RemoteFetch?
    /// Playlists that led to it.
    var playlists = 0
    /// Counts the changes of `fetch` and `live`.
    var changes = 0
  }

  /// The medium at `url`; nothing is fetched before it is opened.
  ///
  /// - Parameter onNote: called with what happens, on a worker, in order. It must be short.
  package init(
    url: WebURL, settings: RequestSettings, options: MP3File.Options = MP3File.Options(),
    environment: RemoteEnvironment,
    onNote: @escaping @Sendable (TransferNote) -> Void = { _ in }
  ) {
    self.url = url
    self.settings = settings
    self.options = options
    self.environment = environment
    self.onNote = onNote
  }

  /// The fetch of the version that is played: a new one if the one before has ended because the server has another version,
  /// or failed, or if nobody has read the live stream that it was.
  package var fetch: RemoteFetch {
    // A fetch begins and ends outside the lock: its end waits for its worker, which may be calling back.
    while true {
      let (last, live, changes) = present.withLock { ($0.fetch, $0.live, $0.changes) }
      if let fetch = last ?? live, fetch.outcome == nil { return fetch }
      let fetch = makeFetch(of: url, settings)
      let isFirst = present.withLock { present in
        guard present.changes == changes else { return false }
        present.changes += 1
        present.fetch = fetch
        present.playlists = 0
        return true
      }
      // Keeps the replaced fetch until here, outside the lock.
      withExtendedLifetime(last) {}
      guard isFirst else { continue }
      fetch.begin()
      return fetch
    }
  }

  /// A fetch that has not begun.
  private func makeFetch(of url: WebURL, _ settings: RequestSettings) -> RemoteFetch {
    RemoteFetch(
      url: url, settings: settings, transport: environment.transport, clock: environment.clock,
      cache: environment.cache, times: environment.times, seed: environment.makeSeed(), begins: false,
      onNote: onNote)
  }

  /// What a tag at the front says, as far as it is stored: nothing is fetched for it.
  package func readTag() throws(DecodingError) -> MediaTag {
    guard let fetch = present.withLock({ $0.fetch }) else { return MediaTag() }
    var bytes = [UInt8](repeating: 0, count: Int(NetworkLimits.tagSkip))
    let count = bytes.withUnsafeMutableBytes { fetch.store.read(into: $0, at: 0) }
    return MediaTag(front: Array(bytes[..<count]))
  }

  /// The medium is the one that a playlist names, which was in its place; nil after too many of them.
  private func follow(_ entry: NetworkPlaylist.Entry, of playlist: RemoteFetch) -> RemoteFetch? {
    var settings = settings
    // What is meant for one host is not told to another.
    if entry.url.origin != url.origin {
      settings.fields = HTTPFields()
      settings.credentials = nil
    }
    if let credentials = entry.credentials { settings.credentials = credentials }
    if playlist.snapshot.response?.address?.isPublic == true { settings.reach = .publicOnly }
    let mayFollow = present.withLock { present in
      defer { present.playlists += 1 }
      return present.playlists < NetworkLimits.playlistsForMedium
    }
    guard mayFollow else { return nil }
    let fetch = makeFetch(of: entry.url, settings)
    let last = present.withLock { present in
      defer { present.fetch = fetch }
      present.changes += 1
      return present.fetch
    }
    withExtendedLifetime(last) {}
    fetch.begin()
    return fetch
  }

  /// It is.
  package var isRemote: Bool { true }

  /// Begins to open it at its beginning, or where a live stream is. The steps throw what `MP3File.open(whenBytesCome:)` says,
  /// and what `DecodingError(_:)` makes of a failure when the transfer was given up.
  ///
  /// Where the server has another version of it meanwhile, the decoder goes on with that at the same time.
  package func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    let version = version(fetch, callback)
    return MediaOpening { () throws(DecodingError) in
      guard let decoder = try version.opening.proceed() else { return nil }
      if decoder.live != nil { return decoder }
      return VersionedDecoder(decoder, successor: version.successor, onEntry: { self.onNote(.entered) })
    }
  }

  private func version(
    _ fetch: RemoteFetch, _ callback: @escaping @Sendable () -> Void
  ) -> VersionedDecoder.Version {
    let open = { [environment, options] (source: any ByteSource, stream: MP3Opening.Stream?) in
      environment.makeOpening(source, options, stream)
    }
    let opening = RemoteOpening(fetch, frames: frames, whenBytesCome: callback, open: open) {
      [weak self] live in
      self?.present.withLock { present in
        // The caller holds `live`, so this releases no last reference.
        if present.fetch === live { present.fetch = nil }
        present.live = live
        present.changes += 1
      }
    } standIn: { [weak self] entry, playlist in
      self?.follow(entry, of: playlist)
    }
    return VersionedDecoder.Version(
      opening: MediaOpening { () throws(DecodingError) in try opening.proceed() },
      successor: { [weak self] in
        guard fetch.outcome == .changed, let self else { return nil }
        return self.version(self.fetch, callback)
      })
  }
}
