import Glibc
import Synchronization

/// The handling of a failure to create a worker thread. No part of the player can run without its threads,
/// and no caller could recover. By default the reason goes to standard error and the process aborts.
package enum ThreadShortage {
  private struct Handler {
    var body: @Sendable (String) -> Never
  }

  private static let handler = Mutex(
    Handler { reason in
      let line = Array("\(reason)\n".utf8)
      _ = write(STDERR_FILENO, line, line.count)
      abort()
    })

  /// Sets the handler, which gets the reason as a sentence for users. `body` is called on the thread that
  /// requested the worker, without a lock of this module held. Thread-safe.
  package static func setHandler(_ body: @escaping @Sendable (String) -> Never) {
    handler.withLock { $0 = Handler(body: body) }
  }

  static func meet(_ reason: String) -> Never { handler.withLock { $0 }.body(reason) }
}
