import CThreads
import Dispatch
import Glibc
import Synchronization

/// The loop of a main thread that calls `run` instead of `dispatchMain`. Each turn runs at most one worker's body,
/// the work items that the body enqueued, and the items pending on the main queue.
///
/// Work that a body enqueues runs right after the body. A time step of a player that is computed and
/// delivered on one thread therefore needs one wake-up. A second wake-up, for another thread, would cost more
/// than all other work of the step.
package final class MainLoop: DeliveryQueue {
  package static let shared = MainLoop()

  /// The clock that orders the workers' runs. Each turn advances it towards the real time.
  private let schedule = VirtualClock()
  /// Whether the thread waits, so that a signal must wake it.
  private let isWaiting = Atomic<Bool>(false)
  /// The eventfd of the main queue; -1 before `run`.
  private let descriptor = Atomic<Int32>(-1)
  /// The work items that this turn's body has enqueued, and the loop's thread, nil while no body can run.
  /// Changed on the loop's thread only; `enqueue` compares the thread on any thread.
  private let turn = Mutex(Turn())

  private struct Turn {
    var thread: pthread_t?
    var work: [QueuedWork] = []
  }

  init() {}

  /// Enqueues `work` on the main queue. If called inside the body of one of the loop's workers, `work` runs
  /// right after that body instead.
  package func enqueue(_ work: QueuedWork) {
    let thread = pthread_self()
    let isOwn = turn.withLock { turn in
      if turn.thread == thread { turn.work.append(work) }
      return turn.thread == thread
    }
    if !isOwn { MainDispatchQueue.shared.enqueue(work) }
  }

  /// Starts a worker of the loop's thread. A body must not block, and is delayed by long work items of the
  /// queue.
  package func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> (any Worker)? {
    let worker = LoopWorker(schedule.makeWorker(name, body: body), self)
    wake()
    return worker
  }

  /// Runs the main queue and the workers, and never returns. Must be called on the main thread, as the last statement
  /// of the program.
  package func run() -> Never {
    let main = continuo_main_queue_descriptor()
    descriptor.store(main, ordering: .sequentiallyConsistent)
    var work: [QueuedWork] = []
    while true {
      takeTurn(&work)
      guard wait(for: main) else { continue }
      // The queue makes its descriptor readable for its first item only; later items find it readable.
      var count: UInt64 = 0
      _ = read(main, &count, MemoryLayout<UInt64>.size)
      continuo_main_queue_run(nil)
    }
  }

  /// Runs at most one due body, and then the work items that it enqueued. `work` must be empty; only its
  /// storage is reused.
  func takeTurn(_ work: inout [QueuedWork]) {
    turn.withLock { $0.thread = pthread_self() }
    // At most one run, so that a body signalled continually (by an output to a file) cannot starve the queue.
    schedule.advance(to: SystemClock.shared.now, atMost: 1) { false }
    turn.withLock { turn in
      turn.thread = nil
      swap(&turn.work, &work)
    }
    for item in work { item.run() }
    work.removeAll(keepingCapacity: true)
  }

  /// Waits for the main queue, a signal or the next deadline. Returns whether the descriptor is readable.
  private func wait(for main: Int32) -> Bool {
    var poll = pollfd(fd: main, events: Int16(POLLIN), revents: 0)
    isWaiting.store(true, ordering: .sequentiallyConsistent)
    defer { isWaiting.store(false, ordering: .sequentiallyConsistent) }
    // A signal after this check finds `isWaiting` set and wakes the thread.
    guard let deadline = schedule.nextDeadline else { return continuo_ppoll(&poll, 1, nil, nil) > 0 }
    let left = max(0, deadline.nanoseconds - SystemClock.shared.now.nanoseconds)
    var timeout = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
    return continuo_ppoll(&poll, 1, &timeout, nil) > 0
  }

  /// Ends the thread's wait. Thread-safe; never blocks. Costs a system call only while the thread waits.
  fileprivate func wake() {
    guard isWaiting.exchange(false, ordering: .sequentiallyConsistent) else { return }
    var one: UInt64 = 1
    _ = write(descriptor.load(ordering: .sequentiallyConsistent), &one, MemoryLayout<UInt64>.size)
  }
}

private final class LoopWorker: Worker {
  private let worker: any Worker
  private let loop: MainLoop

  init(_ worker: any Worker, _ loop: MainLoop) {
    self.worker = worker
    self.loop = loop
  }

  func signal() {
    worker.signal()
    loop.wake()
  }

  func cancel() { worker.cancel() }
}
