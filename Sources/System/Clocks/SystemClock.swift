import CThreads
import Glibc
import Synchronization

/// The CLOCK_MONOTONIC clock, whose workers are threads. The clock stops while the machine sleeps, as
/// PulseAudio's does.
package final class SystemClock: HostClock {
  /// The process-wide clock; it has no state.
  package static let shared = SystemClock()

  private init() {}

  /// The nanoseconds since the system's start. Thread-safe; a vDSO read of about 25 ns.
  package var now: HostTime {
    var moment = timespec()
    // CLOCK_MONOTONIC exists on every Linux, so the call cannot fail.
    clock_gettime(CLOCK_MONOTONIC, &moment)
    return HostTime(nanoseconds: Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec))
  }

  /// Starts a worker thread with a stack of 512 KiB. All signals are blocked on it except those of a crash,
  /// so that SIGINT and similar signals reach the threads that expect them.
  ///
  /// The worker ends with `cancel()` or with its last reference. Its own thread releases the body before
  /// `cancel()` returns on another thread. A run that releases the worker's last reference is completed, and
  /// no other run begins.
  package func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
    SystemWorker(name: name, clock: self, body: body)
  }
}

/// The owner's handle of a worker thread.
final class SystemWorker: Worker {
  private let line: WakeLine
  private let thread: pthread_t
  /// Whether the thread is joined or being joined.
  private let joined = Atomic<Bool>(false)

  /// The stack size in bytes: ample for libmpg123 and libpulse. The default of 8 MiB would count against
  /// locked memory and address space.
  private static let stackSize = 512 * 1024

  init(name: String, clock: SystemClock, body: @escaping @Sendable () -> WorkerNext) {
    let line = WakeLine()
    self.line = line
    let start = Unmanaged.passRetained(ThreadStart(name: name, line: line, body: body))

    // The initializer `pthread_attr_t()` belongs to Dispatch, the first module that declares the type, and
    // this file does not import Dispatch.
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    pthread_attr_init(attributes)
    pthread_attr_setstacksize(attributes, Self.stackSize)
    // The new thread inherits the mask, so that the signals are blocked on it from its start.
    var mask = sigset_t()
    var previous = sigset_t()
    sigfillset(&mask)
    for crash in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&mask, crash) }
    pthread_sigmask(SIG_SETMASK, &mask, &previous)
    var thread = pthread_t()
    let result = pthread_create(&thread, attributes, { runThread($0) }, start.toOpaque())
    pthread_sigmask(SIG_SETMASK, &previous, nil)
    pthread_attr_destroy(attributes)
    if result != 0 {
      ThreadShortage.meet("no thread for worker \"\(name)\": \(String(cString: strerror(result)))")
    }
    self.thread = thread
  }

  deinit {
    end()
    // If not joined, the worker thread itself is releasing its worker, and a thread cannot join itself.
    if !joined.load(ordering: .acquiring) { pthread_detach(thread) }
  }

  func signal() { line.signal() }

  func cancel() { end() }

  private func end() {
    line.cancel()
    guard pthread_equal(pthread_self(), thread) == 0 else { return }
    // All callers of `cancel` wait for the end; only one of them may join the thread.
    line.waitForEnd()
    if !joined.exchange(true, ordering: .acquiringAndReleasing) { pthread_join(thread, nil) }
  }
}

private final class ThreadStart: Sendable {
  let name: String
  let line: WakeLine
  let body: @Sendable () -> WorkerNext

  init(name: String, line: WakeLine, body: @escaping @Sendable () -> WorkerNext) {
    self.name = name
    self.line = line
    self.body = body
  }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  run(Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()).end()
  return nil
}

/// Runs the body until the worker is cancelled. Never inlined, so that the body is released on return, before
/// the line signals the end of the thread.
@inline(never)
private func run(_ start: consuming ThreadStart) -> WakeLine {
  let line = start.line
  // The kernel's limit is 15 bytes, and glibc rejects longer names.
  _ = continuo_pthread_setname(pthread_self(), String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
  while line.beginRun() {
    switch start.body() {
    case .again: break
    case .at(let moment): line.wait(until: moment)
    case .whenSignalled: line.wait(until: nil)
    }
  }
  return line
}

/// The wake-up channel between a worker's thread and its signallers. Only the thread itself enters `waiting`,
/// so each wait ended by a signal gets exactly one post. The semaphore never accumulates, and signalling a
/// running or already signalled worker costs no system call.
final class WakeLine: Sendable {
  private static let running: UInt8 = 0
  private static let signalled: UInt8 = 1
  private static let waiting: UInt8 = 2

  private let state = Atomic<UInt8>(WakeLine.running)
  private let cancelled = Atomic<Bool>(false)
  private let semaphore = Semaphore()
  private let ended = Semaphore()

  /// Ends the present or the next wait. Thread-safe; never blocks.
  func signal() {
    // The exchange also publishes the caller's earlier writes to the following run.
    if state.exchange(Self.signalled, ordering: .acquiringAndReleasing) == Self.waiting { semaphore.post() }
  }

  /// Prevents further runs. Thread-safe; never blocks.
  func cancel() {
    cancelled.store(true, ordering: .releasing)
    signal()
  }

  /// Consumes a pending signal. Returns false if no further run may begin. Worker's thread only.
  func beginRun() -> Bool {
    _ = state.exchange(Self.running, ordering: .acquiringAndReleasing)
    return !cancelled.load(ordering: .acquiring)
  }

  /// Waits for a signal, at most until `deadline`, or without limit if that is nil. Worker's thread only.
  func wait(until deadline: HostTime?) {
    guard
      state.compareExchange(
        expected: Self.running, desired: Self.waiting, ordering: .acquiringAndReleasing
      ).exchanged
    else { return }
    guard let deadline else { return semaphore.wait() }
    if semaphore.wait(until: deadline) { return }
    // Timeout. If a signal changed the state just now, its post is pending and belongs to this wait.
    if !state.compareExchange(
      expected: Self.waiting, desired: Self.running, ordering: .acquiringAndReleasing
    ).exchanged {
      semaphore.wait()
    }
  }

  /// Signals that no run is in progress and none will follow. Worker's thread, once.
  func end() { ended.post() }

  /// Waits until `end` was called. Any number of threads may wait.
  func waitForEnd() {
    ended.wait()
    ended.post()
  }
}

/// The handling of a failure to create a worker thread. No part of the player can run without its threads,
/// and no caller could recover. By default the reason goes to standard error and the process aborts.
package enum ThreadShortage {
  private struct Handler {
    var body: @Sendable (String) -> Never
  }

  private static let handler = Mutex(
    Handler { reason in
      let line = Array("\(reason)\n".utf8)
      _ = write(STDERR_FILENO, line, line.count)
      abort()
    })

  /// Sets the handler, which gets the reason as a sentence for users. `body` is called on the thread that
  /// requested the worker, without a lock of this module held. Thread-safe.
  package static func setHandler(_ body: @escaping @Sendable (String) -> Never) {
    handler.withLock { $0 = Handler(body: body) }
  }

  static func meet(_ reason: String) -> Never { handler.withLock { $0 }.body(reason) }
}
