internal import Glibc
internal import NIOCore
internal import Synchronization

/// The Unix socket of a watcher, to which any thread sends records without a wake-up of the event loop.
///
/// Has a descriptor of its own, because the channel may close its descriptor at any time. A channel that is
/// closed stays connected until this object is released too.
final class WatcherSocket: Sendable {
  /// The kernel takes all bytes of a shorter record, or none.
  private static let wholeBytes = 16 * 1024

  private let descriptor: Int32
  private let lastTime: Atomic<UInt64>

  /// Returns nil if the process has no descriptors left.
  init?(_ descriptor: Int32) {
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard own >= 0 else { return nil }
    self.descriptor = own
    lastTime = Atomic(NIODeadline.now().uptimeNanoseconds)
  }

  deinit { close(descriptor) }

  /// The time of the last record.
  var lastRecord: NIODeadline { .uptimeNanoseconds(lastTime.load(ordering: .relaxed)) }

  /// Sends a record without blocking. Returns false if the kernel takes none of it.
  func send(_ record: [UInt8]) -> Bool {
    guard record.count <= Self.wholeBytes,
      Glibc.send(descriptor, record, record.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) == record.count
    else { return false }
    lastTime.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed)
    return true
  }
}
