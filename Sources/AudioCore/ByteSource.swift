/// Bytes that a decoder reads from: a file today, a download or a stream tomorrow.
///
/// Reads are positioned, so that a source has no cursor to lose. Used by one thread at a time; a read may block on
/// the medium.
package protocol ByteSource: AnyObject {
  /// Length in bytes; nil where it is not known (then there is no seeking and no length).
  var size: Int64? { get }

  /// Fills `buffer` from its beginning with the bytes at `offset`. Returns how many it wrote: possibly fewer than
  /// there is room for, 0 only at the end. Interruption by a signal is the source's own business.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DecodingError) -> Int
}
