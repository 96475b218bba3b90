package import Clocks
import Synchronization

/// The state of the sound output, for threads that answer clients: whether sound plays, and what prevents it.
package final class SoundState: Sendable {
  /// A condition that prevents sound while playback is requested.
  package enum Obstacle: Hashable, Sendable {
    case application
    /// The audio session is interrupted. Read from the session, not set here.
    case interruption
    case output(String)
    case switchedOff
    /// The output works, but has lacked data for a while. With a host, data from the network is awaited.
    case starved(host: String?)

    /// The text for people; nil if the obstacle is not an error.
    fileprivate var error: String? {
      if case .output(let reason) = self { return reason }
      return self == .switchedOff ? "All audio outputs are disabled" : nil
    }
  }

  private struct State {
    var obstacles: [Obstacle] = []
    var hunger: Hunger?
    /// Calls `onWaiting` when a wait for the network has lasted long enough to be an obstacle.
    var worker: (any Worker)?
    var isSounding = false
    var since: HostTime?
    var played = 0.0
    var route: String?
  }

  private struct Hunger {
    var since: HostTime
    /// The host whose data is awaited; nil if the data does not come from the network.
    var host: String?

    /// The time from which the starvation is an obstacle.
    var end: HostTime {
      since.advanced(bySeconds: host == nil ? SoundState.starvationDelay : SoundState.networkDelay)
    }
  }

  private let state = Mutex(State())
  private let onWaiting = Mutex<(@Sendable () -> Void)?>(nil)
  private let clock: any HostClock
  private let isInterrupted: @Sendable () -> Bool

  /// `isInterrupted` is called on any thread and must not block.
  package init(clock: any HostClock, isInterrupted: @escaping @Sendable () -> Bool = { false }) {
    self.clock = clock
    self.isInterrupted = isInterrupted
  }

  /// The first obstacle to sound, and the first error text of the obstacles for clients; each is nil if there is none.
  /// Obstacles that were set precede an interruption, which precedes starvation. Any thread.
  package var hindrance: (obstacle: Obstacle?, error: String?) {
    let isInterrupted = isInterrupted()
    return state.withLock { state in
      if let first = state.obstacles.first { return (first, state.obstacles.lazy.compactMap(\.error).first) }
      if isInterrupted { return (.interruption, nil) }
      guard let hunger = state.hunger, clock.now >= hunger.end else { return (nil, nil) }
      return (.starved(host: hunger.host), hunger.host.map { "waiting for \($0)" })
    }
  }

  /// The time that a lack of data may last before it is an obstacle, in seconds. Every start and seek lacks
  /// data briefly; a client that asks right after its `play`, as mpc does, must not get `pause`.
  static let starvationDelay = 0.5
  /// The same limit while data from the network is awaited, in seconds.
  static let networkDelay = 0.25
  /// The time, in seconds, for which sound has already been missing when a player reports a stall.
  static let stallDelay = 0.25

  deinit { state.withLock { $0.worker }?.cancel() }

  /// Sets the closure for the start and the end of a wait for the network. Called on any thread, without a
  /// lock.
  package func onWaiting(_ body: @escaping @Sendable () -> Void) { onWaiting.withLock { $0 = body } }

  /// Whether a client has disabled the output. Any thread.
  package var isSwitchedOff: Bool { state.withLock { $0.obstacles.contains(.switchedOff) } }

  /// Whether a client has disabled the output or the session is interrupted. Any thread.
  package var isHeldBack: Bool { isSwitchedOff || isInterrupted() }

  /// Adds or removes an obstacle. Returns whether that is a change. Any thread.
  @discardableResult
  package func set(_ obstacle: Obstacle, _ isThere: Bool) -> Bool {
    state.withLock { state in
      let isKnown = state.obstacles.contains(obstacle)
      if isThere, !isKnown { state.obstacles.append(obstacle) }
      if !isThere, isKnown { state.obstacles.removeAll { $0 == obstacle } }
      return isThere != isKnown
    }
  }

  /// Records whether the player lacks data, and from which host. With `hasStalled` while sound was playing,
  /// the lack began `stallDelay` ago, since the player reports a stall that late.
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

  /// Records why the output is unavailable; nil if it is available. Returns whether that is a change.
  @discardableResult
  package func setOutputProblem(_ reason: String?) -> Bool {
    state.withLock { state in
      let before = state.obstacles
      state.obstacles.removeAll { if case .output = $0 { true } else { false } }
      if let reason { state.obstacles.append(.output(reason)) }
      return before != state.obstacles
    }
  }

  /// The audio server's name for the current output; nil before the output was opened.
  package var route: String? {
    get { state.withLock { $0.route } }
    set { state.withLock { $0.route = newValue } }
  }

  func setSounding(_ isSounding: Bool) {
    let now = clock.now
    state.withLock { state in
      guard state.isSounding != isSounding else { return }
      state.isSounding = isSounding
      if let since = state.since { state.played += now.seconds(since: since) }
      state.since = isSounding ? now : nil
    }
  }

  /// The time for which sound has played since this object was created, in seconds. Any thread.
  package var secondsPlayed: Double {
    let now = clock.now
    return state.withLock { $0.played + ($0.since.map { now.seconds(since: $0) } ?? 0) }
  }
}
