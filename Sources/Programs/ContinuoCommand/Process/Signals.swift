import Clocks
import Dispatch
import Glibc
import Synchronization

/// Handles the process's signals.
///
/// - SIGINT, SIGTERM, SIGHUP and SIGQUIT end the player in order. After a second one, or if the player does not
///   end within 200 ms, the process ends after its clean-up. A SIGHUP that is ignored at the start stays ignored,
///   as nohup(1) requires.
/// - SIGHUP reloads a server instead, even if the signal is ignored at the start.
/// - SIGTSTP restores the terminal and stops the process; SIGCONT takes the terminal again.
/// - SIGWINCH redraws the terminal, which has a new size.
/// - SIGPIPE and SIGXFSZ are ignored, so that writes return errors.
///
/// Handlers only record the signals; one thread processes them, without the help of another thread. So a process
/// ends even if the system gives it no further threads or its main queue hangs.
final class Signals: Sendable {
  private static let ofTerminal = [SIGTSTP, SIGCONT, SIGWINCH]
  /// The time in seconds after which a player that should end counts as hanging.
  private static let limit = 0.2
  /// The time limit for the clean-up of a hanging player, in seconds, because clean-up steps may hang too.
  private static let cleanUpLimit: UInt32 = 3

  private struct Request {
    var end: Int32?
    /// The time at which the process ends even if the clean-up hangs, and its exit status then.
    var lastEnd: (at: HostTime, status: Int32)?
    var redraws = false
    var reloads = false
  }

  private let ending: [Int32]
  private let isEndPossible = Atomic<Bool>(false)
  private let requests = Mutex(Request())
  private let workers = Mutex<[any Worker]>([])

  /// Handles the signals from now on. Call once in a process, on the main thread. The closures are called on
  /// the main queue. `end` gets the exit status, 128 plus the signal's number as in shells. `redraw` is
  /// called when the process continues after a stop or the terminal has a new size. `reload` is called for
  /// SIGHUP; without `reload`, SIGHUP ends the player. Until `mainQueueRuns`, a signal that would end the player
  /// runs the clean-up and ends the process, without a call of `end`.
  init(
    end: @escaping @MainActor @Sendable (Int32) -> Void,
    redraw: @escaping @MainActor @Sendable () -> Void = {},
    reload: (@MainActor @Sendable () -> Void)? = nil
  ) {
    let ending = [SIGINT, SIGTERM, SIGQUIT] + (reload == nil ? [SIGHUP] : [])
    let noted = Self.ofTerminal + ending + (reload == nil ? [] : [SIGHUP])
    self.ending = ending
    let clock = SystemClock.shared
    // Dispatch may hang if no threads are available, so a second thread passes the closures to it.
    let messenger = clock.makeWorker("continuo-ending") { [weak self] in
      let request = self?.takeRequest() ?? Request()
      if let status = request.end { DispatchQueue.main.async { MainActor.assumeIsolated { end(status) } } }
      if request.reloads, let reload { DispatchQueue.main.async { MainActor.assumeIsolated { reload() } } }
      if request.redraws { DispatchQueue.main.async { MainActor.assumeIsolated { redraw() } } }
      guard let last = request.lastEnd else { return .whenSignalled }
      if clock.now >= last.at { _exit(last.status) }
      return .at(last.at)
    }
    let waiter = clock.makeWorker("continuo-signals") { [weak self] in
      // The clock creates its threads with these signals blocked. At least this thread must receive them.
      NotedSignals.unblock(noted)
      while let signals = self { signals.takeNext(messenger) }
      return .whenSignalled
    }
    workers.withLock { $0 = [messenger, waiter] }
    signal(SIGPIPE, SIG_IGN)
    // A write above the file size limit becomes an error, as on a full disk.
    signal(SIGXFSZ, SIG_IGN)
    for number in noted where number != SIGHUP || reload != nil || !NotedSignals.isIgnored(number) {
      NotedSignals.note(number)
    }
  }

  /// Records that the main queue runs, so that it can end the player.
  func mainQueueRuns() { isEndPossible.store(true, ordering: .relaxed) }

  private func takeRequest() -> Request {
    requests.withLock { request in
      defer { request = Request(lastEnd: request.lastEnd) }
      return request
    }
  }

  // MARK: Waiting thread

  private func takeNext(_ messenger: any Worker) {
    let noted = NotedSignals.wait()
    if let number = ending.first(where: noted.contains) { end(128 + number, messenger) }
    if noted.contains(SIGTSTP) { Self.stop() }
    if noted.contains(SIGHUP) {
      requests.withLock { $0.reloads = true }
      messenger.signal()
    }
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
      // Waits until the deadline or a second signal.
      while let noted = NotedSignals.wait(until: deadline), !ending.contains(where: noted.contains) {}
    }
    let last = SystemClock.shared.now.advanced(bySeconds: Double(Self.cleanUpLimit))
    requests.withLock { $0.lastEnd = (last, status) }
    messenger.signal()
    // SIGALRM's default action ends the process if the messenger, which calls Dispatch, hangs too.
    signal(SIGALRM, SIG_DFL)
    NotedSignals.unblock([SIGALRM])
    alarm(Self.cleanUpLimit + 1)
    CleanUp.exit(status)
  }

  /// Restores the terminal, and stops the process as SIGTSTP's default action does. Returns when the process
  /// continues, or at once in an orphaned process group, which the system does not stop.
  private static func stop() {
    TerminalMode.giveBack()
    signal(SIGTSTP, SIG_DFL)
    raise(SIGTSTP)
    NotedSignals.note(SIGTSTP)
  }
}

/// The signals that handlers have recorded, for one thread to process.
private struct NotedSignals {
  private let bits: UInt64

  func contains(_ number: Int32) -> Bool { bits & 1 << UInt64(number) != 0 }

  private final class Board: Sendable {
    let bits = Atomic<UInt64>(0)
    let semaphore = Semaphore()
  }
  private static let board = Board()

  /// Installs a handler that records a signal from now on.
  static func note(_ number: Int32) {
    // A handler may neither allocate nor lock. So the board is created before the first handler is set;
    // handlers only use an atomic number and a semaphore.
    _ = board
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      NotedSignals.board.bits.bitwiseOr(1 << UInt64(number), ordering: .relaxed)
      NotedSignals.board.semaphore.post()
    }
    action.sa_flags = SA_RESTART
    sigaction(number, &action, nil)
  }

  /// Whether the signal is ignored at present, as SIGHUP is from the start under nohup(1).
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Waits for signals and returns them; may return none. Always call on the same thread.
  static func wait() -> NotedSignals {
    board.semaphore.wait()
    return NotedSignals(bits: board.bits.exchange(0, ordering: .relaxed))
  }

  /// Waits for signals until `deadline` and returns them, as `wait()` does; nil at the deadline.
  static func wait(until deadline: HostTime) -> NotedSignals? {
    guard board.semaphore.wait(until: deadline) else { return nil }
    return NotedSignals(bits: board.bits.exchange(0, ordering: .relaxed))
  }

  static func unblock(_ numbers: [Int32]) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
