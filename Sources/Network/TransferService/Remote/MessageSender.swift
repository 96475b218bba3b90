import Clocks
import Glibc
import Synchronization

/// Sends messages on a stream socket, in order, on a worker of its own. Thread-safe; only `close` blocks. A peer
/// that does not read delays messages until it reads again. After a failure no further message is sent.
final class MessageSender: Sendable {
  /// The number of unsent messages from which reports of progress are dropped. Later reports include them.
  private static let progressLimit = 1000
  /// The number of seconds for the peer to read from `close` on.
  private static let patience = 10

  private let descriptor: Int32
  private let limit: Int
  private let queue: DiskErrands
  private let unsent = Atomic(0)
  private let isClosing = Atomic(false)
  private let isBroken = Atomic(false)

  /// - Parameters:
  ///   - descriptor: a stream socket, which remains open.
  ///   - clock: the clock of the worker.
  ///   - limit: the maximum length of a message in bytes.
  init(_ descriptor: Int32, clock: any HostClock, limit: Int = MessageFrames.limit) {
    self.descriptor = descriptor
    self.limit = limit
    queue = DiskErrands("url-messages", on: clock)
    // After each timeout the worker can see whether it is to end.
    var second = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &second, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Whether all messages were sent or, after a failure, dropped.
  var isIdle: Bool { unsent.load(ordering: .acquiring) == 0 }

  /// Enqueues a message. `orElse` is called, on the worker or in `close`, for the first message that is too
  /// long, cannot be encoded or meets an error other than a closed stream or a timeout.
  func send(
    _ message: some Encodable & Sendable, isProgress: Bool = false,
    orElse: @escaping @Sendable () -> Void = {}
  ) {
    if isProgress, unsent.load(ordering: .relaxed) >= Self.progressLimit { return }
    unsent.add(1, ordering: .relaxed)
    queue.add { [self] in
      if !isBroken.load(ordering: .relaxed),
        !(MessageFrames.frame(message, limit: limit).map { write($0) } ?? false)
      {
        drop()
        orElse()
      }
      unsent.subtract(1, ordering: .releasing)
    }
  }

  /// Drops all further messages.
  func drop() { isBroken.store(true, ordering: .relaxed) }

  /// Sends the remaining messages, and ends the worker. Blocks while the peer does not read. Gives up after
  /// about ten seconds of waiting with one message.
  func close() {
    isClosing.store(true, ordering: .relaxed)
    queue.close()
  }

  /// Returns false after an error other than a closed stream or a timeout.
  private func write(_ frame: [UInt8]) -> Bool {
    var rest = frame[...]
    var attempts = 0
    while !rest.isEmpty, !isBroken.load(ordering: .relaxed) {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      switch errno {
      case _ where count > 0: rest = rest.dropFirst(count)
      case EINTR: break
      case EAGAIN where attempts < Self.patience:
        if isClosing.load(ordering: .relaxed) { attempts += 1 }
      case EPIPE, ECONNRESET, EAGAIN: drop()
      default: return false
      }
    }
    return true
  }
}
