import AudioCore

/// Feeds libmpg123 from a `ByteSource`, piece by piece, with a limit on the bytes fed until a frame is found.
final class SourceFeed {
  /// The maximum size of a piece, in bytes: a second at 128 kbit/s.
  static let pieceSize = 16 * 1024

  let source: any ByteSource
  private(set) var position: Int64 = 0
  /// The number of bytes that may still be fed before a frame must be found. libmpg123's own limit restarts
  /// with each call and each false header, so it would read random bytes to their end, even gigabytes.
  var budget = 0

  private let piece: UnsafeMutableRawBufferPointer

  init(source: any ByteSource) {
    self.source = source
    piece = .allocate(byteCount: SourceFeed.pieceSize, alignment: 16)
  }

  deinit { piece.deallocate() }

  /// Continues at `offset`, and requests the bytes there.
  func move(to offset: Int64) {
    position = offset
    source.want(from: offset)
  }

  /// Feeds the next piece and returns its size, or the reason why none is available.
  func feed(_ handle: borrowing MPG123Handle) throws(DecodingError) -> ByteRead {
    // A file may have grown since it was opened; only its original size is played.
    let left = source.size.map { $0 - position } ?? .max
    guard left > 0 else { return .end }
    let room = UnsafeMutableRawBufferPointer(rebasing: piece.prefix(Int(clamping: left)))
    let read = try source.read(into: room, at: position)
    guard case .bytes(let count) = read else { return read }
    try handle.feed(room.assumingMemoryBound(to: UInt8.self).baseAddress, count: count)
    position += Int64(count)
    budget -= count
    return read
  }
}
