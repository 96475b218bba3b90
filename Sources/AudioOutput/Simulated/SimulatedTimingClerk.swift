import AudioCore
import HostTime

/// Reports a simulated device's timing when its personality lets it: at once, or only at certain moments.
struct SimulatedTimingClerk {
  private let interval: Double
  private let opening: HostTime
  private var due: HostTime?
  private var hasChanged = false
  /// What is reported; nil where it is the exact timing.
  private(set) var snapshot: OutputTiming?

  init(interval: Double, opening: HostTime) {
    self.interval = interval
    self.opening = opening
    if interval > 0 {
      snapshot = OutputTiming(heardFrame: 0, hostTime: opening, frameRate: 0, renderedFrames: 0)
    }
  }

  /// The timing has left its line: to be told with the next update.
  mutating func noteChange() {
    hasChanged = true
  }

  /// Brings the report up to date out of turn.
  mutating func refresh(_ timing: OutputTiming) {
    if interval > 0 { snapshot = timing }
  }

  /// Brings the report up to date if it is time. Returns whether a change is to be told now.
  mutating func update(at now: HostTime, timing: OutputTiming) -> Bool {
    if interval > 0 {
      guard let moment = due, now >= moment else { return false }
      due = nil
      snapshot = timing
    }
    defer { hasChanged = false }
    return hasChanged
  }

  /// When the next update is due, on a grid that began with the stream; nil if none is needed.
  mutating func nextUpdate(after now: HostTime, isMoving: Bool) -> HostTime? {
    guard interval > 0, isMoving || hasChanged else { return nil }
    if let due { return due }
    let steps = (now.seconds(since: opening) / interval).rounded(.down) + 1
    let moment = opening.advanced(bySeconds: steps * interval)
    // The product may round down to the present moment.
    due = moment > now ? moment : now.advanced(bySeconds: interval)
    return due
  }
}
