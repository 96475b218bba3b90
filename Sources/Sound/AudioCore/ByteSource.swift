/// The result of a read from a `ByteSource`.
package enum ByteRead: Hashable, Sendable {
  /// The number of bytes written, at least 1; may be less than the buffer's size.
  case bytes(Int)
  /// The end of the source: no bytes exist at this offset, now or later.
  case end
  /// Bytes at this offset, or an error, are still to arrive. The caller reads again after the callback of
  /// `whenBytesCome`.
  case notYet
}

/// The bytes that a decoder reads: a file, a download or a stream. Reads are positioned, so a source has no
/// cursor. Used by one thread at a time. No call waits for the network: a read of missing bytes returns
/// `.notYet`. A call may block on a local disk.
package protocol ByteSource: AnyObject {
  /// The length in bytes; nil while unknown or if endless. May become known or more exact during reading.
  var size: Int64? { get }

  /// A Boolean value that indicates whether `want(from:)` can make the source fetch bytes out of order. If
  /// false, bytes arrive in order from the beginning, and a request for later bytes waits until they arrive.
  /// May be false until the first bytes have arrived.
  var isSeekable: Bool { get }

  /// Fills `buffer` (room for at least one byte) from its beginning with the bytes at `offset` (0 or more).
  ///
  /// A read requests no other bytes than `want(from:)` did: `.notYet` alone does not make the source fetch bytes. The
  /// source retries a read that a signal interrupted. Throws the error that ended the medium (an unreadable file, an
  /// abandoned download), at each call.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DecodingError) -> ByteRead

  /// Returns the amount of data available from `offset` on. Returns at once.
  func supply(from offset: Int64) -> ByteSupply

  /// The available ranges of bytes, in order; nil for a source that need not be loaded. Returns at once.
  var stored: [Range<Int64>]? { get }

  /// Sets the number of bytes to fetch ahead of the last requested offset; nil for the source's default.
  /// Returns at once.
  func setReadAhead(_ byteCount: Int64?)

  /// Requests all bytes from `offset` (0 or more) on, in order. Replaces the previous request; the initial
  /// one is from 0. Returns at once.
  func want(from offset: Int64)

  /// Sets a callback that runs on any thread when, after `.notYet`, a read may return bytes, the end or an
  /// error. Unneeded calls may occur as well. `callback` is short, never blocks, and does not call the
  /// source. Set at most once, before the first read.
  func whenBytesCome(_ callback: @escaping @Sendable () -> Void)
}

extension ByteSource {
  package func supply(from offset: Int64) -> ByteSupply { .all }

  package var stored: [Range<Int64>]? { nil }

  package func setReadAhead(_ byteCount: Int64?) {}
}

extension ByteSource {
  /// Returns `count` bytes at `offset`, or fewer at the end; nil if some are not available yet.
  package func peek(_ count: Int, at offset: Int64) throws(DecodingError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let result = try bytes.withUnsafeMutableBufferPointer { all throws(DecodingError) in
        let rest = UnsafeMutableBufferPointer(rebasing: all[filled...])
        return try read(into: UnsafeMutableRawBufferPointer(rest), at: offset + Int64(filled))
      }
      switch result {
      case .bytes(let read): filled += min(read, count - filled)
      case .end: return Array(bytes.prefix(filled))
      case .notYet: return nil
      }
    }
    return bytes
  }
}
