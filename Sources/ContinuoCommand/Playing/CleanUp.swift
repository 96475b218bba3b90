import Glibc
import PulseOutput
import Synchronization

/// What must not be left behind, whatever way the process ends: the terminal's settings, a private server.
enum CleanUp {
  private static let steps = Mutex<[@Sendable () -> Void]>([])

  /// Adds a step; the last added runs first. Steps may run on any thread and must not block.
  static func add(_ step: @escaping @Sendable () -> Void) { steps.withLock { $0.append(step) } }

  /// Runs all steps, once.
  static func run() {
    let all = steps.withLock { steps in
      defer { steps = [] }
      return steps
    }
    for step in all.reversed() { step() }
    PrivatePulseServer.stopAll()
  }

  /// Ends the process with everything cleaned up. Does not run `atexit` handlers: libpulse's threads may be inside
  /// anything at this moment.
  static func exit(_ status: Int32) -> Never {
    run()
    fflush(nil)
    _exit(status)
  }
}
