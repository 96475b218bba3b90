import Synchronization

/// Reads a pipe line by line as the lines come. A rest without line feed counts as a line at the end.
package final class LineReader: Sendable {
  private let reader: DescriptorReader

  /// What came behind the last line feed. Used by the reader's thread only; the lock stands for that.
  private final class Rest: Sendable { let bytes = Mutex<[UInt8]>([]) }

  /// Reads from `descriptor`, which it owns from now on. Lines come one after the other on a thread of its own.
  package init(descriptor: Int32, take: @escaping @Sendable (String) -> Void) {
    let rest = Rest()
    reader = DescriptorReader(descriptor: descriptor) { bytes in
      let lines = rest.bytes.withLock { rest in
        var lines = (rest + bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = bytes.isEmpty ? [] : Array(lines.removeLast())
        return bytes.isEmpty && lines.last?.isEmpty == true ? lines.dropLast() : lines[...]
      }
      for line in lines { take(String(decoding: line, as: UTF8.self)) }
    }
  }

  /// Takes what is there now, with the rest of a line, and stops. For after the writer's end; not to be called from `take`.
  package func finish() { reader.finish() }

  /// Leaves what comes from now on unread, as a slow reader does, until `resume`.
  package func pause() { reader.pause() }

  /// Reads again.
  package func resume() { reader.resume() }
}
