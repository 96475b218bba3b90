import Synchronization

/// The request of a worker's body for its next run.
package enum WorkerNext: Sendable, Equatable {
  /// Run again as soon as possible; other workers may run in between.
  case again
  /// Run at that time, or earlier when signalled.
  case at(HostTime)
  case whenSignalled
}

/// A serial task with its own thread (`SystemClock`), on the thread of a `DeliveryQueue`, or with a position in a
/// virtual clock's order. The body never runs twice at the same time. It runs once after creation, and then whenever
/// the worker is signalled or the requested time has come.
package protocol Worker: AnyObject, Sendable {
  /// Makes the body run soon, at least once after this call began. Thread-safe; never blocks, never runs the
  /// body on the caller's stack. Cheap while a signal is pending.
  func signal()

  /// Ends the worker; no run of the body begins after the return. Waits for a run in progress, unless called
  /// inside that run. Thread-safe; idempotent.
  func cancel()
}

/// A source of time, and of workers that wait for it. Code that waits for anything but another process takes
/// a clock, so that tests run the same code in virtual time.
package protocol HostClock: AnyObject, Sendable {
  /// The present time. Thread-safe; never blocks.
  var now: HostTime { get }

  /// The time until which no event occurs except those caused by the caller, a worker's body. Nil if that
  /// time is now or unknown; only a virtual clock knows its future. Thread-safe; never blocks.
  var quietUntil: HostTime? { get }

  /// Starts a worker. `name` becomes the name of its own thread, if it has one, cut to 15 bytes.
  func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker
}

extension HostClock {
  /// Nil, because a real clock does not know its future.
  package var quietUntil: HostTime? { nil }
}

/// A value that, by convention, one thread at a time uses: a worker's body, or another thread between two
/// runs of the body. No thread ever waits for the value. Users may therefore read files, call handlers and
/// block, which must not happen under a lock. Simultaneous use by two threads stops the program.
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
