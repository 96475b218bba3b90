package import AudioCore
import Transfer

/// The bytes of a `RemoteFetch` for a decoder. Several may read one fetch, one after the other: the last wish counts.
///
/// Of a live stream it has the bytes of one connection: where that was lost it ends, and another source goes on.
package final class RemoteByteSource: ByteSource {
  private let fetch: RemoteFetch
  /// Where it begins in the store.
  package let base: Int64
  /// Where in the store reading goes on.
  private(set) var place: Int64 = 0
  /// What the fetch was told last.
  private var told: Int64 = 0

  /// How far the place moves before the fetch is told: often enough for reading ahead, seldom enough to cost nothing.
  private static let step: Int64 = 64 * 1024

  /// The bytes of `fetch` from `base` on, which is 0 for what is no live stream.
  package init(_ fetch: RemoteFetch, from base: Int64 = 0) {
    self.fetch = fetch
    self.base = base
    place = base
    tell(base)
  }

  deinit { fetch.setCallback(of: ObjectIdentifier(self), nil) }

  package var size: Int64? { fetch.snapshot.total }
  package var isSeekable: Bool { fetch.snapshot.isSeekable }

  package func read(into buffer: UnsafeMutableRawBufferPointer, at local: Int64) throws(DecodingError)
    -> ByteRead
  {
    let offset = base + local
    if let read = readStored(into: buffer, at: offset) { return read }
    // From now on the callback is called; what came before is looked for once more.
    fetch.wait(ObjectIdentifier(self))
    let snapshot = fetch.snapshot
    if let read = readStored(into: buffer, at: offset) { return read }
    if let total = snapshot.total, offset >= total { return .end }
    // What a live stream had there is gone, or was another connection's.
    if snapshot.isLive, offset < snapshot.end || hasEnded(snapshot) { return .end }
    switch snapshot.outcome {
    case nil:
      // What was there may have been given up for others.
      if offset == place { tell(place) }
      return .notYet
    // What there is of this version has been read.
    case .changed: return .end
    case .failed(let failure):
      throw DecodingError(failure)
    }
  }

  package func supply(from offset: Int64) -> ByteSupply {
    fetch.supply(from: base + offset, upTo: fetch.snapshot.joints.first { $0 > base })
  }

  package var stored: [Range<Int64>]? { fetch.isLive ? [] : fetch.store.intervals.ranges }

  package func setReadAhead(_ byteCount: Int64?) {
    fetch.tell(.readAhead(byteCount.map { ReadAhead(enough: $0, tooFew: $0 * 3 / 4) } ?? .disk))
  }

  package func want(from offset: Int64) {
    place = base + offset
    tell(place)
  }

  /// Whether the connection whose bytes it has is over, so that its end comes.
  var isLost: Bool { hasEnded(fetch.snapshot) }

  private func hasEnded(_ snapshot: RemoteFetch.Snapshot) -> Bool {
    snapshot.joints.last.map { $0 > base } ?? false
  }

  package func whenBytesCome(_ callback: @escaping @Sendable () -> Void) {
    fetch.setCallback(of: ObjectIdentifier(self), callback)
  }

  private func readStored(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> ByteRead? {
    var room = buffer
    let snapshot = fetch.snapshot
    if snapshot.isLive, let joint = snapshot.joints.first(where: { $0 > base }) {
      guard offset < joint else { return nil }
      room = UnsafeMutableRawBufferPointer(rebasing: room.prefix(Int(clamping: joint - offset)))
    }
    let count = fetch.store.read(into: room, at: offset)
    guard count > 0 else { return nil }
    // Reading on from the place moves it; looking elsewhere does not.
    let end = offset + Int64(count)
    if offset <= place, end > place { place = end }
    if abs(place - told) >= Self.step { tell(place) }
    return .bytes(count)
  }

  private func tell(_ place: Int64) {
    told = place
    fetch.tell(.read(from: place))
  }
}
