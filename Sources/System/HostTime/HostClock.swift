/// The request of a worker's body for its next run.
package enum WorkerNext: Sendable, Equatable {
  /// Run again as soon as possible; other workers may run in between.
  case again
  /// Run at that time, or earlier when signalled.
  case at(HostTime)
  case whenSignalled
}

/// A serial task with its own thread (real clock) or with a position in the virtual clock's order.
///
/// The body never runs twice at the same time. It runs once after creation, and then whenever the worker is
/// signalled or the requested time has come.
package protocol Worker: AnyObject, Sendable {
  /// Makes the body run soon, at least once after this call began. Thread-safe; never blocks, never runs the
  /// body on the caller's stack. Cheap while a signal is pending.
  func signal()

  /// Ends the worker; no run of the body begins after the return. Waits for a run in progress, except when
  /// called by the body itself. Thread-safe; idempotent.
  func cancel()
}

/// A source of time, and of workers that wait for it. All waiting code in Continuo takes a clock, so that
/// tests run the same code in virtual time.
package protocol HostClock: AnyObject, Sendable {
  /// The present time. Thread-safe; never blocks.
  var now: HostTime { get }

  /// The time until which no event occurs except those caused by the caller, a worker's body. Nil if unknown:
  /// only virtual time knows its future. Thread-safe; never blocks.
  var quietUntil: HostTime? { get }

  /// Starts a worker. `name` becomes the thread's name, cut to 15 bytes.
  func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker
}

extension HostClock {
  /// Nil: a real clock does not know its future.
  package var quietUntil: HostTime? { nil }
}
