/// Bytes in memory by their offset, in blocks of 64 KiB, so that distant ones can be released.
struct MemoryBlocks {
  private static let size: Int64 = 64 * 1024
  private var blocks: [Int64: [UInt8]] = [:]

  mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) {
    var rest = bytes
    var place = offset
    while !rest.isEmpty {
      let block = place / Self.size
      let inside = Int(place % Self.size)
      let piece = rest.prefix(Int(Self.size) - inside)
      blocks[block, default: [UInt8](repeating: 0, count: Int(Self.size))]
        .replaceSubrange(inside..<inside + piece.count, with: piece)
      place += Int64(piece.count)
      rest = rest[piece.endIndex...]
    }
  }

  /// Fills the buffer; all its bytes must be stored.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) {
    var filled = 0
    while filled < buffer.count {
      let place = offset + Int64(filled)
      let inside = Int(place % Self.size)
      let count = min(buffer.count - filled, Int(Self.size) - inside)
      blocks[place / Self.size]?.withUnsafeBytes { block in
        UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[inside..<inside + count]))
      }
      filled += count
    }
  }

  /// Releases the blocks that are entirely outside a range. Returns their ranges.
  mutating func keep(_ range: Range<Int64>) -> [Range<Int64>] {
    let gone = blocks.keys.filter { block in
      (block + 1) * Self.size <= range.lowerBound || block * Self.size >= range.upperBound
    }
    for block in gone { blocks[block] = nil }
    return gone.map { $0 * Self.size..<($0 + 1) * Self.size }
  }

  mutating func removeAll() { blocks = [:] }
}
