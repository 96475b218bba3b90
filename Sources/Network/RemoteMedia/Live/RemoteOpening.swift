import AudioCore
import MP3Decoding
import NetworkPlaylists
import SoundFileDecoding
import Synchronization
import Transfer

/// Opens the bytes of a fetch once it is known whether they are a live stream. Used by one thread at a time.
final class RemoteOpening {
  /// The fetch of the medium, or of a playlist that leads to the medium while that playlist is read.
  private(set) var fetch: RemoteFetch
  private let open: (any ByteSource, MP3Opening.Stream?) -> MediaOpening
  private let frames: FrameCounter
  private let callback: @Sendable () -> Void
  /// Called when the medium turns out to be a live stream.
  private let onLive: (RemoteFetch) -> Void
  /// Creates the fetch of the medium that a playlist names. Returns nil after too many playlists.
  private let standIn: (NetworkPlaylist.Entry, RemoteFetch) -> RemoteFetch?
  private var file: MediaOpening?
  /// The search window in bytes for audio in a response that the server declares a web page.
  private static let pageBudget: Int64 = 64 * 1024
  private var live: LiveConnections?

  init(
    _ fetch: RemoteFetch, frames: FrameCounter, whenBytesCome callback: @escaping @Sendable () -> Void,
    open: @escaping (any ByteSource, MP3Opening.Stream?) -> MediaOpening,
    onLive: @escaping (RemoteFetch) -> Void,
    standIn: @escaping (NetworkPlaylist.Entry, RemoteFetch) -> RemoteFetch?
  ) {
    self.fetch = fetch
    self.open = open
    self.frames = frames
    self.callback = callback
    self.onLive = onLive
    self.standIn = standIn
    fetch.setCallback(of: ObjectIdentifier(self), callback)
  }

  deinit { fetch.setCallback(of: ObjectIdentifier(self), nil) }

  /// Returns the decoder; nil while bytes are missing.
  func proceed() throws(DecodingError) -> (any AudioDecoder)? {
    if file == nil, live == nil, try !choose() { return nil }
    if let file { return try proceed(file) }
    guard let live, let decoder = try live.decoder() else { return nil }
    return LiveDecoder(live, first: decoder, frames: frames)
  }

  private func proceed(_ file: MediaOpening) throws(DecodingError) -> (any AudioDecoder)? {
    let isPage = fetch.snapshot.isPage
    do throws(DecodingError) {
      if let decoder = try file.proceed() { return decoder }
    } catch {
      guard isPage, error.reason == .notRecognized else { throw error }
      throw Self.webPage
    }
    if isPage, fetch.storedFront >= Self.pageBudget { throw Self.webPage }
    return nil
  }

  private static let webPage = DecodingError(reason: .notRecognized, message: "the server sent a web page")

  private func choose() throws(DecodingError) -> Bool {
    guard isThere({ $0.snapshot.knowsKind }) else { return false }
    if !fetch.isLive {
      guard isThere({ $0.hasBeginning }) else { return false }
      if let kind = fetch.playlistKind {
        guard try follow(kind) else { return false }
        return try choose()
      }
    }
    if fetch.isLive {
      onLive(fetch)
      live = LiveConnections(fetch, whenBytesCome: callback, open: open)
    } else {
      let source = RemoteByteSource(fetch)
      source.whenBytesCome(callback)
      file = open(source, nil)
    }
    return true
  }
}

// MARK: Playlists

extension RemoteOpening {
  /// Returns whether a condition holds. If not, the callback is called when the condition may have changed.
  private func isThere(_ condition: (RemoteFetch) -> Bool) -> Bool {
    if condition(fetch) { return true }
    fetch.wait(ObjectIdentifier(self))
    // Check again, because bytes may have arrived before the registration.
    return condition(fetch)
  }

  /// Continues with the first medium that the playlist names. Returns false until the playlist is complete.
  private func follow(_ kind: NetworkPlaylist.Kind) throws(DecodingError) -> Bool {
    guard isThere({ $0.isWhole || $0.storedFront > kind.byteLimit || $0.snapshot.isFull }) else {
      return false
    }
    guard let url = fetch.snapshot.response?.url else { return false }
    let playlist: NetworkPlaylist
    do throws(NetworkPlaylist.Refusal) {
      // Without a disk, only a part of a long playlist is stored.
      guard fetch.isWhole || fetch.storedFront > kind.byteLimit else { throw .tooLong }
      playlist = try NetworkPlaylist(fetch.store.bytes(kind.byteLimit + 1), kind: kind, from: url)
    } catch {
      throw DecodingError(reason: .notRecognized, message: "\(error)")
    }
    guard let entry = playlist.entries.first else {
      throw DecodingError(reason: .notRecognized, message: "The playlist names nothing that can be played.")
    }
    guard let next = standIn(entry, fetch) else {
      throw DecodingError(
        reason: .notRecognized, message: "A playlist that leads to playlists again and again.")
    }
    fetch.setCallback(of: ObjectIdentifier(self), nil)
    fetch = next
    fetch.setCallback(of: ObjectIdentifier(self), callback)
    return true
  }
}

extension RemoteFetch {
  /// The number of bytes that distinguish a playlist from audio.
  private static let beginning = 1_024

  fileprivate var hasBeginning: Bool {
    beginsAsSound || storedFront >= Self.beginning || isWhole
  }

  /// Whether the bytes start as MPEG frames do (0xFF), with an ID3 tag, or with an audio file's signature.
  private var beginsAsSound: Bool {
    let first = store.bytes(12)
    return first.first == 0xFF || first.starts(with: "ID3".utf8) || SoundFileKind(first) != nil
  }

  fileprivate var playlistKind: NetworkPlaylist.Kind? {
    guard !beginsAsSound, let response = snapshot.response else { return nil }
    return NetworkPlaylist.kind(
      contentType: response.head.fields["Content-Type"], url: response.url,
      beginning: store.bytes(Self.beginning))
  }

  /// Whether all bytes are stored, or no more arrive.
  fileprivate var isWhole: Bool {
    let snapshot = snapshot
    return snapshot.outcome != nil || snapshot.total.map { storedFront >= $0 } ?? false
  }

  /// The number of bytes stored from the beginning on.
  fileprivate var storedFront: Int64 { store.intervals.end(from: 0) }
}

/// The number of frames that consecutive decoders of one medium have read. Thread-safe.
final class FrameCounter: Sendable {
  private let count = Atomic<Int64>(0)

  var value: Int64 { count.load(ordering: .relaxed) }
  func set(_ value: Int64) { count.store(value, ordering: .relaxed) }
}
