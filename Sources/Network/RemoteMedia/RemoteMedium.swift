package import AudioCore
import MP3Decoding
import NetworkPlaylists
import SoundFileDecoding
import Synchronization
package import Transfer

/// An audio medium at a URL. Keeps the fetched bytes, unless other media need the space.
package final class RemoteMedium: MediaSource {
  package let url: WebURL
  private let settings: RequestSettings
  private let options: OpeningOptions
  private let environment: RemoteEnvironment
  private let onNote: @Sendable (TransferNote) -> Void
  private let present = Mutex(Present())
  /// The number of frames that decoders have read from the live stream.
  private let frames = FrameCounter()

  private struct Present {
    var fetch: RemoteFetch?
    /// The fetch of a live stream. Weak, because the fetch runs only while a decoder reads it.
    weak var live: RemoteFetch?
    var playlists = 0
    /// The number of changes of `fetch` and `live`.
    var changes = 0
  }

  /// Creates a medium, which is fetched from the first opening or the first use of `fetch` on. `onNote` is called
  /// with the events of each fetch, in order, on its worker, and with `entered` on the reader's thread. It must
  /// return quickly.
  package init(
    url: WebURL, settings: RequestSettings, options: OpeningOptions = OpeningOptions(),
    environment: RemoteEnvironment,
    onNote: @escaping @Sendable (TransferNote) -> Void = { _ in }
  ) {
    self.url = url
    self.settings = settings
    self.options = options
    self.environment = environment
    self.onNote = onNote
  }

  /// The fetch of the current version. Creates and starts one if none exists, if the last one has failed or found
  /// another version, or if no decoder reads the live stream.
  package var fetch: RemoteFetch {
    // Fetches are created and released outside the lock, because the release of a fetch may wait for its worker,
    // whose callbacks may need the lock.
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
      // Keeps the replaced fetch alive until here, outside the lock.
      withExtendedLifetime(last) {}
      guard isFirst else { continue }
      fetch.begin()
      return fetch
    }
  }

  /// Creates a fetch without starting it.
  private func makeFetch(of url: WebURL, _ settings: RequestSettings) -> RemoteFetch {
    RemoteFetch(url, settings: settings, environment: environment, begins: false, onNote: onNote)
  }

  /// Returns the tag at the beginning of the medium, as far as it is stored and within the first
  /// `NetworkLimits.tagSkip` bytes. Fetches nothing.
  package func readTag() throws(DecodingError) -> MediaTag {
    guard let fetch = present.withLock({ $0.fetch }) else { return MediaTag() }
    return MediaTag(beginning: fetch.store.bytes(Int(NetworkLimits.tagSkip)))
  }

  /// Starts and returns the fetch of an entry of a playlist that was found in place of the medium; nil after
  /// too many playlists.
  private func follow(_ entry: NetworkPlaylist.Entry, of playlist: RemoteFetch) -> RemoteFetch? {
    var settings = settings
    // Header fields and credentials for one origin are not sent to another.
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

  package var isRemote: Bool { true }

  /// Returns an opening of the medium at its beginning, or at the current position of a live stream. If the
  /// server's version changes later, the decoder continues with the new version at the same media time. The
  /// opening throws the errors of `AudioFile.open(whenBytesCome:)`. If the transfer fails, it throws the
  /// failure as a `DecodingError`.
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
        // The caller retains `live`, so that this assignment does not release the last reference.
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
        // If the URL leads to a playlist, `opening.fetch` is the fetch of the medium that the playlist names.
        guard opening.fetch.outcome == .changed, let self else { return nil }
        return self.version(self.fetch, callback)
      })
  }
}

extension DecodingError {
  package init(_ failure: TransferFailure) {
    let reason: Reason =
      if failure.kind == .badAnswer {
        .badServer
      } else {
        failure.kind.urlErrorCode.map { .network(code: $0) } ?? .unsupported
      }
    self.init(reason: reason, message: failure.message)
  }
}
