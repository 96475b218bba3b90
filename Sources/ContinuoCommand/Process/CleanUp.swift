import Glibc
import PulseOutput
import Synchronization

/// What must not be left behind, whatever way the process ends: the terminal's settings, the control socket's file, a WAV
/// file's header, a private server, lines that a reader has not taken yet.
enum CleanUp {
  private struct State {
    var steps: [@Sendable () -> Void] = []
    var hasBegun = false
  }
  private static let state = Mutex(State())

  /// Adds a step; the last added runs first. Steps may run on any thread, and wait for no longer than a hanging clean-up
  /// is given (`Signals`). Any thread; does not return once the process is ending.
  static func add(_ step: @escaping @Sendable () -> Void) {
    unlessEnding { state in state.steps.append(step) }
  }

  /// Makes something and adds the step that removes it; the process does not end between the two. Any thread; does not
  /// return once the process is ending.
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
    try state.withLock { state throws(Problem) in
      if state.hasBegun { waitForTheEnd() }
      return try body(&state)
    }
  }

  /// Ends the process with everything cleaned up. Whoever comes second waits for the first: half a clean-up is none. Does
  /// not run `atexit` handlers: libpulse's threads may be inside anything at this moment.
  static func exit(_ status: Int32) -> Never {
    let steps = state.withLock { state -> [@Sendable () -> Void]? in
      if state.hasBegun { return nil }
      state.hasBegun = true
      return state.steps
    }
    guard let steps else { waitForTheEnd() }
    for step in steps.reversed() { step() }
    PrivatePulseServer.stopAll()
    fflush(nil)
    StandardOutput.finish()
    _exit(status)
  }

  private static func waitForTheEnd() -> Never { while true { sleep(60) } }
}
