import Glibc
import Synchronization

/// A clock that starts at 0 and moves only by `advance`; its workers run on the thread that advances.
///
/// `advance` never sleeps. It runs the due bodies one after another in the order of their times, and those
/// due at the same time in rounds, in the order of creation. Each body runs at most once per round,
/// so a worker that always requests `again` cannot starve others. At the start of a run, `now` is its due time,
/// or later if the worker's previous run has advanced the clock further. The same calls always produce the same
/// runs.
///
/// Only one thread at a time may advance. A body may advance too, which models work that takes time. The
/// other workers run until that time, then the outer advance continues; the body itself is not reentered.
/// Threads and bodies may signal, cancel and create workers at any time, for the present or next `advance`.
package final class VirtualClock: HostClock {
  private let schedule: Mutex<VirtualSchedule>

  /// Creates a clock at 0.
  ///
  /// - Parameter runLimit: the number of runs at one time above which the clock assumes an endless loop and
  ///   stops the program with the worker's name. The default exceeds the runs for writing a thousand songs to
  ///   a file, which all happen at one time.
  package init(runLimit: Int = 20_000_000) { schedule = Mutex(VirtualSchedule(runLimit: runLimit)) }

  package var now: HostTime { schedule.withLock { $0.now } }

  /// The earliest due time, `now` for a signalled body; nil if all wait for signals. Thread-safe.
  package var nextDeadline: HostTime? { schedule.withLock { $0.nextDeadline } }

  /// The time until which no event occurs except those caused by the running body: no other body is due
  /// earlier, and the advance does not end. Nil if that is now. Thread-safe.
  package var quietUntil: HostTime? { schedule.withLock { $0.quietUntil } }

  package var runCount: Int { schedule.withLock { $0.runCount } }

  /// Adds a worker, first run in this or the next `advance`. Ends with `cancel()` or its last reference.
  package func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
    VirtualWorker(id: schedule.withLock { $0.add(name, body) }, clock: self)
  }

  package func advance(bySeconds seconds: Double) { advance(to: now.advanced(bySeconds: seconds)) }

  /// Runs all bodies that are due now; time does not advance.
  package func runUntilIdle() { advance(to: now) }

  /// Runs all bodies due until `moment` inclusive and sets the clock to `moment` (never back). Callable from
  /// any thread, and from bodies on the advancing thread.
  package func advance(to moment: HostTime) { advance(to: moment) { false } }

  /// Advances to `moment`, but returns as soon as time would have to pass while `isHeld` is true; `isHeld` is
  /// called before each run. Also returns after `limit` runs, without advancing further; bodies that are still due
  /// remain due.
  package func advance(to moment: HostTime, atMost limit: Int = .max, unless isHeld: () -> Bool) {
    let isAlone = schedule.withLock { $0.beginAdvance(to: moment, by: pthread_self()) }
    precondition(isAlone, "a VirtualClock is advanced by one thread at a time")
    var runs = 0
    while let run = beginRun(until: moment, isHeld: isHeld()) {
      let next = run.body()
      let waiters = schedule.withLock { $0.endRun(of: run.id, next) }
      for waiter in waiters { waiter.semaphore.post() }
      runs += 1
      if runs == limit { return schedule.withLock { $0.endAdvance() } }
    }
  }

  private func beginRun(until moment: HostTime, isHeld: Bool) -> VirtualSchedule.Entry? {
    schedule.withLock { schedule in
      let run = schedule.beginRun(until: moment, isHeld: isHeld)
      if run == nil { schedule.endAdvance() }
      return run
    }
  }

  fileprivate func signal(_ id: UInt64) { schedule.withLock { $0.signal(id) } }

  fileprivate func cancel(_ id: UInt64) {
    let (entry, waiter): (VirtualSchedule.Entry?, Waiter?) = schedule.withLock { schedule in
      let entry = schedule.remove(id)
      // Other threads wait for the run in progress. On the advancing thread the caller is inside that run,
      // which cannot end before the caller returns.
      guard schedule.running.contains(id), schedule.advancing != pthread_self() else { return (entry, nil) }
      return (entry, schedule.addWaiter(for: id))
    }
    waiter?.semaphore.wait()
    withExtendedLifetime(entry) {}
  }
}

private final class VirtualWorker: Worker {
  private let id: UInt64
  private let clock: VirtualClock

  init(id: UInt64, clock: VirtualClock) {
    self.id = id
    self.clock = clock
  }

  deinit { clock.cancel(id) }
  func signal() { clock.signal(id) }
  func cancel() { clock.cancel(id) }
}
