package import AudioCore
import Transfer

/// The bytes of a `RemoteFetch` for a decoder. Several may read one fetch, one after the other: the last wish counts.
package final class RemoteByteSource: ByteSource {
  private let fetch: RemoteFetch
  /// Where reading goes on.
  private var place: Int64 = 0
  /// What the fetch was told last.
  private var told: Int64 = 0

  /// How far the place moves before the fetch is told: often enough for reading ahead, seldom enough to cost nothing.
  private static let step: Int64 = 64 * 1024

  /// The bytes of `fetch`, from the beginning on.
  package init(_ fetch: RemoteFetch) {
    self.fetch = fetch
    fetch.tell(.read(from: 0))
  }

  deinit { fetch.setCallback(of: ObjectIdentifier(self), nil) }

  package var size: Int64? { fetch.snapshot.total }
  package var isSeekable: Bool { fetch.snapshot.isSeekable }

  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DecodingError)
    -> ByteRead
  {
    if let read = readStored(into: buffer, at: offset) { return read }
    // From now on the callback is called; what came before is looked for once more.
    fetch.wait(ObjectIdentifier(self))
    let snapshot = fetch.snapshot
    if let read = readStored(into: buffer, at: offset) { return read }
    if let total = snapshot.total, offset >= total { return .end }
    switch snapshot.outcome {
    case nil:
      // What was there may have been given up for others.
      if offset == place { tell(place) }
      return .notYet
    // What there is of this version has been read.
    case .changed: return .end
    case .failed(let failure):
      throw DecodingError(reason: .unreadable, message: failure.message)
    }
  }

  package func want(from offset: Int64) {
    place = offset
    tell(offset)
  }

  package func whenBytesCome(_ callback: @escaping @Sendable () -> Void) {
    fetch.setCallback(of: ObjectIdentifier(self), callback)
  }

  private func readStored(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> ByteRead? {
    let count = fetch.store.read(into: buffer, at: offset)
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
