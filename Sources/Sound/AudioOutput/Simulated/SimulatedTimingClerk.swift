import AudioCore
import HostTime

/// The reported timing of a simulated device: exact, or updated only at the personality's interval.
struct SimulatedTimingClerk {
  private let interval: Double
  private let opening: HostTime
  private var due: HostTime?
  private var hasChanged = false
  /// The reported timing; nil if the exact timing is reported.
  private(set) var snapshot: OutputTiming?

  init(interval: Double, opening: HostTime) {
    self.interval = interval
    self.opening = opening
    if interval > 0 {
      snapshot = OutputTiming(heardFrame: 0, hostTime: opening, frameRate: 0, renderedFrames: 0)
    }
  }

  /// Records that the timing no longer extrapolates from the last one; reported with the next update.
  mutating func noteChange() { hasChanged = true }

  mutating func refresh(_ timing: OutputTiming) {
    if interval > 0 { snapshot = timing }
  }

  /// Updates the reported timing if an update is due. Returns whether to report a change now.
  mutating func update(at now: HostTime, timing: OutputTiming) -> Bool {
    if interval > 0 {
      guard let moment = due, now >= moment else { return false }
      due = nil
      snapshot = timing
    }
    defer { hasChanged = false }
    return hasChanged
  }

  /// Returns the next update's time, a multiple of the interval since the opening; nil if none is needed.
  mutating func nextUpdate(after now: HostTime, isMoving: Bool) -> HostTime? {
    guard interval > 0, isMoving || hasChanged else { return nil }
    if let due { return due }
    let steps = (now.seconds(since: opening) / interval).rounded(.down) + 1
    let moment = opening.advanced(bySeconds: steps * interval)
    // The product may round down to the present time.
    due = moment > now ? moment : now.advanced(bySeconds: interval)
    return due
  }
}
