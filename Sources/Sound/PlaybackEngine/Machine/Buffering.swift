import AudioCore
import Clocks

/// The state of an item's buffer. Corresponds to AVPlayerItem's isPlaybackBufferEmpty,
/// isPlaybackLikelyToKeepUp and isPlaybackBufferFull.
package struct BufferState: Hashable, Sendable {
  /// Whether no frame can be decoded at the present position until more data arrives.
  package var isEmpty: Bool
  /// Whether the item will probably play to its end without stalling.
  package var isLikelyToKeepUp: Bool
  /// Whether reading ahead is paused because enough is buffered.
  package var isFull: Bool

  /// The state of a medium whose bytes are all available.
  package static let all = BufferState(.all)

  /// Derives the state from the media available ahead of the present position.
  init(_ supply: MediaSupply) {
    isEmpty = supply.seconds < Buffering.nothing && !supply.isComplete
    isLikelyToKeepUp = Buffering.isLikelyToKeepUp(supply)
    isFull = supply.isFull
  }
}

/// Decides whether playback of a progressively loaded medium may start or resume. A pure value.
///
/// Playback waits at a start, after a jump and after an underrun, until the buffered duration and the loading
/// rate suffice. A completely loaded medium never waits.
struct Buffering {
  /// The reason for waiting, if any.
  enum Phase: Hashable {
    /// Playback is in progress or may start.
    case flowing
    /// Waiting for enough data to start.
    case starting
    /// Waiting for enough data to resume after a stall.
    case stalled
  }

  /// The seconds below which the buffer counts as empty; covers rounding errors of less than a frame.
  static let nothing = 0.001
  /// The buffered seconds that suffice for a start at any loading rate, and for resuming after a first stall.
  static let enough = 2.0
  /// The maximum of buffered seconds required after repeated stalls.
  static let most = 15.0

  private(set) var phase = Phase.flowing
  /// Whether one available frame suffices for a start, as `playImmediately(atRate:)` requires.
  private var beginsAtOnce = false
  /// The times of the item's last stall and of those in the minute before it, at most five.
  private var stalls: [HostTime] = []

  var holdsBack: Bool { phase != .flowing }

  /// Requests a start; playback begins at the first `look` that allows it.
  mutating func start() {
    // A stalled item still lacks data, so the stricter condition stays.
    if phase != .stalled, !beginsAtOnce { phase = .starting }
  }

  /// Restarts the wait after a jump of the position.
  mutating func jump() { phase = beginsAtOnce ? .flowing : .starting }

  /// Starts playback with the first available frame, now or later.
  mutating func beginAtOnce() {
    beginsAtOnce = true
    phase = .flowing
  }

  /// Ends the effect of `beginAtOnce` for later starts.
  mutating func waitAgain() { beginsAtOnce = false }

  /// Starts waiting because the last available frame was heard.
  mutating func runDry() {
    phase = .stalled
    beginsAtOnce = false
  }

  /// Records a stall that lasts and is reported to the application.
  mutating func stall(now: HostTime) {
    stalls.removeAll { now.seconds(since: $0) >= 60 }
    stalls.append(now)
    // Five stalls already require more than `most` (2 s · 2⁴ > 15 s), so older ones have no effect.
    stalls.removeFirst(max(0, stalls.count - 5))
    phase = .stalled
  }

  mutating func release() { phase = .flowing }

  /// Updates the phase with the media available ahead of the present position.
  mutating func look(_ supply: MediaSupply) {
    // Full read-ahead means that no more data comes, so waiting would never end.
    if supply.isFull { phase = .flowing }
    switch phase {
    case .flowing: break
    case .starting: if Self.mayStart(supply) { phase = .flowing }
    case .stalled:
      if Self.isLikelyToKeepUp(supply) || supply.seconds >= needed { phase = .flowing }
    }
  }

  /// The buffered seconds required to resume after the last stall: 2, 4, 8 or 15.
  private var needed: Double {
    min(Self.most, Self.enough * Double(1 << max(0, stalls.count - 1)))
  }

  static func isLikelyToKeepUp(_ supply: MediaSupply) -> Bool {
    supply.isComplete || supply.seconds >= 10 || supply.seconds >= 0.5 && supply.pace ?? 0 >= 1.1
  }

  /// Returns whether the buffered duration and the loading rate suffice for a start. The rate is known from
  /// the first 8 KiB on. It is at least 1 if they arrived in less time than they play.
  private static func mayStart(_ supply: MediaSupply) -> Bool {
    supply.isComplete || supply.seconds >= enough || supply.seconds >= 0.25 && supply.pace ?? 0 >= 1
  }
}
