package import AudioCore
import Transfer

/// The bytes of a `RemoteFetch` for a decoder. Several sources may read one fetch in turn; the position
/// reported last applies. In a live stream, a source ends where its connection was lost, and another one
/// continues.
package final class RemoteByteSource: ByteSource {
  private let fetch: RemoteFetch
  /// The offset in the store at which the source starts.
  package let base: Int64
  private(set) var place: Int64 = 0
  /// The last position that was reported to the fetch.
  private var told: Int64 = 0

  /// The distance in bytes after which the reading position is reported, long enough that the cost of reports
  /// is negligible.
  private static let step: Int64 = 64 * 1024

  /// Creates a source of the bytes of `fetch` from `base` on, which is 0 except for live streams.
  package init(_ fetch: RemoteFetch, from base: Int64 = 0) {
    self.fetch = fetch
    self.base = base
    place = base
    tell(base)
  }

  deinit { fetch.setCallback(of: ObjectIdentifier(self), nil) }

  package var size: Int64? { fetch.snapshot.total }
  package var isSeekable: Bool { fetch.snapshot.isSeekable }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at local: Int64
  ) throws(DecodingError) -> ByteRead {
    let offset = base + local
    if let read = readStored(into: buffer, at: offset) { return read }
    // Register for the callback first, then look again for bytes that have arrived before.
    fetch.wait(ObjectIdentifier(self))
    let snapshot = fetch.snapshot
    if let read = readStored(into: buffer, at: offset) { return read }
    if let total = snapshot.total, offset >= total { return .end }
    // The live stream's bytes at `offset` were discarded, or belong to another connection.
    if snapshot.isLive, offset < snapshot.end || hasEnded(snapshot) { return .end }
    switch snapshot.outcome {
    case nil:
      // The bytes at `offset` may have been discarded to make room for others, so request them again.
      if offset == place { tell(place) }
      return .notYet
    // This version's byte at `offset` will never arrive.
    case .changed: return .end
    case .failed(let failure): throw DecodingError(failure)
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

  /// Whether the connection of the source is over, so that the source will end.
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
    // A read that covers the reading position moves the position to the end of the bytes read. Any other read
    // leaves the position unchanged.
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
