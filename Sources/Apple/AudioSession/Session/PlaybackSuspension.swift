package import Clocks
import Dispatch
package import PlaybackEngine
import Synchronization

/// The activity of one player, or of the most active of several.
package enum PlaybackActivity: Int, Comparable, Sendable {
  /// Paused, or without an item to play.
  case stopped
  /// A player will continue automatically: an item is being opened, or the output is starting, lost or starved.
  case waiting
  /// A player waits to play an item whose medium comes from the network or from a resource-loader delegate.
  case waitingForNetwork
  case playing

  package static func < (lhs: PlaybackActivity, rhs: PlaybackActivity) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// A player that an environment suspends, resumes and closes.
package protocol SuspendablePlayer: AnyObject, Sendable {
  var engine: PlaybackEngine { get }
  func pause(_ reason: EngineRateReason)
  /// Returns the player's present state; nil once the player was released.
  func snapshot() -> PlayerSnapshot?
}

/// Suspends and resumes all players of an environment, as the application's life cycle requires.
///
/// References to players are weak. Players made during a suspension start suspended. Players made after
/// `terminateAll` and before `launch` stay silent permanently.
///
/// While suspended, players, assets and the session begin no call into the application's code: no time
/// observer, change handler, notification or completion handler. Two exceptions exist when the suspension
/// comes from inside such a call. The remaining observers of the same notification are called, and so is the
/// second of two calls with `.prior` that both follow a change.
package final class PlaybackSuspension: Sendable {
  /// The maximum time that `suspendAll` and `terminateAll` wait for calls on other threads, in seconds. Long
  /// for a handler, and short compared with the 5 s that the system gives an application.
  package static let callLimit = 1.0

  struct Entry {
    let id: ObjectIdentifier
    weak var core: (any SuspendablePlayer)?
    var activity = PlaybackActivity.stopped
  }

  struct WeakLane {
    weak var target: DeliveryLane?
  }

  enum Condition {
    case running
    case suspended
    case terminated
  }

  struct State {
    /// The players in the order of creation.
    var entries: [Entry] = []
    /// The environment's session. Weak, because the session retains this object.
    weak var session: AVAudioSession?
    var condition = Condition.running
    var isInBackground = false
    /// The number of relaunches, so that a completion requested in one launch is not delivered in the next.
    var life: UInt64 = 0
    /// Delivers work on the main queue, in order, that belongs to no player: session notifications, for example, and
    /// changes of items without a player.
    var lane: DeliveryLane
    var weakLanes: [WeakLane] = []
    /// Deferred calls that belong to no queue, to be delivered on resumption.
    var held: [@Sendable () -> Void] = []
    var snapshots: [PlayerSnapshot] = []
    /// The greatest activity of the players while the session allows background playback; else `stopped`.
    var keepingActivity = PlaybackActivity.stopped
    /// The values of `keepingActivity` that were not passed to `onKeepingActivityChange` yet.
    var reports = StepQueue<PlaybackActivity>()
    var onKeepingActivityChange: (@Sendable (PlaybackActivity) -> Void)?

    var activity: PlaybackActivity { entries.map(\.activity).max() ?? .stopped }

    var cores: [any SuspendablePlayer] { entries.compactMap { $0.core } }

    /// The lanes to delegates' queues.
    var delegateLanes: [DeliveryLane] { weakLanes.compactMap { $0.target } }

    /// Adds a lane, and returns the other ones, so that none is released under the lock.
    mutating func add(_ new: DeliveryLane) -> [DeliveryLane] {
      let others = delegateLanes
      weakLanes = (others + [new]).map { WeakLane(target: $0) }
      return others
    }

    func index(of core: any SuspendablePlayer) -> Int? {
      entries.firstIndex { $0.id == ObjectIdentifier(core) }
    }
  }

  package let gate = CallGate()
  let state: Mutex<State>
  /// Locked while players are suspended and resumed, so that concurrent calls leave all players in the same
  /// condition. Taken before `state`. Code under this lock neither calls the application nor waits.
  let transition = Mutex<Void>(())
  private let mainQueue: any DeliveryQueue
  private let isOnMainQueue: @Sendable () -> Bool
  /// Notifies observers of the session and of items without a player.
  private let announcer: ChangeAnnouncer

  init(mainQueue: any DeliveryQueue, isOnMainQueue: @escaping @Sendable () -> Bool) {
    self.mainQueue = mainQueue
    self.isOnMainQueue = isOnMainQueue
    state = Mutex(State(lane: DeliveryLane(queue: mainQueue, gate: gate)))
    announcer = ChangeAnnouncer { [gate] in gate.isOpen }
  }

  deinit { state.withLock { $0.lane }.close() }

  /// Stops the sound of every player on a frame boundary and defers all deliveries to the application's code.
  /// After the return no call begins. Waits at most `callLimit` seconds for calls on other threads, but not
  /// for the enclosing call or the output. Any thread; idempotent.
  package func suspendAll() {
    // The closure returns the players, here and below, so that none is released under the lock.
    let cores = transition.withLock { _ in
      let cores = state.withLock { state -> [any SuspendablePlayer]? in
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

  /// Whether the open outputs of all players have carried out the suspension, so that no frame is heard. Any thread.
  package var isStill: Bool { state.withLock { $0.cores }.allSatisfy(\.engine.isStill) }

  /// Resumes every player at the frame where it stopped, and delivers the deferred calls. Any thread;
  /// idempotent.
  package func resumeAll() {
    let resumed = transition.withLock { _ in
      let resumed = state.withLock {
        state -> (cores: [any SuspendablePlayer], lanes: [DeliveryLane], held: [@Sendable () -> Void])? in
        guard state.condition == .suspended else { return nil }
        state.condition = .running
        gate.open()
        defer { state.held = [] }
        return (state.cores, state.delegateLanes, state.held)
      }
      guard let (cores, lanes, _) = resumed else { return resumed }
      state.withLock { $0.lane }.wake()
      for lane in lanes { lane.wake() }
      for core in cores { core.engine.resume() }
      return resumed
    }
    guard let held = resumed?.held, !held.isEmpty else { return }
    DispatchQueue.global(qos: .userInitiated).async { for call in held { call() } }
  }

  /// Records that the application is in the background. Unless the session allows sound there, all players
  /// pause with the reason `appBackgrounded`. Any thread.
  package func enterBackground() {
    state.withLock { $0.isInBackground = true }
    pauseWhatMayNotSound()
  }

  var isInForeground: Bool { state.withLock { !$0.isInBackground } }

  package func enterForeground() { state.withLock { $0.isInBackground = false } }

  /// Closes every player permanently: stops sound, keeps snapshots for `takeRestorableSnapshots`, drops
  /// pending deliveries, and resets the session to its initial state. After the return no call begins. Waits
  /// for running calls as `suspendAll` does, and for the steps in progress of each player (a few
  /// milliseconds, or a read of a file). Any thread, but on the queue of a time observer only if that is the
  /// main queue; idempotent.
  package func terminateAll() {
    let ended = transition.withLock { _ in
      let ended = state.withLock {
        state -> (state: State, cores: [any SuspendablePlayer], lanes: [DeliveryLane])? in
        guard state.condition != .terminated else { return nil }
        defer {
          state.condition = .terminated
          state.entries = []
          state.weakLanes = []
          state.held = []
        }
        gate.close()
        return (state, state.cores, state.delegateLanes)
      }
      // All players must be silent before their positions are read.
      for core in ended?.cores ?? [] { core.engine.suspend() }
      return ended
    }
    guard let (ended, cores, lanes) = ended else { return }
    let snapshots = cores.compactMap { $0.snapshot() }
    state.withLock { $0.snapshots = snapshots }
    for core in cores { core.engine.close() }
    for lane in [ended.lane] + lanes { lane.close() }
    ended.session?.reset()
    awaitCalls()
    change { _ in }
  }

  /// Permits new players to play again, after `terminateAll`. Any thread.
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

  /// See `PlaybackEnvironment.takeRestorableSnapshots`.
  package func takeRestorableSnapshots() -> [PlayerSnapshot] {
    state.withLock { state in
      defer { state.snapshots = [] }
      return state.snapshots
    }
  }

  /// Returns snapshots of the present players, in the order in which the players were made. Any thread.
  package var snapshots: [PlayerSnapshot] { state.withLock { $0.cores }.compactMap { $0.snapshot() } }

  /// See `PlaybackEnvironment.closePlayers`.
  package func closeAll() { for core in state.withLock({ $0.cores }) { core.engine.close() } }

  package var isSuspended: Bool { state.withLock { $0.condition == .suspended } }

  /// The number of the present launch, from 0, also during suspension; nil between `terminateAll` and `launch`. Any
  /// thread.
  package var life: UInt64? { state.withLock { $0.condition == .terminated ? nil : $0.life } }

  // MARK: Calls into the application

  /// Runs `work` on the main queue in order, immediately if the caller is on the main queue. Deferred while
  /// suspended, and dropped if the application ends first.
  func tell(_ work: @escaping @Sendable () -> Void) {
    let lane = state.withLock { $0.lane }
    lane.append(work)
    if isOnMainQueue() { lane.drain() } else { lane.wake() }
  }

  /// Runs `work` in a later turn of `queue`, nil for the main queue, in order. Deferred while suspended, and dropped if
  /// the application ends first.
  package func tellLater(on queue: DelegateQueue? = nil, _ work: @escaping @Sendable () -> Void) {
    let lane = queue?.lane(makeLane) ?? state.withLock { $0.lane }
    lane.append {
      work()
      // Retained until here, because the client may have replaced the queue.
      withExtendedLifetime(queue) {}
    }
    lane.wake()
  }

  private func makeLane(to queue: any DeliveryQueue) -> DeliveryLane {
    let new = DeliveryLane(queue: queue, gate: gate)
    let others = state.withLock { $0.add(new) }
    withExtendedLifetime(others) {}
    return new
  }

  /// Sets a property of an item without a player by `change`, and notifies its observers. On the main queue
  /// the notification is immediate, before session notifications that wait for their turn.
  package func set(_ property: ObservedProperty, of observations: ObservationList, _ change: () -> Void) {
    let lane = state.withLock { $0.lane }
    if isOnMainQueue() { _ = lane.callNow { announcer.prepare([observations], for: [property]) } }
    change()
    let announce: @Sendable () -> Void = { [weak self] in self?.announce([property], of: observations) }
    if isOnMainQueue(), lane.callNow(announce) { return }
    tellLater(announce)
  }

  /// Changes an item without a player, or the session, and notifies its observers. Main queue, inside work of
  /// `tellLater`.
  package func change(_ keys: [ObservedKey], of observations: ObservationList, _ body: () -> Void) {
    let properties = keys.map(observations.property)
    announcer.prepare([observations], for: properties)
    body()
    announce(properties, of: observations)
  }

  private func announce(_ changed: [ObservedProperty], of observations: ObservationList) {
    announcer.announce([observations], changed: changed)
    if announcer.isWaiting { state.withLock { $0.lane }.carryOn { [announcer] in announcer.settle() } }
  }

  /// Returns a wrapper of `call` that may be called on any thread. The call is deferred while suspended, and
  /// dropped if the application has ended since.
  package func deferred<Argument: Sendable>(
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

  private func awaitCalls() {
    // Uses real time even if the players' clock is virtual, because a virtual clock does not advance the
    // threads that run the calls.
    gate.awaitCalls(until: SystemClock.shared.now.advanced(bySeconds: Self.callLimit))
  }
}
