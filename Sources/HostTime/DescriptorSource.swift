import CThreads
package import Dispatch
import Glibc

/// Calls a handler on a queue while a descriptor can be read or written, or is at its end.
///
/// For descriptors whose other end may go away, which libdispatch's own sources are not made for. In Swift 6.3 on Linux they end
/// themselves at a hang-up: the handler is not called again, even if it has read only what came before the end. Memory that
/// was freed is used for that, so that the queue may stop watching a descriptor that has got the same number. Here the queue
/// watches an epoll descriptor, which never hangs up, and the kernel watches the other one for that.
package final class DescriptorSource: Sendable {
  /// What is waited for. The end and errors of a descriptor always are.
  package struct Events: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    // As in the kernel's `eventpoll.h`.
    /// There is something to be read.
    package static let readable = Events(rawValue: 0x1)
    /// Something can be written.
    package static let writable = Events(rawValue: 0x4)
  }

  // The kernel's EPOLL_CTL_ADD and EPOLL_CTL_MOD.
  private static let add: Int32 = 1
  private static let change: Int32 = 3

  private let descriptor: Int32
  private let epoll: Int32
  // Unsafe: a constant that is only cancelled, which Dispatch allows on any thread.
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// Waits for something to be read, from now on. Any thread; never blocks. Nil where the system has no descriptor left, and for what cannot be watched, as
  /// a file; `errno` says which.
  ///
  /// - Parameters:
  ///   - descriptor: Its owner may close it at any time, after `cancel` best.
  ///   - handler: Called on the queue again and again until what is waited for is gone, as when all was read.
  package init?(descriptor: Int32, queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
    let epoll = continuo_epoll_create(O_CLOEXEC)
    guard epoll >= 0 else { return nil }
    var event = continuo_epoll_event(events: Events.readable.rawValue, data: 0)
    guard continuo_epoll_ctl(epoll, Self.add, descriptor, &event) == 0 else {
      let reason = errno
      close(epoll)
      errno = reason
      return nil
    }
    self.descriptor = descriptor
    self.epoll = epoll
    source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: queue)
    source.setEventHandler(handler: handler)
    source.setCancelHandler { close(epoll) }
    source.activate()
  }

  deinit { source.cancel() }

  /// Waits for something else from now on. Any thread but one that cancels; never blocks.
  package func wait(for events: Events) {
    var event = continuo_epoll_event(events: events.rawValue, data: 0)
    _ = continuo_epoll_ctl(epoll, Self.change, descriptor, &event)
  }

  /// Calls the handler no more, but for a call that has begun. Any thread; never blocks; idempotent.
  package func cancel() { source.cancel() }
}
