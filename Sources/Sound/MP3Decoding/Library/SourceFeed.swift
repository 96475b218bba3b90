package import AudioCore

/// Feeds libmpg123 from a `ByteSource`, piece by piece, with a limit on the bytes fed without result.
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

  /// Feeds the next piece, or returns why none is available.
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
