internal import Glibc

/// A socket pair that ends the wait of another thread in `poll` or `epoll`: `wake` makes its descriptor readable.
/// All methods may be called on any thread, and none blocks.
package struct WakePipe: ~Copyable, Sendable {
  private let reader: OwnedDescriptor
  private let writer: OwnedDescriptor

  /// The descriptor whose readability the thread waits for, valid as long as the pipe.
  package var descriptor: Int32 { reader.number }

  /// Creates a pair; nil if that fails, usually for lack of descriptors. `errno` then has the reason.
  package init?() {
    var ends: [Int32] = [-1, -1]
    // Unlike `pipe` with a later `fcntl`, SOCK_CLOEXEC leaves no moment in which another thread's child inherits the
    // descriptors.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
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
