import CThreads
import Glibc
import Synchronization

/// The owner's end of a worker's thread.
final class SystemWorker: Worker {
  private let line: WakeLine
  private let thread: pthread_t
  /// Whether the thread was joined. Held while joining, so that a second `cancel` waits as long as the first.
  private let joined = Mutex(false)

  /// 512 KiB hold libmpg123 and libpulse with room to spare; the default of 8 MiB counts against locked memory and
  /// address space.
  private static let stackSize = 512 * 1024

  init(name: String, clock: SystemClock, body: @escaping @Sendable () -> WorkerNext) {
    let line = WakeLine()
    self.line = line
    let start = Unmanaged.passRetained(ThreadStart(name: name, line: line, body: body))

    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, Self.stackSize)
    // A thread inherits the mask, so there is no moment at which it could take a signal.
    var mask = sigset_t()
    var previous = sigset_t()
    sigfillset(&mask)
    for crash in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&mask, crash) }
    pthread_sigmask(SIG_SETMASK, &mask, &previous)
    var thread = pthread_t()
    let result = pthread_create(&thread, &attributes, { runThread($0) }, start.toOpaque())
    pthread_sigmask(SIG_SETMASK, &previous, nil)
    pthread_attr_destroy(&attributes)
    // Out of threads or memory: nothing of the player can run, and no caller could do anything about it.
    precondition(result == 0, "no thread for worker \"\(name)\": \(String(cString: strerror(result)))")
    self.thread = thread
  }

  deinit {
    end()
    // Nobody else has a reference: no lock is needed to see that it is the thread itself that runs this.
    if !joined.withLock({ $0 }) { pthread_detach(thread) }
  }

  func signal() {
    line.signal()
  }

  func cancel() {
    end()
  }

  private func end() {
    line.cancel()
    guard pthread_equal(pthread_self(), thread) == 0 else { return }
    joined.withLock { joined in
      if !joined { pthread_join(thread, nil) }
      joined = true
    }
  }
}

/// What a thread takes over when it starts.
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
  let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
  // The kernel takes 15 bytes and refuses more.
  _ = continuo_pthread_setname(pthread_self(), String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
  while start.line.beginRun() {
    switch start.body() {
    case .again: break
    case .at(let moment): start.line.wait(until: moment)
    case .whenSignalled: start.line.wait(until: nil)
    }
  }
  return nil
}
