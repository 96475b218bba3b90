import Foundation
import Synchronization

/// Reads a descriptor on a thread of its own, as the bytes come.
///
/// No read source of libdispatch: where the other end hangs up, those of Swift 6.3 on Linux use what another thread has freed
/// just then (`_dispatch_event_loop_drain`). That ended a run of all tests, and takes the reading from whoever has the same
/// number next.
package final class DescriptorReader: Sendable {
  private struct Orders {
    var isPaused = false
    var mustFinish = false
  }

  /// What the thread and its owner share.
  private final class Shared: Sendable {
    let orders = Mutex(Orders())
    let hasEnded = DispatchSemaphore(value: 0)
    /// The ends of a pipe: a byte for each order.
    let bell: (reading: Int32, writing: Int32)

    init() {
      var ends: [Int32] = [-1, -1]
      pipe(&ends)
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      bell = (ends[0], ends[1])
    }

    deinit {
      close(bell.reading)
      close(bell.writing)
    }

    func order(_ body: (inout Orders) -> Void) {
      orders.withLock { body(&$0) }
      write(bell.writing, [0], 1)
    }
  }

  private let shared = Shared()

  /// Reads from `descriptor`, which it owns from now on. `take` is called on the thread, with no bytes at the end.
  package init(descriptor: Int32, take: @escaping @Sendable (ArraySlice<UInt8>) -> Void) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    let shared = shared
    Thread.detachNewThread {
      Self.read(descriptor, shared, take)
      close(descriptor)
      take([])
      shared.hasEnded.signal()
    }
  }

  /// Reads lines from `descriptor`, which it owns from now on. `take` is called on the thread with one line after
  /// the other; a rest without line feed counts as a line at the end.
  package convenience init(linesOf descriptor: Int32, take: @escaping @Sendable (String) -> Void) {
    let rest = Rest()
    self.init(descriptor: descriptor) { bytes in
      let lines = rest.bytes.withLock { rest in
        var lines = (rest + bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = bytes.isEmpty ? [] : Array(lines.removeLast())
        return bytes.isEmpty && lines.last?.isEmpty == true ? lines.dropLast() : lines[...]
      }
      for line in lines { take(String(decoding: line, as: UTF8.self)) }
    }
  }

  /// The bytes after the last line feed. Only the thread uses it; the lock proves that to the compiler.
  private final class Rest: Sendable { let bytes = Mutex<[UInt8]>([]) }

  private static func read(_ descriptor: Int32, _ shared: Shared, _ take: (ArraySlice<UInt8>) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      while Glibc.read(shared.bell.reading, &buffer, buffer.count) > 0 {}
      var orders = shared.orders.withLock { $0 }
      while orders.mustFinish || !orders.isPaused {
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        // A terminal whose other end is closed says EIO.
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { return }
        if count < 0 { break }
        take(buffer[..<count])
        orders = shared.orders.withLock { $0 }
      }
      if orders.mustFinish { return }
      var watched = [
        pollfd(fd: shared.bell.reading, events: Int16(POLLIN), revents: 0),
        pollfd(fd: orders.isPaused ? -1 : descriptor, events: Int16(POLLIN), revents: 0),
      ]
      poll(&watched, nfds_t(watched.count), -1)
    }
  }

  /// Takes what is there now, and stops. Returns when that is done; not to be called from `take`.
  package func finish() {
    shared.order { $0.mustFinish = true }
    shared.hasEnded.wait()
    shared.hasEnded.signal()
  }

  /// Leaves what comes from now on unread, as a slow reader does, until `resume`.
  package func pause() { shared.order { $0.isPaused = true } }

  /// Reads again.
  package func resume() { shared.order { $0.isPaused = false } }
}
