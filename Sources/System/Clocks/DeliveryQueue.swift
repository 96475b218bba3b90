package import Dispatch

/// Work for a delivery queue. A class, because an array or a mutex of closures wraps a closure at each access, and
/// because a block in an array is released wrongly on Linux (Swift 6.3.1).
package final class QueuedWork: Sendable {
  package let run: @Sendable () -> Void
  /// The block of `run` for libdispatch, which otherwise makes one for each turn of a queue (400 instructions).
  fileprivate let block: @convention(block) @Sendable () -> Void

  package init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
    block = run
  }
}

/// A queue that runs its work items in order: a dispatch queue, `MainLoop` or, in virtual time, a queue of the test.
/// Only an `ObserverQueue` may run several at once.
package protocol DeliveryQueue: AnyObject, Sendable {
  /// Enqueues `work` after earlier work items; `MainLoop` first runs items that a worker's body enqueued.
  /// Thread-safe; never blocks. `work` never runs inside `enqueue`, on the caller's stack.
  func enqueue(_ work: QueuedWork)

  /// Starts a worker, as `HostClock.makeWorker` does, but its body runs on the queue's thread, between work
  /// items. Returns nil if the queue has no workers.
  func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> (any Worker)?
}

extension DeliveryQueue {
  package func enqueue(_ work: @escaping @Sendable () -> Void) { enqueue(QueuedWork(work)) }

  package func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> (any Worker)? { nil }
}

/// `DispatchQueue.main` as a delivery queue.
package final class MainDispatchQueue: DeliveryQueue {
  package static let shared = MainDispatchQueue()

  private init() {}

  package func enqueue(_ work: QueuedWork) { DispatchQueue.main.async(execute: work.block) }

  /// The key that marks the main queue. Testing the queue instead of the thread is necessary because after
  /// `dispatchMain()` Linux runs the main queue on a thread other than the main one.
  private static let mark: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Whether the caller runs on the main queue. Valid from the main thread's start, even without a run loop.
  package static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }

  /// Whether `queue` is the main queue. Compares no identities, because on Linux each access to
  /// `DispatchQueue.main` returns another object.
  package static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: mark) != nil }
}

/// A client's dispatch queue as a delivery queue. It may be concurrent, because a lane enqueues its next turn at
/// the end of the present one.
package final class ObserverQueue: DeliveryQueue {
  /// The client's queue. Retained, because its identity is used as a key.
  private let client: DispatchQueue

  package init(_ client: DispatchQueue) { self.client = client }

  package func enqueue(_ work: QueuedWork) { client.async(execute: work.block) }
}
