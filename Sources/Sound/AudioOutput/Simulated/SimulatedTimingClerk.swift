import AudioCore
import Clocks

/// The reported timing of a simulated stream: exact, or updated at the personality's interval, and by
/// `refresh`.
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

  /// Records that the timing no longer matches the extrapolation of the last reported timing. The next update
  /// reports the change.
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

/// The scheduled events of a simulated device, in host time.
struct SimulatedHappenings {
  let move: HostTime?
  private let death: HostTime?
  private let revival: HostTime?
  private let suspension: Range<HostTime>?

  init(_ personality: SimulatedOutput.Personality, created: HostTime, opening: HostTime) {
    move = personality.move.map(created.advanced(bySeconds:))
    death = personality.death.map(created.advanced(bySeconds:))
    revival = personality.revival.map(created.advanced(bySeconds:))
    suspension = personality.suspension.map {
      created.advanced(bySeconds: $0.lowerBound)..<created.advanced(bySeconds: $0.upperBound)
    }
    isPastDeath = death.map { opening >= $0 } ?? false
  }

  /// Whether the stream was opened after the device's death; only then does the revival apply.
  private let isPastDeath: Bool

  func isDead(at now: HostTime) -> Bool {
    guard let death, now >= death else { return false }
    // A stream opened before the death stays dead, even if its worker runs only after the revival.
    guard isPastDeath, let revival else { return true }
    return now < revival
  }

  func isSuspended(at now: HostTime) -> Bool { suspension?.contains(now) ?? false }

  /// Returns the time of the next event; nil if none remains.
  func next(after now: HostTime) -> HostTime? {
    [move, death, suspension?.lowerBound, suspension?.upperBound].compactMap(\.self).filter { $0 > now }.min()
  }
}
