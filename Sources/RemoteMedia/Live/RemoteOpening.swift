import AudioCore
import MP3Decoding
import Synchronization
import Transfer

/// Opens what a fetch brings, once it is known whether that is a live stream. Used by one thread at a time.
final class RemoteOpening {
  private var fetch: RemoteFetch
  private let open: (any ByteSource, MP3Opening.Stream?) -> MediaOpening
  private let frames: FrameCounter
  private let callback: @Sendable () -> Void
  /// Called when it turns out to be a live stream.
  private let onLive: (RemoteFetch) -> Void
  /// Makes what fetches the medium that a playlist names; nil if that may not be.
  private let standIn: (NetworkPlaylist.Entry, RemoteFetch) -> RemoteFetch?
  private var file: MediaOpening?
  /// Bytes of what the server calls a web page in which there is to be sound.
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

  /// The decoder; nil while bytes are missing.
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
    if isPage, fetch.store.byteCount >= Self.pageBudget { throw Self.webPage }
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
  /// Whether something is the case; if it is not, the callback is called when that may have changed.
  private func isThere(_ condition: (RemoteFetch) -> Bool) -> Bool {
    if condition(fetch) { return true }
    fetch.wait(ObjectIdentifier(self))
    // What came before this is looked for once more.
    return condition(fetch)
  }

  /// Goes on with the first medium that the playlist names; false while it is not there as a whole.
  private func follow(_ kind: NetworkPlaylist.Kind) throws(DecodingError) -> Bool {
    guard isThere({ $0.isWhole || $0.storedFront > kind.byteLimit }) else { return false }
    guard let url = fetch.snapshot.response?.url else { return false }
    let playlist: NetworkPlaylist
    do throws(NetworkPlaylist.Refusal) {
      playlist = try NetworkPlaylist(
        fetch.front(kind.byteLimit + 1), kind: kind, from: url)
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
  /// Bytes with which a playlist is told from sound.
  private static let beginning = 1_024

  /// Whether there is enough of it to see whether it is a playlist.
  fileprivate var hasBeginning: Bool {
    beginsAsSound || storedFront >= Self.beginning || isWhole
  }

  /// Whether it begins with a frame or a tag, as no playlist does.
  private var beginsAsSound: Bool {
    let first = front(3)
    return first.first == 0xFF || first == Array("ID3".utf8)
  }

  /// What kind of playlist it is; nil if it is none.
  fileprivate var playlistKind: NetworkPlaylist.Kind? {
    guard !beginsAsSound, let response = snapshot.response else { return nil }
    return NetworkPlaylist.kind(
      contentType: response.head.fields["Content-Type"], url: response.url, beginning: front(Self.beginning))
  }

  /// Whether all of it is there, or no more comes.
  fileprivate var isWhole: Bool {
    let snapshot = snapshot
    return snapshot.outcome != nil || snapshot.total.map { storedFront >= $0 } ?? false
  }

  /// Bytes that are there from its beginning on.
  fileprivate var storedFront: Int64 { store.intervals.end(from: 0) }

  /// Its first bytes, as far as they are there.
  fileprivate func front(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = bytes.withUnsafeMutableBytes { buffer in
        store.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), at: Int64(filled))
      }
      guard read > 0 else { break }
      filled += read
    }
    return Array(bytes[..<filled])
  }
}

/// Counts what decoders of one medium have read, one after the other. Any thread.
final class FrameCounter: Sendable {
  private let count = Atomic<Int64>(0)

  var value: Int64 { count.load(ordering: .relaxed) }
  func set(_ value: Int64) { count.store(value, ordering: .relaxed) }
}
