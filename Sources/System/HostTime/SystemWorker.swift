import CThreads
import Glibc
import Synchronization

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

    // `pthread_attr_t()` would resolve to the first module that declares it, here Dispatch.
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    pthread_attr_init(attributes)
    pthread_attr_setstacksize(attributes, Self.stackSize)
    // The new thread inherits the mask, so it cannot receive a signal at any time.
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
  // The kernel accepts at most 15 bytes and rejects longer names.
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
