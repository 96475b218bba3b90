import Dispatch
import Glibc
import HostTime
import Synchronization

/// What signals do to the player.
///
/// - SIGINT, SIGTERM, SIGHUP and SIGQUIT end it in order; a second one, or a player that does not get it done in 200 ms,
///   ends the process at once. SIGHUP is left alone where it is ignored, as nohup(1) has it.
/// - SIGTSTP stops the process, with the terminal given back first; SIGCONT takes the terminal again.
/// - SIGWINCH has the terminal drawn anew: it has got another size.
///
/// Handlers only note them; a thread does the rest. It is started before any other and needs no further one: a process
/// that gets no threads, or whose main queue stands still, ends all the same.
final class Signals: Sendable {
  private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  private static let ofTerminal = [SIGTSTP, SIGCONT, SIGWINCH]
  /// A clean end is promised within 300 ms; what takes longer hangs.
  private static let limit = 0.2
  /// Seconds for the steps of a clean-up that was begun because the player hangs: they may hang too.
  private static let cleanUpLimit: UInt32 = 3

  /// What the main queue is to do.
  private struct Request {
    var end: Int32?
    var redraws = false
  }

  private let isEndPossible = Atomic<Bool>(false)
  private let requests = Mutex(Request())
  private let workers = Mutex<[any Worker]>([])

  /// Takes the signals from now on; once in a process, on the main thread. Both closures are called on the main queue:
  /// `end` with the status to end with (128 and the signal's number, as shells have it), `redraw` when the process
  /// goes on after a stop or its terminal has got another size. Until `mainQueueRuns` there is nothing to end in order, and nobody to do it.
  init(
    end: @escaping @MainActor @Sendable (Int32) -> Void,
    redraw: @escaping @MainActor @Sendable () -> Void = {}
  ) {
    let clock = SystemClock.shared
    // Dispatch may hang where there are no threads; so the thread that waits for signals never calls it.
    let messenger = clock.makeWorker("continuo-ending") { [weak self] in
      let request = self?.takeRequest() ?? Request()
      if let status = request.end { DispatchQueue.main.async { MainActor.assumeIsolated { end(status) } } }
      if request.redraws { DispatchQueue.main.async { MainActor.assumeIsolated { redraw() } } }
      return .whenSignalled
    }
    let waiter = clock.makeWorker("continuo-signals") { [weak self] in
      // One thread at least lets them in, whatever the others do.
      NotedSignals.unblock(Self.ending + Self.ofTerminal)
      while let signals = self { signals.takeNext(messenger) }
      return .whenSignalled
    }
    workers.withLock { $0 = [messenger, waiter] }
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is an error for whoever writes it, as a full disk is.
    signal(SIGXFSZ, SIG_IGN)
    for number in Self.ending + Self.ofTerminal where number != SIGHUP || !NotedSignals.isIgnored(number) {
      NotedSignals.note(number)
    }
  }

  /// From now on the main queue does what it is given.
  func mainQueueRuns() { isEndPossible.store(true, ordering: .relaxed) }

  private func takeRequest() -> Request {
    requests.withLock { request in
      defer { request = Request() }
      return request
    }
  }

  // MARK: The thread that waits

  private func takeNext(_ messenger: any Worker) {
    let noted = NotedSignals.wait()
    if let number = Self.ending.first(where: noted.contains) { end(128 + number, messenger) }
    if noted.contains(SIGTSTP) { Self.stop() }
    guard Self.ofTerminal.contains(where: noted.contains) else { return }
    TerminalMode.takeIfWanted()
    requests.withLock { $0.redraws = true }
    messenger.signal()
  }

  private func end(_ status: Int32, _ messenger: any Worker) -> Never {
    if isEndPossible.load(ordering: .relaxed) {
      requests.withLock { $0.end = status }
      messenger.signal()
      let clock = SystemClock.shared
      let deadline = clock.now.advanced(bySeconds: Self.limit)
      // Until the second one.
      while let noted = NotedSignals.wait(until: deadline), !Self.ending.contains(where: noted.contains) {}
    }
    // The default action ends the process if even this hangs.
    signal(SIGALRM, SIG_DFL)
    NotedSignals.unblock([SIGALRM])
    alarm(Self.cleanUpLimit)
    CleanUp.exit(status)
  }

  /// Stops the process as the signal does by itself. Returns when it goes on, or at once in a process group that no
  /// shell looks after: there the system does not stop anyone.
  private static func stop() {
    TerminalMode.giveBack()
    signal(SIGTSTP, SIG_DFL)
    raise(SIGTSTP)
    NotedSignals.note(SIGTSTP)
  }
}

/// The signals that have come, noted by handlers and taken by one thread.
private struct NotedSignals {
  private let bits: UInt64

  func contains(_ number: Int32) -> Bool { bits & 1 << UInt64(number) != 0 }

  private final class Board: Sendable {
    let bits = Atomic<UInt64>(0)
    let semaphore = Semaphore()
  }
  private static let board = Board()

  /// Has a signal noted from now on.
  static func note(_ number: Int32) {
    // A handler may neither allocate nor wait for a lock: the board is made before the first one is set, and from then
    // on only an atomic number and a semaphore are touched.
    _ = board
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      NotedSignals.board.bits.bitwiseOr(1 << UInt64(number), ordering: .relaxed)
      NotedSignals.board.semaphore.post()
    }
    action.sa_flags = SA_RESTART
    sigaction(number, &action, nil)
  }

  /// Whether the process was started with that signal ignored, as under nohup(1).
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Waits for a signal. Always the same thread.
  static func wait() -> NotedSignals {
    board.semaphore.wait()
    return NotedSignals(bits: board.bits.exchange(0, ordering: .relaxed))
  }

  /// Waits for a signal, at most until `deadline`; nil if none came.
  static func wait(until deadline: HostTime) -> NotedSignals? {
    guard board.semaphore.wait(until: deadline) else { return nil }
    return NotedSignals(bits: board.bits.exchange(0, ordering: .relaxed))
  }

  /// Lets these signals in on this thread.
  static func unblock(_ numbers: [Int32]) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
