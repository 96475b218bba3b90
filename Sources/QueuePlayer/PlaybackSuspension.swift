import PlaybackEngine
import Synchronization

/// How much is going on in a set of players.
public enum PlaybackActivity: Int, Comparable, Sendable {
  /// Nothing plays and nothing is about to: paused, or nothing to play.
  case stopped
  /// Playing was asked for and will go on by itself, but nothing sounds now: an item is being opened, the output is
  /// away or starved.
  case waiting
  /// Sound flows.
  case playing

  /// From `stopped` to `playing`.
  public static func < (lhs: PlaybackActivity, rhs: PlaybackActivity) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// Stops all players of an environment and lets them go on: what an application's life cycle does to them.
///
/// Knows its players weakly; players made while it is suspended are suspended from the start.
public final class PlaybackSuspension: Sendable {
  /// That of the default environment.
  public static let shared = PlaybackSuspension()

  private struct Entry {
    weak var core: PlayerCore?
    var activity = PlaybackActivity.stopped
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var isSuspended = false
    var reported = PlaybackActivity.stopped
    var onActivityChange: (@Sendable (PlaybackActivity) -> Void)?

    var activity: PlaybackActivity { entries.values.map(\.activity).max() ?? .stopped }
  }

  private let state = Mutex(State())

  /// One without players.
  public init() {}

  /// Stops the sound of every player on a frame boundary and holds back everything that would be delivered to the
  /// application's code: handlers, notifications, time observers. When it returns no further call begins. Any
  /// thread; does not wait for the output. Idempotent.
  public func suspendAll() { setSuspended(true) }

  /// Lets every player go on with the very next frame and delivers what was held back, in order. Any thread;
  /// idempotent.
  public func resumeAll() { setSuspended(false) }

  /// Ends every player for good, before the process ends: files are finished, connections closed. Waits for a
  /// decoding step at most (a few milliseconds). Any thread but an observer's own queue other than the main one.
  public func closeAll() {
    let cores = state.withLock { $0.entries.values.compactMap(\.core) }
    for core in cores { core.engine.close() }
  }

  /// Whether players are stopped. Any thread.
  public var isSuspended: Bool { state.withLock { $0.isSuspended } }

  /// The greatest activity of all players, as their observers were told it. Any thread. While suspended: as before.
  public var activity: PlaybackActivity { state.withLock { $0.activity } }

  /// Whether any player really plays. Any thread.
  public var isAudible: Bool { activity == .playing }

  /// Called when `activity` changed, after the players' own observers: on the main queue, or where the last
  /// reference to a playing player went. A change may be seen late, but never an old value after a newer one from
  /// the same thread. May call `suspendAll`.
  public var onActivityChange: (@Sendable (PlaybackActivity) -> Void)? {
    get { state.withLock { $0.onActivityChange } }
    set { state.withLock { $0.onActivityChange = newValue } }
  }

  // MARK: Players

  func add(_ core: PlayerCore) {
    let isSuspended = state.withLock { state in
      state.entries[ObjectIdentifier(core)] = Entry(core: core)
      return state.isSuspended
    }
    if isSuspended { core.engine.suspend() }
  }

  /// `core` is going away.
  func remove(_ core: PlayerCore) {
    change { $0.entries[ObjectIdentifier(core)] = nil }
  }

  func setActivity(_ activity: PlaybackActivity, of core: PlayerCore) {
    change { $0.entries[ObjectIdentifier(core)]?.activity = activity }
  }

  private func change(_ body: (inout State) -> Void) {
    let (activity, handler) = state.withLock { state in
      body(&state)
      let activity = state.activity
      let isNews = activity != state.reported
      state.reported = activity
      return (activity, isNews ? state.onActivityChange : nil)
    }
    handler?(activity)
  }

  private func setSuspended(_ isSuspended: Bool) {
    let cores = state.withLock { state -> [PlayerCore] in
      guard state.isSuspended != isSuspended else { return [] }
      state.isSuspended = isSuspended
      return state.entries.values.compactMap(\.core)
    }
    for core in cores {
      if isSuspended { core.engine.suspend() } else { core.engine.resume() }
    }
  }
}
