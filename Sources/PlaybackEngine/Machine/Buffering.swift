import AudioCore
import HostTime

/// What is known of an item's buffer. AVPlayerItem.isPlaybackBufferEmpty and its siblings.
package struct BufferState: Hashable, Sendable {
  /// No frame can be decoded at the place.
  package var isEmpty: Bool
  /// It will probably play to its end without stalling.
  package var isLikelyToKeepUp: Bool
  /// Reading ahead is paused because there is enough.
  package var isFull: Bool

  /// That of a medium whose bytes are all there.
  package static let all = BufferState(.all)

  /// What `supply` ahead of the place means.
  init(_ supply: MediaSupply) {
    isEmpty = supply.seconds < Buffering.nothing && !supply.isComplete
    isLikelyToKeepUp = Buffering.isLikelyToKeepUp(supply)
    isFull = supply.isFull
  }
}

/// Whether sound of a medium that comes little by little may begin, or go on. A pure value.
///
/// Sound is held back when playback starts, when the place jumps and when nothing is left, until what is there and the pace
/// at which more comes let it go on. What is there as a whole is never held back.
struct Buffering {
  /// What is waited for.
  enum Phase: Hashable {
    /// Sound flows, or may.
    case flowing
    /// Enough for a start.
    case starting
    /// Going on behind a stall.
    case stalled
  }

  /// Fewer seconds of sound than this are none: what is left of a frame when sums are rounded.
  static let nothing = 0.001
  /// Seconds of sound with which a start is safe whatever the pace is, and with which it goes on behind a first stall.
  static let enough = 2.0
  /// Seconds of sound that are waited for at most behind stalls in a row.
  static let most = 15.0

  private(set) var phase = Phase.flowing
  /// A start needs no more than a frame: `playImmediately`.
  private var beginsAtOnce = false
  /// When the item stalled, within the last minute.
  private var stalls: [HostTime] = []

  /// Whether sound is to wait.
  var holdsBack: Bool { phase != .flowing }

  /// Sound is to begin at a place. It begins at the first `look` that allows it.
  mutating func start() {
    // What stalled is short of sound still.
    if phase != .stalled, !beginsAtOnce { phase = .starting }
  }

  /// The place jumped: what was waited for is not wanted any more.
  mutating func jump() { phase = beginsAtOnce ? .flowing : .starting }

  /// Sound is to begin with the first frame, now or when there is one.
  mutating func beginAtOnce() {
    beginsAtOnce = true
    phase = .flowing
  }

  /// The next start waits as usual.
  mutating func waitAgain() { beginsAtOnce = false }

  /// The last frame that is there was heard.
  mutating func runDry() {
    phase = .stalled
    beginsAtOnce = false
  }

  /// It stays dry, so that the application is told of it.
  mutating func stall(now: HostTime) {
    stalls.removeAll { now.seconds(since: $0) >= 60 }
    stalls.append(now)
    // Five doublings are beyond the most.
    stalls.removeFirst(max(0, stalls.count - 5))
    phase = .stalled
  }

  /// Sound is not to wait, whatever is there.
  mutating func release() { phase = .flowing }

  /// Takes in what is there ahead of the place.
  mutating func look(_ supply: MediaSupply) {
    // What does not come is not waited for.
    if supply.isFull { phase = .flowing }
    switch phase {
    case .flowing: break
    case .starting: if Self.mayStart(supply) { phase = .flowing }
    case .stalled:
      if Self.isLikelyToKeepUp(supply) || supply.seconds >= needed { phase = .flowing }
    }
  }

  /// Seconds of sound with which it goes on behind the last stall.
  private var needed: Double {
    min(Self.most, Self.enough * Double(1 << max(0, stalls.count - 1)))
  }

  static func isLikelyToKeepUp(_ supply: MediaSupply) -> Bool {
    supply.isComplete || supply.seconds >= 10 || supply.seconds >= 0.5 && supply.pace ?? 0 >= 1.1
  }

  /// A pace is known as soon as 8 KiB came, so that it is at least 1 when those came in less than the time that they last.
  private static func mayStart(_ supply: MediaSupply) -> Bool {
    supply.isComplete || supply.seconds >= enough || supply.seconds >= 0.25 && supply.pace ?? 0 >= 1
  }
}
