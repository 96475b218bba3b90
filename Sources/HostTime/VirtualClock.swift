import Glibc
import Synchronization

/// Time that passes only when told to, starting at 0, with workers that run on the thread that tells it.
///
/// Nothing sleeps and nothing yields: `advance` runs the bodies that are due one after another, in the order of
/// their moments, and those due at one moment in the order of their creation, each at most once before the next
/// round begins (so a worker that always wants to run `again` holds nobody up). `now` is a body's own moment while
/// it runs. The same calls give the same runs, always.
///
/// One thread at a time may advance. A body may advance too, which stands for work that takes time: the other workers run
/// up to that moment, and the outer advance goes on from there; the body itself does not run again before it has
/// returned. Every thread and every body may signal, cancel and make workers; what a signal starts runs within the present
/// or the next `advance`.
package final class VirtualClock: HostClock {
  private let schedule: Mutex<VirtualSchedule>

  /// A clock at 0.
  ///
  /// - Parameter runLimit: how many runs there may be at one moment before the clock takes it for an endless loop
  ///   and stops the program with the worker's name. The default is above what writing a thousand songs to a file
  ///   takes, all of which happens at one moment.
  package init(runLimit: Int = 20_000_000) {
    schedule = Mutex(VirtualSchedule(runLimit: runLimit))
  }

  /// The present moment of this clock. Any thread.
  package var now: HostTime { schedule.withLock { $0.now } }

  /// The earliest moment at which a body wants to run, `now` if one is signalled; nil if all wait for signals. Any
  /// thread.
  package var nextDeadline: HostTime? { schedule.withLock { $0.nextDeadline } }

  /// The moment up to which nothing happens but what the body that runs now brings about: nobody else is due before, and the
  /// advance does not end. Any thread.
  package var quietUntil: HostTime? { schedule.withLock { $0.quietUntil } }

  /// How often a worker's body was run. Any thread.
  package var runCount: Int { schedule.withLock { $0.runCount } }

  /// Adds a worker that runs first within the present or the next `advance`. It ends with `cancel()` or when its
  /// last reference goes.
  package func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
    VirtualWorker(id: schedule.withLock { $0.add(name, body) }, clock: self)
  }

  /// Lets `seconds` pass. See `advance(to:)`.
  package func advance(bySeconds seconds: Double) {
    advance(to: now.advanced(bySeconds: seconds))
  }

  /// Runs all that is due now; no time passes.
  package func runUntilIdle() {
    advance(to: now)
  }

  /// Runs all that is due until `moment`, that moment included, and sets the clock to it (never back). Any thread,
  /// and bodies, on the thread that runs them.
  package func advance(to moment: HostTime) { advance(to: moment) { false } }

  /// The same, but returns before time passes if `isHeld` says so, which is asked before each run.
  package func advance(to moment: HostTime, unless isHeld: () -> Bool) {
    let isAlone = schedule.withLock { $0.beginAdvance(to: moment, by: pthread_self()) }
    precondition(isAlone, "a VirtualClock is advanced by one thread at a time")
    while let run = beginRun(until: moment, isHeld: isHeld()) {
      let next = run.body()
      let waiters = schedule.withLock { $0.endRun(of: run.id, next) }
      for waiter in waiters { waiter.semaphore.post() }
    }
  }

  private func beginRun(
    until moment: HostTime, isHeld: Bool
  ) -> (id: UInt64, body: VirtualSchedule.Body)? {
    schedule.withLock { schedule in
      let run = schedule.beginRun(until: moment, isHeld: isHeld)
      if run == nil { schedule.endAdvance() }
      return run
    }
  }

  fileprivate func signal(_ id: UInt64) {
    schedule.withLock { $0.signal(id) }
  }

  fileprivate func cancel(_ id: UInt64) {
    let (entry, waiter): (VirtualSchedule.Entry?, VirtualWaiter?) = schedule.withLock { schedule in
      let entry = schedule.remove(id)
      // Only another thread has anything to wait for; on the advancing one it is the body itself that cancels.
      guard schedule.running.contains(id), schedule.advancing != pthread_self() else {
        return (entry, nil)
      }
      return (entry, schedule.addWaiter(for: id))
    }
    waiter?.semaphore.wait()
    withExtendedLifetime(entry) {}
  }
}

/// The owner's end of a place in the virtual clock's order.
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
