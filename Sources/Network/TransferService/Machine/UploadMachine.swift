import SystemSupport

/// Schedules the attempts of an upload of a background session. A value: events go in, commands come out.
/// Events of earlier attempts are ignored, so that at most one exchange exists.
struct UploadMachine: Hashable, Sendable {
  enum File: Hashable, Sendable {
    case same(count: Int64)
    case missing
    case changed
  }

  enum Event: Hashable, Sendable {
    case start
    case hold(Bool)
    case cancel
    case examined(File, attempt: Int)
    /// The exchange has ended. `mayPass`: whether the same request may succeed later.
    case ended(mayPass: Bool, attempt: Int)
    case time(attempt: Int)
  }

  enum Command: Hashable, Sendable {
    /// Examine the file, and answer with the event `examined`.
    case examine(attempt: Int)
    /// Create an exchange that sends `count` bytes.
    case connect(count: Int64, attempt: Int)
    case hold(Bool)
    /// Send the event `time` after this many seconds.
    case wait(Double, attempt: Int)
    case stopWaiting
    /// End the exchange, if any, without a report.
    case close
    /// Report the response, or the failure of the last exchange.
    case report
    /// Report that the file is missing or has changed.
    case reportFile(File)
  }

  private enum Phase: Hashable {
    /// The next attempt begins when the upload is started and not held.
    case due
    case examining
    case running
    case waiting
    case over
  }

  private var phase = Phase.due
  private var hasStarted = false
  private var isHeld = false
  private var failures = 0
  private(set) var attempt = 0

  init() {}

  mutating func handle(_ event: Event) -> [Command] {
    guard phase != .over else { return [] }
    switch event {
    case .start:
      guard !hasStarted else { return [] }
      hasStarted = true
      return isHeld ? [] : begin()
    case .hold(let isHeld): return hold(isHeld)
    case .cancel:
      phase = .over
      return [.stopWaiting, .close]
    case .examined(let file, attempt): return phase == .examining ? examined(file) : []
    case .ended(let mayPass, attempt):
      guard phase == .running else { return [] }
      guard mayPass else {
        phase = .over
        return [.report]
      }
      phase = .waiting
      failures += 1
      return [.wait(Alarms.backoff.delay(after: failures), attempt: attempt)]
    case .time(attempt):
      guard phase == .waiting else { return [] }
      phase = .due
      return isHeld ? [] : begin()
    case .examined, .ended, .time: return []
    }
  }

  private mutating func begin() -> [Command] {
    attempt += 1
    phase = .examining
    return [.examine(attempt: attempt)]
  }

  private mutating func examined(_ file: File) -> [Command] {
    guard case .same(let count) = file else {
      phase = .over
      return [.reportFile(file)]
    }
    phase = isHeld ? .due : .running
    return isHeld ? [] : [.connect(count: count, attempt: attempt)]
  }

  private mutating func hold(_ isHeld: Bool) -> [Command] {
    guard self.isHeld != isHeld else { return [] }
    self.isHeld = isHeld
    switch phase {
    case .running: return [.hold(isHeld)]
    case .due where hasStarted && !isHeld: return begin()
    // Resuming skips the rest of the back-off.
    case .waiting where !isHeld: return [.stopWaiting] + begin()
    case .due, .examining, .waiting, .over: return []
    }
  }
}
