import Synchronization

/// A value that one thread at a time uses by arrangement: a worker's body, or the thread whose turn it is.
///
/// No thread waits for it. A user may therefore read files, call handlers and wait, which must not happen under a lock. Use by
/// two threads at the same time stops the program.
package struct WorkerState<Value: ~Copyable>: ~Copyable, Sendable {
  // A lock only to hand the value from thread to thread.
  private let value: Mutex<Value>

  /// A state with this value.
  package init(_ value: consuming sending Value) { self.value = Mutex(value) }

  /// Calls `body` with the value. Not from within another use of it.
  package borrowing func use<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    guard let result = try value.withLockIfAvailable(body) else {
      preconditionFailure("the state of a worker is in use on another thread")
    }
    return result
  }
}
