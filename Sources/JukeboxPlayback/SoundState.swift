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
    /// The output is there and has had too little to play for a while. The network is waited for, if there is a host.
    case starved(host: String?)
  }

  private struct State {
    var obstacles: [Obstacle] = []
    var hunger: Hunger?
    /// Tells when hunger has become an obstacle.
    var worker: (any Worker)?
    var isSounding = false
    var since: HostTime?
    var played = 0.0
    var route: String?
  }

  /// There is too little to play.
  private struct Hunger {
    var since: HostTime
    /// Who is waited for; nil: nobody on the network.
    var host: String?

    /// When it is an obstacle.
    var end: HostTime {
      since.advanced(bySeconds: host == nil ? SoundState.starvationDelay : SoundState.networkDelay)
    }
  }

  private let state = Mutex(State())
  private let onWaiting = Mutex<(@Sendable () -> Void)?>(nil)
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
      guard let hunger = state.hunger, clock.now >= hunger.end else { return (nil, nil) }
      return (.starved(host: hunger.host), hunger.host.map { "waiting for \($0)" })
    }
  }

  /// How long there may be too little to play before that is an obstacle, in seconds. Every start and every seek has
  /// a moment of it; a client that asks right after its `play`, as mpc does, is not to read `pause`.
  static let starvationDelay = 0.5
  /// The same where the network is waited for, in seconds.
  static let networkDelay = 0.25
  /// How long sound has stood when a player says that it has stalled, in seconds.
  static let stallDelay = 0.25

  deinit { state.withLock { $0.worker }?.cancel() }

  /// Called when the network begins or ceases to be an obstacle; on any thread, without a lock.
  package func onWaiting(_ body: @escaping @Sendable () -> Void) { onWaiting.withLock { $0 = body } }

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

  /// There is too little to play from now on, or no longer. `host`: who is waited for, if it is the network. Where sound was
  /// moving, the player says so a while after it stood.
  func setHungry(_ isHungry: Bool, host: String? = nil, hasStalled: Bool = false) {
    let now = clock.now
    let (wasWaiting, worker) = state.withLock { state in
      let old = state.hunger
      let begin = hasStalled && state.isSounding ? now.advanced(bySeconds: -Self.stallDelay) : now
      state.hunger = isHungry ? Hunger(since: old?.since ?? begin, host: host) : nil
      if host != nil, state.worker == nil {
        state.worker = clock.makeWorker("continuo-wait") { [weak self] in self?.watch() ?? .whenSignalled }
      }
      let wasWaiting = old.map { $0.host != nil && $0.end <= now } ?? false
      return (wasWaiting && host == nil, host == nil ? nil : state.worker)
    }
    worker?.signal()
    if wasWaiting { onWaiting.withLock { $0 }?() }
  }

  private func watch() -> WorkerNext {
    guard let hunger = state.withLock({ $0.hunger }), hunger.host != nil else { return .whenSignalled }
    guard clock.now >= hunger.end else { return .at(hunger.end) }
    onWaiting.withLock { $0 }?()
    return .whenSignalled
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
