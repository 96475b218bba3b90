/// What a read of a `ByteSource` comes to.
package enum ByteRead: Hashable, Sendable {
  /// So many bytes were written, at least 1; possibly fewer than there was room for.
  case bytes(Int)
  /// There are no bytes at this offset and there never will be.
  case end
  /// There will be bytes at this offset, or an error, but not now. Asked again after the callback.
  case notYet
}

/// Bytes that a decoder reads from: a file, a download or a stream.
///
/// Reads are positioned, so that a source has no cursor to lose. Used by one thread at a time. No call waits for the
/// network: what is not there yet is `.notYet`. A call may block on a local disk.
package protocol ByteSource: AnyObject {
  /// Length in bytes; nil where it is not known (yet) or the source is endless. May become known, or better known,
  /// while the source is read.
  var size: Int64? { get }

  /// Whether bytes can be had out of order: what `want(from:)` asks for comes from there. Otherwise they come from the
  /// beginning on, one after the other, and a wish ahead of them waits until they get there. May become known only
  /// with the first bytes; false until then.
  var isSeekable: Bool { get }

  /// Fills `buffer`, which has room for at least one byte, from its beginning with the bytes at `offset` (0 or more).
  ///
  /// A read is no wish: one that says `.notYet` makes nothing come that was not coming. Interruption by a signal is the
  /// source's own business. Throws what ends the medium, each time again: a file that cannot be read, a download that
  /// was given up.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DecodingError) -> ByteRead

  /// What is there from `offset` on. Returns at once.
  func supply(from offset: Int64) -> ByteSupply

  /// Which ranges of bytes are there, in order; nil: all. Returns at once.
  var stored: [Range<Int64>]? { get }

  /// How many bytes are to be there ahead of the last wish; nil for as many as is usual. Returns at once.
  func setReadAhead(_ byteCount: Int64?)

  /// Says what will be read next: everything from `offset` (0 or more) on, in order. Takes the place of the wish before
  /// it; the first one is 0. Returns at once.
  func want(from offset: Int64)

  /// Has `callback` called, on any thread, each time after a read said `.notYet` when one might say something else:
  /// bytes, the end or an error. It may be called more often than that. It is short and never blocks, and does not call
  /// the source. Set at most once, before the first read.
  func whenBytesCome(_ callback: @escaping @Sendable () -> Void)
}

extension ByteSource {
  /// All: for sources whose bytes are all there.
  package func supply(from offset: Int64) -> ByteSupply { .all }

  /// All: the same.
  package var stored: [Range<Int64>]? { nil }

  /// Nothing to do: the same.
  package func setReadAhead(_ byteCount: Int64?) {}
}
