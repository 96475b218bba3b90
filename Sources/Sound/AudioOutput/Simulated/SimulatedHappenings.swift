import HostTime

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
