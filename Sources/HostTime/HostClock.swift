/// What a worker wants after a run of its body.
package enum WorkerNext: Sendable, Equatable {
  /// Run again as soon as possible; other workers may run in between.
  case again
  /// Run at that moment, or earlier when signalled.
  case at(HostTime)
  /// Run when signalled.
  case whenSignalled
}

/// A serial piece of work with a thread of its own (real clock) or a place in the virtual clock's order.
///
/// The body never runs twice at the same time. It runs once after creation and then whenever the worker was
/// signalled or the moment it asked for has come.
package protocol Worker: AnyObject, Sendable {
  /// Makes the body run soon, at least once after this call began. Any thread; never blocks, never runs the body
  /// on the caller's stack; cheap when a signal is pending already.
  func signal()

  /// Ends the worker. After the return no run of the body begins; a run in progress is waited for, except when
  /// called by the body itself. Any thread; idempotent.
  func cancel()
}

/// Time, and threads that wait for it. Everything in Continuo that waits takes one of these, so that a test runs
/// the same code in virtual time.
package protocol HostClock: AnyObject, Sendable {
  /// The present moment. Any thread; never blocks.
  var now: HostTime { get }

  /// Up to when nothing happens but what the caller, a worker's body, brings about. Nil where that cannot be known: only
  /// virtual time knows its future. Any thread; never blocks.
  var quietUntil: HostTime? { get }

  /// Starts a worker. `name` (at most 15 bytes are seen) names its thread.
  func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker
}

extension HostClock {
  /// Nil: not known.
  package var quietUntil: HostTime? { nil }
}
