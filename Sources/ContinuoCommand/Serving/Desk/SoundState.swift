import AudioCore
import Synchronization

/// Whether sound moves, for threads that answer clients.
final class SoundState: Sendable {
  /// What holds sound back although it is asked for.
  enum Obstacle: Hashable, Sendable {
    /// The application is suspended, not running or interrupted.
    case application
    /// The output cannot be had; why.
    case output(String)
    /// A client has switched the output off.
    case switchedOff
    /// The output is there and has too little to play.
    case starved
  }

  private struct State {
    var obstacles: [Obstacle] = []
    var isSounding = false
    var since: HostTime?
    var played = 0.0
    var route: String?
  }

  private let state = Mutex(State())
  private let clock: any HostClock

  init(clock: any HostClock) { self.clock = clock }

  /// What holds sound back now; the first is the one to tell. Any thread.
  var obstacle: Obstacle? { state.withLock { $0.obstacles.first } }

  /// Whether a client has switched the output off. Any thread.
  var isSwitchedOff: Bool { state.withLock { $0.obstacles.contains(.switchedOff) } }

  /// Why there is no sound, for a person; nil where a person has asked for that.
  var error: String? {
    state.withLock { state in
      for obstacle in state.obstacles {
        if case .output(let reason) = obstacle { return reason }
        if obstacle == .switchedOff { return "All audio outputs are disabled" }
      }
      return nil
    }
  }

  /// The obstacle is there, or is not. True if that is news.
  @discardableResult
  func set(_ obstacle: Obstacle, _ isThere: Bool) -> Bool {
    state.withLock { state in
      let isKnown = state.obstacles.contains(obstacle)
      if isThere, !isKnown { state.obstacles.append(obstacle) }
      if !isThere, isKnown { state.obstacles.removeAll { $0 == obstacle } }
      return isThere != isKnown
    }
  }

  /// The output cannot be had for that reason, or can for nil. True if that is news.
  @discardableResult
  func setOutputProblem(_ reason: String?) -> Bool {
    state.withLock { state in
      let before = state.obstacles
      state.obstacles.removeAll { if case .output = $0 { true } else { false } }
      if let reason { state.obstacles.append(.output(reason)) }
      return before != state.obstacles
    }
  }

  /// Where sound goes, by the server's name for it; nil before it was opened.
  var route: String? {
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
  var secondsPlayed: Double {
    let now = clock.now
    return state.withLock { $0.played + ($0.since.map { now.seconds(since: $0) } ?? 0) }
  }
}
