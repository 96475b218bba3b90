import AudioCore
import MP3Decoding
import Transfer

/// The connections of a live stream, each with its own decoder. Used by one thread at a time.
final class LiveConnections {
  /// The number of bytes without a frame after which reading a stream with metadata fails. The metadata interval then
  /// counts as wrong.
  private static let metadataBudget = 64 * 1024
  /// The number of bytes without a frame after which reading a stream without metadata fails.
  private static let budget = 2 << 20

  /// A connection, or its remainder after damage.
  private struct Part {
    let source: RemoteByteSource
    let hasMetadata: Bool
    /// The value of the fetch's `forgets` when the part began.
    let forgets: Int
    var opening: MediaOpening?
    var decoder: (any AudioDecoder)?
  }

  let fetch: RemoteFetch
  /// Called for each MPEG frame with audible samples. Receives its byte offset in the stream, and the number
  /// of its first audible PCM frame on the timeline of its decoder.
  var onFrame: (_ offset: Int64, _ frame: Int64) -> Void = { _, _ in }
  private let callback: @Sendable () -> Void
  private let open: (any ByteSource, MP3Opening.Stream?) -> MediaOpening
  private var part: Part?
  /// The start of the last connection that was read; nil to continue with the newest connection.
  private var lastBase: Int64?
  private var isWithoutMetadata = false

  /// Creates the connections of `fetch`, which is a live stream. `callback` is called when awaited bytes
  /// arrive. `open` opens the bytes of a connection.
  init(
    _ fetch: RemoteFetch, whenBytesCome callback: @escaping @Sendable () -> Void,
    open: @escaping (any ByteSource, MP3Opening.Stream?) -> MediaOpening
  ) {
    self.fetch = fetch
    self.callback = callback
    self.open = open
    fetch.setCallback(of: ObjectIdentifier(self), callback)
    fetch.setHeld(false, by: ObjectIdentifier(self))
  }

  deinit {
    fetch.setCallback(of: ObjectIdentifier(self), nil)
    fetch.setHeld(nil, by: ObjectIdentifier(self))
  }

  func hold(_ isHeld: Bool) { fetch.setHeld(isHeld, by: ObjectIdentifier(self)) }

  var supply: MediaSupply {
    var supply = part?.decoder?.supply ?? MediaSupply(seconds: 0, isComplete: false)
    supply.isComplete = false
    return supply
  }

  /// Returns the current decoder; nil while bytes are missing. Throws if the bytes are not audio, or the
  /// fetch has ended.
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

  func next() { leave(joiningNewest: false) }

  /// Handles an error of the current decoder by leaving the decoder, or throws the error. `isBegun`: whether
  /// frames were read from the decoder.
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

  /// Starts to read the connection after the last one. Returns false while none exists.
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
    let hasMetadata =
      snapshot.station?.interval != nil && snapshot.wantsMetadata && !isWithoutMetadata
    // Unowned, because this object owns the opening.
    let stream = MP3Opening.Stream(searchBudget: hasMetadata ? Self.metadataBudget : Self.budget) {
      [unowned self] offset, frame in onFrame(place + offset, frame)
    }
    part = Part(
      source: source, hasMetadata: hasMetadata, forgets: snapshot.forgets,
      opening: open(source, stream))
  }

  /// The offset at which the next part starts; nil while none exists.
  private var place: Int64? {
    let snapshot = fetch.snapshot
    if let lastBase {
      // After the permanent end of the fetch, a source at this offset reports the failure to its reader.
      return snapshot.joints.first { $0 > lastBase } ?? (snapshot.outcome == nil ? nil : snapshot.end)
    }
    let begin = max(snapshot.joints.last ?? 0, snapshot.place)
    return max(begin, fetch.store.intervals.ranges.last?.lowerBound ?? begin)
  }
}
