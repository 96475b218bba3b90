internal import Glibc

/// A pipe that ends the wait of another thread in `poll` or `epoll`: `wake` makes its descriptor readable.
/// All methods may be called on any thread, and none blocks.
package struct WakePipe: ~Copyable, Sendable {
  private let reader: OwnedDescriptor
  private let writer: OwnedDescriptor

  /// The descriptor whose readability the thread waits for, valid as long as the pipe.
  package var descriptor: Int32 { reader.number }

  /// Creates a pipe; nil if the system has no descriptors left, with the reason in `errno`.
  package init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    reader = OwnedDescriptor(owning: ends[0])
    writer = OwnedDescriptor(owning: ends[1])
  }

  /// Ends the present wait, or else the next one. A full pipe is readable already.
  package func wake() { _ = write(writer.number, "x", 1) }

  /// Empties the pipe, so that the next wait does not end immediately.
  package func empty() {
    var bytes = [UInt8](repeating: 0, count: 16)
    while read(reader.number, &bytes, bytes.count) > 0 {}
  }
}
