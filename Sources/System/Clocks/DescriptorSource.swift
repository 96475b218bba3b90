import CThreads
package import Dispatch
import Glibc

/// Calls a handler on a queue while a descriptor is readable, writable, at its end or in error.
///
/// Made for descriptors whose peer may close, where libdispatch's own sources fail. In Swift 6.3 on Linux,
/// libdispatch's sources cancel themselves at a hang-up. Their handler is not called again, even if data
/// before the end is unread. The hang-up path also uses freed memory, so the queue may stop watching another
/// descriptor with the same number. Here the queue watches an epoll descriptor, which never hangs up. The
/// epoll descriptor watches the real one.
package final class DescriptorSource: Sendable {
  /// The conditions to wait for. A hang-up and errors of the descriptor are always included. The raw values are those
  /// of the kernel's `eventpoll.h`.
  package struct Events: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let readable = Events(rawValue: 0x1)
    package static let writable = Events(rawValue: 0x4)
  }

  // EPOLL_CTL_ADD and EPOLL_CTL_MOD of the kernel's `eventpoll.h`.
  private static let add: Int32 = 1
  private static let change: Int32 = 3

  private let descriptor: Int32
  private let epoll: Int32
  // Safe because the constant is only cancelled, which Dispatch allows on any thread.
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// Starts waiting for readability. Thread-safe; never blocks. Nil if the system is out of descriptors, or
  /// if the descriptor cannot be watched (for example a regular file); `errno` has the reason.
  ///
  /// - Parameters:
  ///   - descriptor: the descriptor to watch. Its owner may close it at any time, preferably after `cancel`.
  ///   - queue: the queue on which `handler` is called.
  ///   - handler: called repeatedly until the condition no longer holds, for example until all data was read.
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

  /// Waits for other conditions from now on. Must not be called during or after `cancel`; never blocks.
  package func wait(for events: Events) {
    var event = continuo_epoll_event(events: events.rawValue, data: 0)
    _ = continuo_epoll_ctl(epoll, Self.change, descriptor, &event)
  }

  /// Cancels the source: no further handler call begins. Thread-safe; never blocks; idempotent.
  package func cancel() { source.cancel() }
}
