import Clocks

/// The state of a program's processes, and the times of their next stop and resumption.
struct StopSchedule {
  enum Phase { case none, running, stopping, stopped }

  private(set) var phase = Phase.none
  /// The time of the next stop; nil if none is planned.
  private var stopAt: HostTime?
  private var wakeAt: HostTime?

  var isStanding: Bool { phase == .stopping || phase == .stopped }

  /// The earliest time at which the processes are to be stopped or resumed; nil if none.
  var nextDeadline: HostTime? { [stopAt, stoppedWakeAt].compactMap(\.self).min() }

  private var stoppedWakeAt: HostTime? { phase == .stopped ? wakeAt : nil }

  func isStopDue(at now: HostTime) -> Bool { stopAt.map { now >= $0 } ?? false }

  func isWakeDue(at now: HostTime) -> Bool { stoppedWakeAt.map { now >= $0 } ?? false }

  mutating func start() { phase = .running }

  mutating func end() { self = StopSchedule() }

  /// The time of the next wake; nil if none is planned after `now`.
  func wake(after now: HostTime) -> HostTime? { wakeAt.flatMap { $0 > now ? $0 : nil } }

  /// Plans the next stop at `time`. `wakeTime` is the time at which the stopped application has work to do; nil
  /// if it has none.
  mutating func planStop(at time: HostTime, wakingAt wakeTime: HostTime?) {
    (stopAt, wakeAt) = (time, wakeTime)
  }

  mutating func cancelStop() { stopAt = nil }

  /// Begins the stop of running processes. Returns whether there are any.
  mutating func stop() -> Bool {
    stopAt = nil
    guard phase == .running else { return false }
    phase = .stopping
    return true
  }

  /// Records that the stop is over: the processes have stopped, or the time limit for that has passed.
  mutating func stand() { phase = .stopped }

  /// Cancels a planned stop, and records a resumption. Returns whether the processes were stopped or being stopped.
  mutating func resume() -> Bool {
    stopAt = nil
    guard isStanding else { return false }
    phase = .running
    return true
  }
}
