package import Clocks
package import ControlProtocol

/// The pending end of playback: after a time, or with the current song. The volume fades before it.
package struct SleepPlan: Sendable {
  package enum End: Hashable, Sendable {
    case at(HostTime)
    case song
  }

  /// The maximum duration of the fade, in seconds.
  static let fade = 60.0
  /// The interval between two steps of the fade, in seconds. Each step of a fade of 60 s is inaudible.
  static let step = 0.25
  /// The interval before the fade, in seconds, between two checks of the position in the song, which a seek may change.
  static let look = 1.0

  package let end: End
  private let length: Double

  /// Creates the plan for a request made at `now`; nil for `off`.
  package init?(_ request: SleepRequest, now: HostTime) {
    switch request {
    case .off: return nil
    case .song: (end, length) = (.song, Self.fade)
    case .after(let time):
      end = .at(now.advanced(bySeconds: time.seconds))
      length = min(Self.fade, time.seconds)
    }
  }

  package struct Step: Hashable, Sendable {
    /// The factor for the volume, 0…1.
    package var gain: Double
    /// The time of the next step; nil if the plan's time is over. Never nil for a plan that ends with the song.
    package var next: HostTime?
  }

  /// Returns the step at `now`. `remaining` is the time until the end of the song in seconds; nil if unknown.
  package func step(at now: HostTime, remaining: Double?) -> Step {
    switch end {
    case .at(let end):
      let rest = end.seconds(since: now)
      guard rest > 0 else { return Step(gain: 1, next: nil) }
      let isFading = rest <= length
      let next = isFading ? now.advanced(bySeconds: Self.step) : end.advanced(bySeconds: -length)
      return Step(gain: isFading ? rest / length : 1, next: min(end, next))
    case .song:
      let gain = remaining.map { min(1, max(0, $0 / length)) } ?? 1
      return Step(gain: gain, next: now.advanced(bySeconds: gain < 1 ? Self.step : Self.look))
    }
  }
}
