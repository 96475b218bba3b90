import Foundation

/// Reads a pipe line by line as the lines come. A rest without line feed counts as a line at the end.
///
/// Any thread may use a dispatch source; that its protocol does not say so is why this is unchecked.
package final class LineReader: @unchecked Sendable {
  private let source: any DispatchSourceRead
  private let queue: DispatchQueue
  private let parser: Parser

  /// Used on the queue only.
  private final class Parser: @unchecked Sendable {
    let descriptor: Int32
    let take: @Sendable (String) -> Void
    var rest: [UInt8] = []

    init(descriptor: Int32, take: @escaping @Sendable (String) -> Void) {
      self.descriptor = descriptor
      self.take = take
    }

    /// Takes what is there. False once there is nothing more to come.
    func read() -> Bool {
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0 { return errno == EAGAIN || errno == EINTR }
        if count == 0 {
          finish()
          return false
        }
        rest += buffer[..<count]
        let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines.dropLast() { take(String(decoding: line, as: UTF8.self)) }
        rest = Array(lines.last ?? [])
      }
    }

    func finish() {
      if !rest.isEmpty { take(String(decoding: rest, as: UTF8.self)) }
      rest = []
    }
  }

  /// Reads from `descriptor`, which it owns from now on. Lines come one after the other on a queue of its own.
  package init(descriptor: Int32, take: @escaping @Sendable (String) -> Void) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    queue = DispatchQueue(label: "lines")
    let parser = Parser(descriptor: descriptor, take: take)
    self.parser = parser
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    // The cycle ends with the source.
    source.setEventHandler { if !parser.read() { source.cancel() } }
    source.setCancelHandler { close(descriptor) }
    source.resume()
    self.source = source
  }

  /// Takes what is there now, with the rest of a line, and stops. For after the writer's end.
  package func finish() {
    queue.sync {
      guard !source.isCancelled else { return }
      if parser.read() { parser.finish() }
      source.cancel()
    }
  }

  /// Leaves what comes from now on unread, as a slow reader does, until `resume`.
  package func pause() { source.suspend() }

  /// Reads again.
  package func resume() { source.resume() }
}
