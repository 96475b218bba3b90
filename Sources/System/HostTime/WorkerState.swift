import Synchronization

/// A value that one thread at a time uses by convention: a worker's body, or another while the worker rests.
///
/// No thread ever waits for the value. Users may therefore read files, call handlers and block, which must
/// not happen under a lock. Simultaneous use by two threads stops the program.
package struct WorkerState<Value: ~Copyable>: ~Copyable, Sendable {
  // The lock only transfers the value between threads.
  private let value: Mutex<Value>

  package init(_ value: consuming sending Value) { self.value = Mutex(value) }

  /// Calls `body` with the value. Must not be nested.
  package borrowing func use<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    guard let result = try value.withLockIfAvailable(body) else {
      preconditionFailure("the state of a worker is in use on another thread")
    }
    return result
  }
}
