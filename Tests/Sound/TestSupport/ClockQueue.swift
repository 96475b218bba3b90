package import Clocks
import Dispatch
import Synchronization

/// A queue that is a worker of a clock: in virtual time its work is run in the clock's order.
package final class ClockQueue: DeliveryQueue {
  private struct State {
    var work: [QueuedWork] = []
    var isElsewhere = false
    var isHeld = false
  }

  private let state = Mutex(State())
  private let worker = Mutex<(any Worker)?>(nil)

  /// A queue that this clock runs.
  package init(clock: any HostClock) {
    let body: @Sendable () -> WorkerNext = { [weak self] in self?.run() ?? .whenSignalled }
    worker.withLock { $0 = clock.makeWorker("queue", body: body) }
  }

  /// Has the clock run `work`.
  package func enqueue(_ work: QueuedWork) {
    state.withLock { $0.work.append(work) }
    worker.withLock { $0 }?.signal()
  }

  private func run() -> WorkerNext {
    let work = state.withLock { $0.work.isEmpty || $0.isHeld ? nil : $0.work.removeFirst() }
    work?.run()
    return state.withLock { $0.work.isEmpty || $0.isHeld } ? .whenSignalled : .again
  }

  /// From now on the clock runs nothing here, as if the queue's thread were busy in one long turn, until `release`.
  package func hold() { state.withLock { $0.isHeld = true } }

  /// The long turn is over.
  package func release() {
    state.withLock { $0.isHeld = false }
    worker.withLock { $0 }?.signal()
  }

  /// Whether the caller counts as this queue: always, but in `elsewhere`.
  package var isCurrent: Bool { state.withLock { !$0.isElsewhere } }

  /// Runs `body` as if on another thread.
  package func elsewhere<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { $0.isElsewhere = true }
    defer { state.withLock { $0.isElsewhere = false } }
    return try body()
  }
}

/// A dispatch queue of its own.
package final class SerialQueue: DeliveryQueue {
  private let queue = DispatchQueue(label: "test")

  /// A queue that has nothing to do.
  package init() {}

  package func enqueue(_ work: QueuedWork) { queue.async { work.run() } }
}
