import AudioCore
import MP3Decoding
import Transfer

/// The connections of a live stream, each with a decoder of its own. Used by one thread at a time.
final class LiveConnections {
  /// Bytes of a stream with metadata in which there is to be a frame. Where there is none, what is taken out as metadata is
  /// none, and what is left is no sound.
  private static let metadataBudget = 64 * 1024
  /// Bytes of any other in which there is to be one.
  private static let budget = 2 << 20

  /// A connection, or what is left of it behind damage.
  private struct Part {
    let source: RemoteByteSource
    let hasMetadata: Bool
    /// What was forgotten before it began.
    let forgets: Int
    var opening: MediaOpening?
    var decoder: (any AudioDecoder)?
  }

  let fetch: RemoteFetch
  /// Called, while a decoder is read, with each MPEG frame: the byte of the stream that it begins with, and the first frame
  /// of that decoder's timeline that comes of it.
  var onFrame: (_ offset: Int64, _ frame: Int64) -> Void = { _, _ in }
  private let callback: @Sendable () -> Void
  private let open: (any ByteSource, MP3Opening.Stream?) -> MediaOpening
  private var part: Part?
  /// Where the last connection began that was read; nil: the next one is the newest.
  private var lastBase: Int64?
  private var isWithoutMetadata = false

  /// The connections of `fetch`, which is a live stream; `callback` is called when bytes came that were waited for. `open` opens
  /// what one brings.
  init(
    _ fetch: RemoteFetch, whenBytesCome callback: @escaping @Sendable () -> Void,
    open: @escaping (any ByteSource, MP3Opening.Stream?) -> MediaOpening
  ) {
    self.fetch = fetch
    self.callback = callback
    self.open = open
    fetch.setCallback(of: ObjectIdentifier(self), callback)
  }

  deinit { fetch.setCallback(of: ObjectIdentifier(self), nil) }

  /// What is there of the present connection.
  var supply: MediaSupply {
    var supply = part?.decoder?.supply ?? MediaSupply(seconds: 0, isComplete: false)
    supply.isComplete = false
    return supply
  }

  /// The decoder of the present connection; nil while bytes are missing. Throws when there is no sound in what comes, or
  /// nothing comes any more.
  func decoder() throws(DecodingError) -> (any AudioDecoder)? {
    while true {
      if let part, part.forgets != fetch.snapshot.forgets { leave(joiningNewest: true) }
      if let decoder = part?.decoder { return decoder }
      if part == nil, !begin() { return nil }
      do throws(DecodingError) {
        guard let decoder = try part?.opening?.proceed() else { return nil }
        part?.opening = nil
        part?.decoder = decoder
        return decoder
      } catch {
        try recover(from: error, isBegun: false)
      }
    }
  }

  /// Goes on with the next connection.
  func next() { leave(joiningNewest: false) }

  /// The present connection's decoder, or its opening, threw `error`. Throws it if there is nothing else to try.
  ///
  /// - Parameter isBegun: whether frames were read of that decoder.
  func recover(from error: DecodingError, isBegun: Bool) throws(DecodingError) {
    guard let part, error.scope == .item, fetch.outcome == nil else { throw error }
    if part.source.isLost { return next() }
    if part.hasMetadata {
      isWithoutMetadata = true
      fetch.tell(.withoutMetadata)
      return next()
    }
    guard isBegun else { throw error }
    next()
    begin(at: part.source.place)
  }

  private func leave(joiningNewest: Bool) {
    lastBase = joiningNewest ? nil : part?.source.base ?? lastBase
    part = nil
  }

  /// Begins with the connection behind the last one; false while there is none.
  private func begin() -> Bool {
    if place == nil { fetch.wait(ObjectIdentifier(self)) }
    guard let place else { return false }
    begin(at: place)
    return true
  }

  private func begin(at place: Int64) {
    let source = RemoteByteSource(fetch, from: place)
    source.whenBytesCome(callback)
    let snapshot = fetch.snapshot
    let hasMetadata = snapshot.station?.interval != nil && !isWithoutMetadata
    // The opening belongs to this object, and not the other way round.
    let stream = MP3Opening.Stream(searchBudget: hasMetadata ? Self.metadataBudget : Self.budget) {
      [unowned self] offset, frame in onFrame(place + offset, frame)
    }
    part = Part(
      source: source, hasMetadata: hasMetadata, forgets: snapshot.forgets,
      opening: open(source, stream))
  }

  /// Where the next one begins.
  private var place: Int64? {
    let snapshot = fetch.snapshot
    if let lastBase {
      // One that failed for good says so to who reads it.
      return snapshot.joints.first { $0 > lastBase } ?? (snapshot.outcome == nil ? nil : snapshot.end)
    }
    let begin = max(snapshot.joints.last ?? 0, snapshot.place)
    return max(begin, fetch.store.intervals.ranges.last?.lowerBound ?? begin)
  }
}
