import Dispatch
import HostTime
import PlaybackEngine
import Synchronization

/// How much is going on in a set of players.
package enum PlaybackActivity: Int, Comparable, Sendable {
  /// Nothing plays and nothing is about to: paused, or nothing to play.
  case stopped
  /// Playing was asked for and will go on by itself, but nothing sounds now: an item is being opened, the output is
  /// away or starved.
  case waiting
  /// Sound flows.
  case playing

  /// From `stopped` to `playing`.
  package static func < (lhs: PlaybackActivity, rhs: PlaybackActivity) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// Stops all players of an environment and lets them go on: what an application's life cycle does to them.
///
/// Each environment has one. It knows its players weakly; players made while it is suspended are suspended from the
/// start, those made after `terminateAll` and before `launch` are silent for good.
///
/// While players are suspended no call into the application's code begins that is theirs or the session's: time
/// observers, change handlers, notifications, completion handlers, also those of assets. Two things are not theirs to
/// hold back: the further observers of a notification, and the second call by `.prior`, when the first one suspends.
package final class PlaybackSuspension: Sendable {
  /// How many seconds `suspendAll` and `terminateAll` wait at most for calls that run on other threads: long for a
  /// handler, and short beside the 5 s that the system gives an application.
  package static let callLimit = 1.0

  struct Entry {
    weak var core: PlayerCore?
    /// Players in the order of their making.
    let serial: UInt64
    var activity = PlaybackActivity.stopped
  }

  enum Condition {
    case running
    case suspended
    case terminated
  }

  struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var nextSerial: UInt64 = 0
    /// The environment's; it keeps this object.
    weak var session: AVAudioSession?
    var condition = Condition.running
    var isInBackground = false
    /// Counts the applications that ran here, so that what one asked for is not told to the next.
    var life: UInt64 = 0
    /// What the session and items without a player tell on the main queue.
    var lane: DeliveryLane
    /// Calls that belong to no queue, held back.
    var held: [@Sendable () -> Void] = []
    var snapshots: [PlayerSnapshot] = []
    var activity = Reported()
    var keepingActivity = Reported()

    var cores: [PlayerCore] {
      entries.values.sorted { $0.serial < $1.serial }.compactMap(\.core)
    }
  }

  /// A value that is told when it changes.
  struct Reported {
    var last = PlaybackActivity.stopped
    var handler: (@Sendable (PlaybackActivity) -> Void)?

    /// Takes a new value. Returns what is to be called with it.
    mutating func take(_ new: PlaybackActivity) -> (@Sendable (PlaybackActivity) -> Void)? {
      defer { last = new }
      return new == last ? nil : handler
    }
  }

  let gate = CallGate()
  let state: Mutex<State>
  /// Held while players are suspended and resumed, so that threads that disagree leave all of them as the state says.
  /// Taken before `state`; no call into the application and no wait is made under it.
  let transition = Mutex<Void>(())
  private let mainQueue: any DeliveryQueue
  private let isOnMainQueue: @Sendable () -> Bool
  /// Tells observers of items without a player.
  private let announcer: ChangeAnnouncer

  init(mainQueue: any DeliveryQueue, isOnMainQueue: @escaping @Sendable () -> Bool) {
    self.mainQueue = mainQueue
    self.isOnMainQueue = isOnMainQueue
    state = Mutex(State(lane: DeliveryLane(queue: mainQueue, gate: gate)))
    announcer = ChangeAnnouncer { [gate] in gate.isOpen }
  }

  // MARK: The life cycle

  /// Stops the sound of every player on a frame boundary and holds back everything that would be delivered to the
  /// application's code. When it returns no further call begins; it waits for those that run on other threads, at most
  /// `callLimit` seconds, and not for the one that it is called from. Any thread; does not wait for the output.
  /// Idempotent.
  package func suspendAll() {
    let isChange = transition.withLock { _ in
      let cores = state.withLock { state -> [PlayerCore]? in
        guard state.condition == .running else { return nil }
        state.condition = .suspended
        gate.close()
        return state.cores
      }
      for core in cores ?? [] { core.engine.suspend() }
      return cores != nil
    }
    if isChange { awaitCalls() }
  }

  /// Lets every player go on with the very next frame and delivers what was held back, in order. Any thread;
  /// idempotent.
  package func resumeAll() {
    let held = transition.withLock { _ -> [@Sendable () -> Void] in
      let resumed = state.withLock { state -> (cores: [PlayerCore], held: [@Sendable () -> Void])? in
        guard state.condition == .suspended else { return nil }
        state.condition = .running
        gate.open()
        defer { state.held = [] }
        return (state.cores, state.held)
      }
      guard let resumed else { return [] }
      state.withLock { $0.lane }.wake()
      for core in resumed.cores { core.engine.resume() }
      return resumed.held
    }
    deliver(held)
  }

  /// The application is in the background now: players whose session does not let them sound there pause, with the
  /// reason `appBackgrounded`. Any thread.
  package func enterBackground() {
    state.withLock { $0.isInBackground = true }
    pauseWhatMayNotSound()
  }

  /// The application is about to come to the foreground. Any thread.
  package func enterForeground() { state.withLock { $0.isInBackground = false } }

  /// Ends every player for good: what they were is kept for `takeRestorableSnapshots`, sound stops, nothing that was
  /// not delivered ever is, and no call begins any more when it returns (it waits for them as `suspendAll` does, and for
  /// a decoding step, a few milliseconds). The session is as it was at first. Any thread but an observer's own queue
  /// other than the main one; idempotent.
  package func terminateAll() {
    let ended = transition.withLock { _ -> State? in
      let ended = state.withLock { state -> State? in
        guard state.condition != .terminated else { return nil }
        defer {
          state.condition = .terminated
          state.entries = [:]
          state.held = []
        }
        gate.close()
        return state
      }
      // First silence, then the places where it fell.
      for core in ended?.cores ?? [] { core.engine.suspend() }
      return ended
    }
    guard let ended else { return }
    let cores = ended.cores
    let snapshots = cores.compactMap { $0.snapshot() }
    state.withLock { $0.snapshots = snapshots }
    for core in cores { core.engine.close() }
    ended.lane.close()
    ended.session?.reset()
    awaitCalls()
    change { _ in }
  }

  /// The application is launched again after `terminateAll`: players made from now on sound again. Any thread.
  package func launch() {
    state.withLock { state in
      guard state.condition == .terminated else { return }
      state.condition = .running
      state.isInBackground = false
      state.life += 1
      state.lane = DeliveryLane(queue: mainQueue, gate: gate)
      gate.open()
    }
  }

  /// What the players were that the last `terminateAll` ended, in the order of their making; once.
  package func takeRestorableSnapshots() -> [PlayerSnapshot] {
    state.withLock { state in
      defer { state.snapshots = [] }
      return state.snapshots
    }
  }

  /// Ends every player for good, before the process ends: files are finished, connections closed. Waits for a
  /// decoding step at most (a few milliseconds). Any thread but an observer's own queue other than the main one.
  package func closeAll() {
    for core in state.withLock({ $0.cores }) { core.engine.close() }
  }

  /// Whether players are stopped. Any thread.
  package var isSuspended: Bool { state.withLock { $0.condition == .suspended } }

  // MARK: Calls into the application

  /// Runs `work` on the main queue in its turn, at once if the caller is there; held back while suspended.
  func tell(_ work: @escaping @Sendable () -> Void) {
    let lane = state.withLock { $0.lane }
    lane.append(work)
    if isOnMainQueue() { lane.drain() } else { lane.wake() }
  }

  /// Has observers of an item without a player look at it anew.
  func announce(_ observations: ObservationList) {
    tell { [weak self] in
      guard let self else { return }
      announcer.announce([observations])
      let lane = state.withLock { $0.lane }
      if announcer.isWaiting { lane.carryOn { [announcer] in announcer.settle() } }
    }
  }

  /// `call` as it may be made later on any thread: held back while suspended, and dropped when the application has
  /// ended meanwhile.
  func deferred<Argument: Sendable>(
    _ call: @escaping @Sendable (Argument) -> Void
  ) -> @Sendable (Argument) -> Void {
    let life = state.withLock { $0.life }
    return { [weak self] argument in self?.callBack(life: life) { call(argument) } }
  }

  private func callBack(life: UInt64, _ call: @escaping @Sendable () -> Void) {
    while true {
      let isTime = state.withLock { state -> Bool? in
        guard state.life == life, state.condition != .terminated else { return nil }
        if state.condition == .running { return true }
        state.held.append { [weak self] in self?.callBack(life: life, call) }
        return false
      }
      guard isTime == true else { return }
      if gate.enter() {
        call()
        gate.leave()
        return
      }
      // Suspended between the two questions.
    }
  }

  private func deliver(_ held: [@Sendable () -> Void]) {
    guard !held.isEmpty else { return }
    AssetLoader.queue.async { for call in held { call() } }
  }

  private func awaitCalls() {
    // Real time, also where the players' clock is virtual: the calls run on other threads, which no virtual clock moves.
    gate.awaitCalls(until: SystemClock.shared.now.advanced(bySeconds: Self.callLimit))
  }
}
