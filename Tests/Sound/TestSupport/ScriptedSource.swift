package import AudioCore

/// Bytes in memory, read as a script says.
package final class ScriptedSource: ByteSource {
  package let bytes: [UInt8]
  /// The most bytes that one read gives.
  package var longestRead = Int.max
  /// Reads from here on fail.
  package var failsFrom = Int64.max
  package private(set) var bytesRead = 0

  /// The length that it claims; where it is more than there is, zeros follow, as in a sparse file.
  package var size: Int64?

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    size = Int64(bytes.count)
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(DecodingError) -> ByteRead {
    if offset >= failsFrom { throw DecodingError(reason: .unreadable, message: "scripted") }
    guard offset < Int64(bytes.count) else {
      let count = min(buffer.count, Int(max(0, (size ?? 0) - offset)))
      for index in 0..<count { buffer[index] = 0 }
      bytesRead += count
      return count == 0 ? .end : .bytes(count)
    }
    var count = min(buffer.count, bytes.count - Int(offset), longestRead)
    if failsFrom < Int64.max { count = min(count, Int(failsFrom - offset)) }
    bytes.withUnsafeBytes { all in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[Int(offset)..<Int(offset) + count]))
    }
    bytesRead += count
    return .bytes(count)
  }

  package let isSeekable = true
  package func want(from offset: Int64) {}
  package func whenBytesCome(_ callback: @escaping @Sendable () -> Void) {}
}
