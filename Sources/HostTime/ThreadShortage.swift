import Glibc
import Synchronization

/// What is done when the system gives a worker no thread: nothing of the player can run then, and no caller could do
/// anything about it. Unless a program says otherwise the reason goes to standard error and the process is aborted.
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

  /// Has `body` called with the reason, a sentence for a person, from now on: on the thread that wanted a worker, without
  /// a lock of this module. Any thread.
  package static func setHandler(_ body: @escaping @Sendable (String) -> Never) {
    handler.withLock { $0 = Handler(body: body) }
  }

  static func meet(_ reason: String) -> Never { handler.withLock { $0 }.body(reason) }
}
