/// Bytes that are not processed yet, removed by line or by count. Each byte is searched for a newline once,
/// so the search for newlines takes linear time even if a client sends single bytes.
struct LineBuffer: Sendable {
  /// The maximum capacity in bytes that an empty buffer keeps, to limit the memory of an idle client.
  private static let keptCapacity = 4096

  private var bytes: [UInt8] = []
  private var head = 0
  private var searched = 0

  var count: Int { bytes.count - head }

  mutating func append(_ more: some Sequence<UInt8>) {
    if head > 0, head * 2 > bytes.count { compact() }
    bytes.append(contentsOf: more)
  }

  /// Removes and returns the first line, without its newline; nil if no line is complete.
  mutating func takeLine() -> ArraySlice<UInt8>? {
    guard let newline = bytes[searched...].firstIndex(of: Byte.newline) else {
      searched = bytes.count
      if count == 0 { compact() }
      return nil
    }
    defer {
      head = newline + 1
      searched = head
    }
    return bytes[head..<newline]
  }

  /// Removes and returns the first `wanted` bytes; nil if there are fewer.
  mutating func take(_ wanted: Int) -> [UInt8]? {
    guard count >= wanted else { return nil }
    defer {
      head += wanted
      searched = max(searched, head)
    }
    return Array(bytes[head..<(head + wanted)])
  }

  mutating func removeAll() {
    bytes = []
    head = 0
    searched = 0
  }

  private mutating func compact() {
    if head == bytes.count, bytes.capacity > Self.keptCapacity {
      bytes = []
    } else {
      bytes.removeSubrange(..<head)
    }
    searched -= head
    head = 0
  }
}
