import Dispatch
import HostTime
import PlaybackEngine
import Synchronization

/// How much is going on in a set of players.
package enum PlaybackActivity: Int, Comparable, Sendable {
  /// Paused, or there is no item to play.
  case stopped
  /// A player is to play and will continue by itself, but is silent now: an item is being opened, or the
  /// output is lost or starved.
  case waiting
  /// As `waiting`, with an item whose medium comes from the network.
  case waitingForNetwork
  /// Sound flows.
  case playing

  /// From `stopped` to `playing`.
  package static func < (lhs: PlaybackActivity, rhs: PlaybackActivity) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// Suspends and resumes all players of an environment, as the application's life cycle requires.
///
/// Each environment has one. It holds its players weakly. Players made while it is suspended are suspended
/// from the start; those made after `terminateAll` and before `launch` stay silent for good.
///
/// While suspended, players, assets and the session begin no call into the application's code: no time
/// observer, change handler, notification or completion handler. There are two exceptions, when the
/// suspension comes from inside such a call: the remaining observers of the same notification, and the second
/// of two calls with `.prior` that both come after a change.
package final class PlaybackSuspension: Sendable {
  /// The most that `suspendAll` and `terminateAll` wait for calls on other threads, in seconds: long for a
  /// handler, and short compared with the 5 s that the system gives an application.
  package static let callLimit = 1.0

  struct Entry {
    weak var core: PlayerCore?
    /// Numbers the players in the order in which they were made.
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
    /// The environment's session. Weak, because the session retains this object.
    weak var session: AVAudioSession?
    var condition = Condition.running
    var isInBackground = false
    /// Counts the launches, so that a completion requested in one is not delivered in the next.
    var life: UInt64 = 0
    /// Delivers notifications of the session and changes of items without a player on the main queue.
    var lane: DeliveryLane
    /// Calls that belong to no queue and wait for the resumption.
    var held: [@Sendable () -> Void] = []
    var snapshots: [PlayerSnapshot] = []
    /// As last reported.
    var keepingActivity = PlaybackActivity.stopped
    var onKeepingActivityChange: (@Sendable (PlaybackActivity) -> Void)?

    var activity: PlaybackActivity { entries.values.map(\.activity).max() ?? .stopped }

    var cores: [PlayerCore] {
      entries.values.sorted { $0.serial < $1.serial }.compactMap(\.core)
    }
  }

  let gate = CallGate()
  let state: Mutex<State>
  /// Held while players are suspended and resumed, so that concurrent calls leave all players in the same
  /// condition. Taken before `state`. No call into the application is made and nothing is awaited under it.
  let transition = Mutex<Void>(())
  private let mainQueue: any DeliveryQueue
  private let isOnMainQueue: @Sendable () -> Bool
  /// Notifies observers of items without a player.
  private let announcer: ChangeAnnouncer

  init(mainQueue: any DeliveryQueue, isOnMainQueue: @escaping @Sendable () -> Bool) {
    self.mainQueue = mainQueue
    self.isOnMainQueue = isOnMainQueue
    state = Mutex(State(lane: DeliveryLane(queue: mainQueue, gate: gate)))
    announcer = ChangeAnnouncer { [gate] in gate.isOpen }
  }

  // MARK: The life cycle

  /// Stops the sound of every player on a frame boundary and holds back all deliveries to the application's
  /// code. After the return no call begins. Waits for calls that run on other threads, at most `callLimit`
  /// seconds, but not for the call that it is made from, and not for the output. Any thread; idempotent.
  package func suspendAll() {
    // The players are returned, so that none ends under the lock.
    let cores = transition.withLock { _ in
      let cores = state.withLock { state -> [PlayerCore]? in
        guard state.condition == .running else { return nil }
        state.condition = .suspended
        gate.close()
        return state.cores
      }
      for core in cores ?? [] { core.engine.suspend() }
      return cores
    }
    if cores != nil { awaitCalls() }
  }

  /// Resumes every player with the next frame and delivers what was held back, in order. Any thread; does not
  /// block; idempotent.
  package func resumeAll() {
    // The players are returned, so that none ends under the lock.
    let resumed = transition.withLock { _ in
      let resumed = state.withLock { state -> (cores: [PlayerCore], held: [@Sendable () -> Void])? in
        guard state.condition == .suspended else { return nil }
        state.condition = .running
        gate.open()
        defer { state.held = [] }
        return (state.cores, state.held)
      }
      guard let resumed else { return resumed }
      state.withLock { $0.lane }.wake()
      for core in resumed.cores { core.engine.resume() }
      return resumed
    }
    deliver(resumed?.held ?? [])
  }

  /// The application is in the background now: unless the session allows sound there, all players pause with
  /// the reason `appBackgrounded`. Any thread.
  package func enterBackground() {
    state.withLock { $0.isInBackground = true }
    pauseWhatMayNotSound()
  }

  /// Whether the application is in the foreground. Any thread.
  var isInForeground: Bool { state.withLock { !$0.isInBackground } }

  /// The application is about to come to the foreground. Any thread.
  package func enterForeground() { state.withLock { $0.isInBackground = false } }

  /// Ends every player for good: sound stops, snapshots are kept for `takeRestorableSnapshots`, pending
  /// deliveries are dropped, and the session returns to its initial state. After the return no call begins.
  /// Waits for running calls as `suspendAll` does, and for one decoding step (a few milliseconds). Any
  /// thread, except the queue of a time observer other than the main queue; idempotent.
  package func terminateAll() {
    // The players are returned, so that none ends under the lock.
    let ended = transition.withLock { _ in
      let ended = state.withLock { state -> (state: State, cores: [PlayerCore])? in
        guard state.condition != .terminated else { return nil }
        defer {
          state.condition = .terminated
          state.entries = [:]
          state.held = []
        }
        gate.close()
        return (state, state.cores)
      }
      // All players must be silent before their positions are read.
      for core in ended?.cores ?? [] { core.engine.suspend() }
      return ended
    }
    guard let (ended, cores) = ended else { return }
    let snapshots = cores.compactMap { $0.snapshot() }
    state.withLock { $0.snapshots = snapshots }
    for core in cores { core.engine.close() }
    ended.lane.close()
    ended.session?.reset()
    awaitCalls()
    change { _ in }
  }

  /// The application is launched again after `terminateAll`: players made from now on can play. Any thread.
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

  /// The snapshots of the players that the last `terminateAll` ended, in the order in which the players were
  /// made. Each is returned only once.
  package func takeRestorableSnapshots() -> [PlayerSnapshot] {
    state.withLock { state in
      defer { state.snapshots = [] }
      return state.snapshots
    }
  }

  /// Ends every player for good before the process ends: finishes files and closes connections. Blocks for at
  /// most one decoding step (a few milliseconds). Any thread, except the queue of a time observer other than
  /// the main queue.
  package func closeAll() {
    for core in state.withLock({ $0.cores }) { core.engine.close() }
  }

  /// Whether players are suspended. Any thread.
  package var isSuspended: Bool { state.withLock { $0.condition == .suspended } }

  // MARK: Calls into the application

  /// Runs `work` on the main queue in order, before the return if the caller is on it. Held back while
  /// suspended.
  func tell(_ work: @escaping @Sendable () -> Void) {
    let lane = state.withLock { $0.lane }
    lane.append(work)
    if isOnMainQueue() { lane.drain() } else { lane.wake() }
  }

  /// Runs `work` in a turn of the main queue, in order. Held back while suspended.
  func tellLater(_ work: @escaping @Sendable () -> Void) {
    let lane = state.withLock { $0.lane }
    lane.append(work)
    lane.wake()
  }

  /// Has `change` set a property of an item without a player, and tells its observers: on the main queue at once, and
  /// before those notifications of the session that wait for their turn.
  func set(_ property: ObservedProperty, of observations: ObservationList, _ change: () -> Void) {
    let lane = state.withLock { $0.lane }
    if isOnMainQueue() { _ = lane.callNow { announcer.prepare([observations], for: [property]) } }
    change()
    let announce: @Sendable () -> Void = { [weak self] in self?.announce([property], of: observations) }
    if isOnMainQueue(), lane.callNow(announce) { return }
    tellLater(announce)
  }

  /// Has `body` make one change of an item without a player, and tells its observers. Main queue, in what `tellLater`
  /// runs.
  func change(_ keys: Set<ObservedKey>, of observations: ObservationList, _ body: () -> Void) {
    let properties = Set(keys.map(observations.property))
    announcer.prepare([observations], for: properties)
    body()
    announce(properties, of: observations)
  }

  private func announce(_ changed: Set<ObservedProperty>, of observations: ObservationList) {
    announcer.announce([observations], changed: changed)
    if announcer.isWaiting { state.withLock { $0.lane }.carryOn { [announcer] in announcer.settle() } }
  }

  /// Wraps `call` for a later call on any thread: held back while suspended, dropped if the application has
  /// ended since.
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
      // Suspended between the check above and `enter`: check again.
    }
  }

  private func deliver(_ held: [@Sendable () -> Void]) {
    guard !held.isEmpty else { return }
    AssetLoader.queue.async { for call in held { call() } }
  }

  private func awaitCalls() {
    // Real time, also where the players' clock is virtual: the calls run on other threads, which no virtual
    // clock moves.
    gate.awaitCalls(until: SystemClock.shared.now.advanced(bySeconds: Self.callLimit))
  }
}
