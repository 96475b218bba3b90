package import AudioCore

/// Feeds libmpg123 from a `ByteSource`, piece by piece, with a limit on how much may be fed without result.
final class SourceFeed {
  /// Bytes of a piece at most: a second at 128 kbit/s.
  static let pieceSize = 16 * 1024

  let source: any ByteSource
  /// Where in the source the next piece begins.
  private(set) var position: Int64 = 0
  /// Bytes that may still be fed before a frame must have been found. libmpg123's own limit starts anew with each call
  /// and each false header, so that random bytes would be read to their end, gigabytes if need be.
  var budget = 0

  private let piece: UnsafeMutableRawBufferPointer

  init(source: any ByteSource) {
    self.source = source
    piece = .allocate(byteCount: SourceFeed.pieceSize, alignment: 16)
  }

  deinit { piece.deallocate() }

  /// Goes on at `offset`, and wants what is there.
  func move(to offset: Int64) {
    position = offset
    source.want(from: offset)
  }

  /// Feeds the next piece, or tells why there is none.
  func feed(_ handle: borrowing MPG123Handle) throws(DecodingError) -> ByteRead {
    // A file may have grown since it was opened: it is played as far as it was.
    let left = source.size.map { $0 - position } ?? .max
    guard left > 0 else { return .end }
    let room = UnsafeMutableRawBufferPointer(rebasing: piece.prefix(Int(clamping: left)))
    let read = try source.read(into: room, at: position)
    guard case .bytes(let count) = read else { return read }
    let bytes = UnsafeRawBufferPointer(rebasing: room.prefix(count))
    try handle.feed(bytes)
    position += Int64(bytes.count)
    budget -= bytes.count
    return read
  }
}

extension ByteSource {
  /// The `count` bytes at `offset`, fewer only at the end; nil if some of them are not there yet.
  package func peek(_ count: Int, at offset: Int64) throws(DecodingError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      var result: Result<ByteRead, DecodingError> = .success(.end)
      bytes.withUnsafeMutableBytes { all in
        let rest = UnsafeMutableRawBufferPointer(rebasing: all[filled...])
        do throws(DecodingError) {
          result = .success(try read(into: rest, at: offset + Int64(filled)))
        } catch {
          result = .failure(error)
        }
      }
      switch try result.get() {
      case .bytes(let read): filled += min(read, count - filled)
      case .end: return Array(bytes.prefix(filled))
      case .notYet: return nil
      }
    }
    return bytes
  }
}
