/// Reads 32-bit numbers and byte strings from the beginning of a block on.
struct BlockReader {
  private var rest: ArraySlice<UInt8>
  private let isBigEndian: Bool

  init(_ block: ArraySlice<UInt8>, isBigEndian: Bool) {
    rest = block
    self.isBigEndian = isBigEndian
  }

  /// Returns the next number; nil if fewer than four bytes are left.
  mutating func number() -> Int? {
    guard let bytes = bytes(4) else { return nil }
    let ordered = isBigEndian ? Array(bytes) : bytes.reversed()
    return ordered.reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns the next `count` bytes; nil if there are fewer, or `count` is nil.
  mutating func bytes(_ count: Int?) -> ArraySlice<UInt8>? {
    guard let count, count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}
