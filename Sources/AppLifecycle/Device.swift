public import AudioCore
import Synchronization

/// The system side: what a person and the system do to the application, whatever state that is in.
///
/// Everything may be called from any thread, also from within the callbacks and observers below. Transitions are
/// carried out one after the other, in the order they were asked for, on the stack of whoever found none in
/// progress, and never under a lock. So a call returns when its transition is done, unless another thread, or a
/// caller further down the stack, is carrying one out already: then that one does this too, afterwards.
public final class Device: RunningAssertions {
  /// Something to be done in its turn.
  private enum Step {
    case action(LifecycleMachine.Action)
    case add(any Suspendable)
    case remove(any Suspendable)
  }

  private struct State {
    var machine: LifecycleMachine
    /// The state that was reached last; `machine.state` is ahead of it by what `steps` holds.
    var reached = ApplicationState.notRunning
    var steps: [Step] = []
    var isPerforming = false
    var suspendables: [any Suspendable] = []
    var isStopped = false
    var keepers = KeeperTable()
    var onStateChange: (@Sendable (ApplicationState) -> Void)?
    var onCallback: (@Sendable (LifecycleMachine.Callback) -> Void)?
    var worker: (any Worker)?

    mutating func handle(_ event: LifecycleMachine.Event) {
      steps += machine.handle(event).map(Step.action)
    }

    /// The next thing to do; nil, and the end of performing, when all is done and nothing follows from that.
    mutating func nextStep() -> Step? {
      if steps.isEmpty { handle(.settled) }
      if steps.isEmpty {
        isPerforming = false
        return nil
      }
      return steps.removeFirst()
    }
  }

  private let clock: any HostClock
  private let shared: Mutex<State>

  /// A device with one application, not running yet, that has these background modes. `clock` measures the grace
  /// of assertions.
  public init(modes: BackgroundModes, clock: any HostClock) {
    self.clock = clock
    shared = Mutex(State(machine: LifecycleMachine(modes: modes)))
    let worker = clock.makeWorker("lifecycle") { [weak self] in self?.dropExpiredKeepers() ?? .whenSignalled }
    shared.withLock { $0.worker = worker }
  }

  deinit {
    shared.withLock { $0.worker }?.cancel()
  }

  // MARK: What happens to the application

  /// Starts the application, if it is not running.
  public func launch() { handle(.launch) }

  /// Presses the home button: an application in front goes to the background, and is suspended as soon as nothing
  /// keeps it running. Without effect behind a locked screen.
  public func pressHomeButton() { handle(.home) }

  /// Brings a running application to the front, opening the lock if need be.
  public func foreground() { handle(.foreground) }

  /// Locks the screen: for the application in front the same as the home button.
  public func lock() { handle(.lock) }

  /// Unlocks the screen: the application returns to the front if it was there when the screen was locked.
  public func unlock() { handle(.unlock) }

  /// Ends the application as the system does, with a last call into it unless it is suspended.
  public func terminate() { handle(.terminate) }

  /// Someone uses the controls of a lock screen: a suspended application with the audio mode runs in the background
  /// again, for `remoteControlGrace` seconds at least, so that sound can begin. Without effect in other states and
  /// without the mode.
  public func wakeForRemoteControl() {
    guard state == .suspended else { return }
    setKeeping(.audio, true, grace: 0)
    handle(.remoteControl)
    setKeeping(.audio, false, grace: Self.remoteControlGrace)
  }

  /// How long a woken application may take to start playing, in seconds: what a starving one is given too.
  public static let remoteControlGrace = 5.0

  // MARK: What can be seen

  /// The application's background modes.
  public var modes: BackgroundModes { shared.withLock { $0.machine.modes } }

  /// The state that the application has reached: the one reported last through `onStateChange`. Only while it is
  /// being resumed this says `background` a moment before the next report, because it runs again by then.
  public var state: ApplicationState { shared.withLock { $0.reached } }

  /// What keeps the application running in the background (or would, if it were there).
  public var effectiveKeepers: Set<BackgroundKeeper> { shared.withLock { $0.machine.effectiveKeepers } }

  /// Called for every change of the state, in order, on the thread that carries it out. Set it before the launch to
  /// miss nothing; it takes effect from the next change on.
  public var onStateChange: (@Sendable (ApplicationState) -> Void)? {
    get { shared.withLock { $0.onStateChange } }
    set { shared.withLock { $0.onStateChange = newValue } }
  }

  /// Called for every call that the application is due, in order with the changes of the state, on the same thread.
  public var onCallback: (@Sendable (LifecycleMachine.Callback) -> Void)? {
    get { shared.withLock { $0.onCallback } }
    set { shared.withLock { $0.onCallback = newValue } }
  }

  // MARK: What keeps it running, what stands still

  /// See `RunningAssertions`.
  public func setKeeping(_ keeper: BackgroundKeeper, _ isKeeping: Bool, grace: Double) {
    let worker = perform { state in
      if isKeeping {
        state.keepers.hold(keeper)
      } else if grace > 0 {
        state.keepers.release(keeper, at: clock.now.advanced(bySeconds: grace))
      } else {
        state.keepers.release(keeper)
      }
      state.handle(.keepersChanged(state.keepers.counting))
      return state.keepers.nextExpiry == nil ? nil : state.worker
    }
    worker?.signal()
  }

  /// Has `suspendable` stopped and resumed with the application, in the order of adding. If the application is
  /// stopped already, it is stopped at once. It is kept alive until it is removed.
  public func add(_ suspendable: any Suspendable) {
    perform { $0.steps.append(.add(suspendable)) }
  }

  /// Leaves `suspendable` alone from now on, in the state it is in.
  public func remove(_ suspendable: any Suspendable) {
    perform { $0.steps.append(.remove(suspendable)) }
  }

  // MARK: Carrying it out

  private func handle(_ event: LifecycleMachine.Event) {
    perform { $0.handle(event) }
  }

  /// Makes a change under the lock and then does what is to be done without it, unless somebody is at it already.
  @discardableResult
  private func perform<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
    let (result, isOurs) = shared.withLock { state in
      let result = change(&state)
      let isOurs = !state.isPerforming
      state.isPerforming = true
      return (result, isOurs)
    }
    if isOurs {
      while let step = shared.withLock({ $0.nextStep() }) { perform(step) }
    }
    return result
  }

  private func perform(_ step: Step) {
    switch step {
    case .action(.call(let callback)):
      onCallback?(callback)
    case .action(.enter(let reached)):
      let observer = shared.withLock { state in
        state.reached = reached
        return state.onStateChange
      }
      observer?(reached)
    case .action(.suspend):
      let all = shared.withLock { state in
        state.isStopped = true
        return state.suspendables
      }
      for suspendable in all { suspendable.suspend() }
    case .action(.resume):
      let all = shared.withLock { state in
        state.isStopped = false
        // What is resumed may look at the state before the next one is entered.
        if state.reached == .suspended { state.reached = .background }
        return state.suspendables
      }
      for suspendable in all { suspendable.resume() }
    case .add(let suspendable):
      let isStopped = shared.withLock { state in
        state.suspendables.append(suspendable)
        return state.isStopped
      }
      if isStopped { suspendable.suspend() }
    case .remove(let suspendable):
      shared.withLock { $0.suspendables.removeAll { $0 === suspendable } }
    }
  }

  private func dropExpiredKeepers() -> WorkerNext {
    let now = clock.now
    let next = perform { state in
      state.keepers.dropExpired(at: now)
      state.handle(.keepersChanged(state.keepers.counting))
      return state.keepers.nextExpiry
    }
    return next.map(WorkerNext.at) ?? .whenSignalled
  }
}
