package import HostTime
import Synchronization

/// Whether sound moves, for threads that answer clients.
package final class SoundState: Sendable {
  /// What holds sound back although it is asked for.
  package enum Obstacle: Hashable, Sendable {
    /// The application is suspended or not running.
    case application
    /// The audio session is interrupted. Asked of the session, not set.
    case interruption
    /// The output cannot be had; why.
    case output(String)
    /// A client has switched the output off.
    case switchedOff
    /// The output is there and has had too little to play for a while.
    case starved
  }

  private struct State {
    var obstacles: [Obstacle] = []
    /// Since when there is too little to play.
    var hungrySince: HostTime?
    var isSounding = false
    var since: HostTime?
    var played = 0.0
    var route: String?
  }

  private let state = Mutex(State())
  private let clock: any HostClock
  private let isInterrupted: @Sendable () -> Bool

  /// `isInterrupted`: whether the audio session is. Any thread; must not block.
  package init(clock: any HostClock, isInterrupted: @escaping @Sendable () -> Bool = { false }) {
    self.clock = clock
    self.isInterrupted = isInterrupted
  }

  /// What holds sound back now, the first if there are several; and why there is no sound, for a person: nil where a
  /// person has asked for that. Any thread.
  package var hindrance: (obstacle: Obstacle?, error: String?) {
    let isInterrupted = isInterrupted()
    return state.withLock { state in
      if let first = state.obstacles.first { return (first, Self.error(state.obstacles)) }
      if isInterrupted { return (.interruption, nil) }
      guard let since = state.hungrySince, clock.now.seconds(since: since) >= Self.starvationDelay
      else { return (nil, nil) }
      return (.starved, nil)
    }
  }

  /// How long there may be too little to play before that is an obstacle, in seconds. Every start and every seek has
  /// a moment of it; a client that asks right after its `play`, as mpc does, is not to read `pause`.
  static let starvationDelay = 0.5

  /// Whether a client has switched the output off. Any thread.
  package var isSwitchedOff: Bool { state.withLock { $0.obstacles.contains(.switchedOff) } }

  /// Whether sound is held back, whatever the jukebox wants: while a client has switched the output off, and during an
  /// interruption. Any thread.
  package var isHeldBack: Bool { isSwitchedOff || isInterrupted() }

  private static func error(_ obstacles: [Obstacle]) -> String? {
    for obstacle in obstacles {
      if case .output(let reason) = obstacle { return reason }
      if obstacle == .switchedOff { return "All audio outputs are disabled" }
    }
    return nil
  }

  /// The obstacle is there, or is not. True if that is news.
  @discardableResult
  package func set(_ obstacle: Obstacle, _ isThere: Bool) -> Bool {
    state.withLock { state in
      let isKnown = state.obstacles.contains(obstacle)
      if isThere, !isKnown { state.obstacles.append(obstacle) }
      if !isThere, isKnown { state.obstacles.removeAll { $0 == obstacle } }
      return isThere != isKnown
    }
  }

  /// There is too little to play from now on, or no longer.
  func setHungry(_ isHungry: Bool) {
    let now = clock.now
    state.withLock { $0.hungrySince = isHungry ? $0.hungrySince ?? now : nil }
  }

  /// The output cannot be had for that reason, or can for nil. True if that is news.
  @discardableResult
  package func setOutputProblem(_ reason: String?) -> Bool {
    state.withLock { state in
      let before = state.obstacles
      state.obstacles.removeAll { if case .output = $0 { true } else { false } }
      if let reason { state.obstacles.append(.output(reason)) }
      return before != state.obstacles
    }
  }

  /// Where sound goes, by the server's name for it; nil before it was opened.
  package var route: String? {
    get { state.withLock { $0.route } }
    set { state.withLock { $0.route = newValue } }
  }

  /// Sound moves from now on, or stands.
  func setSounding(_ isSounding: Bool) {
    let now = clock.now
    state.withLock { state in
      guard state.isSounding != isSounding else { return }
      state.isSounding = isSounding
      if let since = state.since { state.played += now.seconds(since: since) }
      state.since = isSounding ? now : nil
    }
  }

  /// Seconds of sound since the process began.
  package var secondsPlayed: Double {
    let now = clock.now
    return state.withLock { $0.played + ($0.since.map { now.seconds(since: $0) } ?? 0) }
  }
}
