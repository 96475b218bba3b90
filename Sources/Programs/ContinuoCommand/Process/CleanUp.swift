import Dispatch
import Glibc
import MusicFiles
import PulseOutput
import Synchronization

/// The clean-up steps of a process that ends by `CleanUp.exit`, as after a signal. For example, they save a
/// server's queue, restore the terminal, remove the control socket's file and complete a WAV file's header.
enum CleanUp {
  private struct State {
    var steps: [@Sendable () -> Void] = []
    /// The time at which the process began to end; nil before.
    var begun: DispatchTime?
    var writersDeadline: DispatchTime?
  }
  private static let state = Mutex(State())

  /// Adds a step; the last one added runs first. Steps may run on any thread. After a signal, the process ends
  /// even if the steps take longer than 3 s (`Signals`). Any thread; does not return once the process is ending.
  static func add(_ step: @escaping @Sendable () -> Void) {
    unlessEnding { state in state.steps.append(step) }
  }

  /// Adds a step that runs after those added so far and those of `add`, because it may take long. Any thread;
  /// does not return once the process is ending.
  static func addLast(_ step: @escaping @Sendable () -> Void) {
    unlessEnding { state in state.steps.insert(step, at: 0) }
  }

  /// Returns the result of `make` and adds the step that removes it; the clean-up does not begin between the
  /// two. Any thread; does not return once the process is ending.
  static func adding<Made: ~Copyable, Problem>(
    _ make: () throws(Problem) -> sending Made, removal: (borrowing Made) -> @Sendable () -> Void
  ) throws(Problem) -> sending Made {
    try unlessEnding { state throws(Problem) in
      let made = try make()
      state.steps.append(removal(made))
      return made
    }
  }

  private static func unlessEnding<Result: ~Copyable, Problem>(
    _ body: (inout State) throws(Problem) -> sending Result
  ) throws(Problem) -> sending Result {
    let result = try state.withLock { state throws(Problem) -> sending Result? in
      state.begun == nil ? try body(&state) : nil
    }
    // Waits without the lock, which the clean-up needs.
    guard let result else { waitForTheEnd() }
    return result
  }

  /// Runs the clean-up and ends the process. A second caller waits for the first, so that the clean-up is
  /// complete. Skips `atexit` handlers, because libpulse's threads may be in the middle of a call.
  static func exit(_ status: Int32) -> Never {
    let steps = state.withLock { state -> [@Sendable () -> Void]? in
      if state.begun != nil { return nil }
      state.begun = .now()
      return state.steps
    }
    guard let steps else { waitForTheEnd() }
    for step in steps.reversed() { step() }
    PrivatePulseServer.stopAll()
    fflush(nil)
    StandardOutput.finish()
    _exit(status)
  }

  /// The time until which a writer may wait for a slow reader. While the process ends, all writers have the same time.
  /// It is before the limit of the clean-up, unless earlier steps have taken longer.
  static var writersDeadline: DispatchTime {
    state.withLock { state in
      guard let begun = state.begun else { return .now() + LineWriter.endLimit }
      let deadline = state.writersDeadline ?? writersDeadline(begun: begun, now: .now())
      state.writersDeadline = deadline
      return deadline
    }
  }

  /// Returns the time until which the writers of a process wait for slow readers. The clean-up began at `begun`, and the
  /// first writer waits from `now` on. The time is 2.5 s after `begun` or 0.5 s after `now`, whichever is later.
  static func writersDeadline(begun: DispatchTime, now: DispatchTime) -> DispatchTime {
    max(begun + 2.5, now + 0.5)
  }

  private static func waitForTheEnd() -> Never { while true { sleep(60) } }
}

enum TemporaryDirectory {
  /// Returns a new directory that only this user can access; nil if it cannot be created. `CleanUp` removes
  /// the directory and its files.
  static func make() -> MediaPath? {
    let parent = ProcessEnvironment.value("TMPDIR") ?? "/tmp"
    return CleanUp.adding {
      var template = Array("\(parent)/continuo-XXXXXX".utf8CString)
      return mkdtemp(&template) == nil ? nil : MediaPath(bytes: template.map { UInt8(bitPattern: $0) })
    } removal: { (path: MediaPath?) in
      { if let path { remove(path) } }
    }
  }

  private static func remove(_ folder: MediaPath) {
    for name in (try? FolderEntries.names(in: folder)) ?? [] {
      _ = folder.appending(name).withCString { unlink($0) }
    }
    _ = folder.withCString { rmdir($0) }
  }
}
