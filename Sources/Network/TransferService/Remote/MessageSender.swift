import Clocks
import Glibc
import Synchronization

/// Sends messages on a stream socket, in order, on a worker of its own. Thread-safe; only `close` blocks. After
/// the first failure no further message is sent.
final class MessageSender: Sendable {
  /// The number of unsent messages from which reports of progress are dropped. Later reports include them.
  private static let progressLimit = 1000

  private let descriptor: Int32
  private let queue: DiskErrands
  private let unsent = Atomic(0)
  private let isBroken = Atomic(false)

  init(_ descriptor: Int32, clock: any HostClock) {
    self.descriptor = descriptor
    queue = DiskErrands("url-messages", on: clock)
  }

  /// Whether all messages were sent or, after a failure, dropped.
  var isIdle: Bool { unsent.load(ordering: .acquiring) == 0 }

  func send(_ message: some Encodable & Sendable, isProgress: Bool = false) {
    if isProgress, unsent.load(ordering: .relaxed) >= Self.progressLimit { return }
    unsent.add(1, ordering: .relaxed)
    queue.add { [self] in
      write(MessageFrames.frame(message) ?? [])
      unsent.subtract(1, ordering: .releasing)
    }
  }

  /// Sends the remaining messages, and ends the worker. Blocks while the peer does not read.
  func close() { queue.close() }

  private func write(_ frame: [UInt8]) {
    var rest = frame[...]
    while !rest.isEmpty, !isBroken.load(ordering: .relaxed) {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        isBroken.store(true, ordering: .relaxed)
      }
    }
  }
}
