import Foundation

/// Waits until any of a set of descriptors is readable.
final class Poller {
  private var entries: [pollfd]
  /// The indices of the readable descriptors.
  private(set) var ready: [Int] = []

  init(_ descriptors: [Int32]) {
    entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  }

  /// Waits for a time that is rounded up to a millisecond. Returns whether a descriptor is readable.
  func wait(seconds: Double) throws -> Bool {
    ready.removeAll(keepingCapacity: true)
    let count = poll(&entries, nfds_t(entries.count), Int32(max(0, (seconds * 1_000).rounded(.up))))
    guard count >= 0 || errno == EINTR else { throw BenchError("poll: \(String(cString: strerror(errno)))") }
    for index in entries.indices where entries[index].revents != 0 { ready.append(index) }
    return !ready.isEmpty
  }
}
