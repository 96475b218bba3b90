package import Clocks
import Synchronization

/// The simulated device: carries out user and system events on its application, in any state.
///
/// May be used on any thread, also from callbacks and observers. A member blocks only while it runs callbacks,
/// observers or parts (`Suspendable`). Transitions are carried out one after the other, in the order of the
/// requests, and never under a lock.
///
/// Calls into the application are made on the main queue. An event carried out on the main queue makes the
/// call directly. Otherwise the call is enqueued, and the transition continues when the call has returned. On
/// the main queue `pressHomeButton()` and similar methods therefore return when their transition is complete,
/// unless another one is in progress. In all other cases they return without waiting for the application.
/// Requests by the application's own code (to end a background task, for example) enqueue their calls. The
/// application is then suspended after that code on the main queue has returned, or after
/// `LifecycleSettings.suspensionLimit`.
///
/// The watchdog has its own thread, so an application that blocks the main queue is still terminated.
public final class Device: Sendable {
  /// The origin of a request, which decides whether the request may make calls into the application directly.
  enum Origin {
    /// The system or a user. Calls may be made directly.
    case system
    /// The application or one of its players: calls are enqueued, since its code is running.
    case application
    /// The device's own thread: calls are enqueued, since this thread must watch them.
    case worker
  }

  package let clock: any HostClock
  let shared: Mutex<DeviceState>
  package let mainQueue: any DeliveryQueue
  private let isOnMainQueue: @Sendable () -> Bool
  private let reclaimSockets: @Sendable () -> [ReclaimedSocket]
  /// Whether the device reclaims and watches the sockets of the process; false if `init` got a custom
  /// `reclaimSockets`.
  let watchesSockets: Bool

  /// Creates a device with one application that is not running yet. The device uses the system clock and
  /// calls the application on the main dispatch queue.
  public convenience init(modes: BackgroundModes, settings: LifecycleSettings = LifecycleSettings()) {
    self.init(modes: modes, clock: SystemClock.shared, settings: settings)
  }

  /// Creates a device with one application.
  ///
  /// - Parameters:
  ///   - modes: the application's background modes.
  ///   - clock: the clock for times and deadlines.
  ///   - mainQueue: the queue on which the application is called. Must run on the main thread if
  ///     `application` is used.
  ///   - isOnMainQueue: returns whether the caller runs on `mainQueue`. Must be fast and must not block.
  ///   - settings: the rules for the application.
  ///   - isActive: whether the application is in the foreground from the beginning, without a launch.
  ///   - reclaimSockets: reclaims the application's sockets and returns those that were in use; nil reclaims
  ///     the sockets of the process. Called on the thread that carries out the transition; must not block. A
  ///     custom function also disables the watch of VoIP sockets: only `receiveVoIPData` reports their data.
  package init(
    modes: BackgroundModes, clock: any HostClock, mainQueue: any DeliveryQueue = MainDispatchQueue.shared,
    isOnMainQueue: @escaping @Sendable () -> Bool = { MainDispatchQueue.isCurrent },
    settings: LifecycleSettings = LifecycleSettings(), isActive: Bool = false,
    reclaimSockets: (@Sendable () -> [ReclaimedSocket])? = nil
  ) {
    self.clock = clock
    self.mainQueue = mainQueue
    self.isOnMainQueue = isOnMainQueue
    self.reclaimSockets = reclaimSockets ?? { OpenSockets.reclaimAll() }
    watchesSockets = reclaimSockets == nil
    shared = Mutex(
      DeviceState(machine: LifecycleMachine(modes: modes, settings: settings, isActive: isActive)))
    let worker = clock.makeWorker("lifecycle") { [weak self] in self?.watch() ?? .whenSignalled }
    shared.withLock { $0.worker = worker }
  }

  deinit { shared.withLock { $0.worker }?.cancel() }

  // MARK: Carrying out actions

  func handle(_ event: LifecycleMachine.Event, as origin: Origin) {
    perform(as: origin) { state, now in state.handle(event, at: now) }
  }

  /// Makes `change` under the lock and returns its result. Carries out the due steps outside the lock, unless
  /// another thread is doing so.
  @discardableResult
  func perform<Result: Sendable>(
    as origin: Origin, _ change: (inout DeviceState, HostTime) -> Result
  ) -> Result {
    let (result, isOurs, worker) = shared.withLock { state in
      let result = change(&state, clock.now)
      let isOurs = !state.isPerforming
      state.isPerforming = true
      return (result, isOurs, state.workerToTell())
    }
    worker?.signal()
    if isOurs { carryOut(as: origin) }
    return result
  }

  /// Carries out the steps until none is left or another thread carries them out. `launches`: whether
  /// `didFinishLaunching` may be called directly.
  private func carryOut(as origin: Origin, launches: Bool = true) {
    while true {
      let (next, worker) = shared.withLock { state in
        let next = state.nextStep(at: clock.now)
        return (next, state.workerToTell())
      }
      worker?.signal()
      guard let next else { return }
      switch next.step {
      case .add(let suspendable): register(suspendable)
      case .remove(let suspendable): shared.withLock { $0.suspendables.removeAll { $0 === suspendable } }
      case .action(.call(let id, _)), .action(.expire(let id, _)), .action(.launchTask(let id, _)),
        .action(.tellSession(let id, _)), .action(.expireTask(let id, _)):
        guard case .action(let action) = next.step else { return }
        var isDirect = origin == .system
        if case .call(_, .didFinishLaunching) = action, !launches { isDirect = false }
        guard isDirect, isOnMainQueue(), beginCall(isAlone: true) else {
          mainQueue.enqueue { [weak self] in self?.callFromQueue(action, id) }
          continue
        }
        // Other threads may carry out steps during the call: the watchdog must be able to end a call that
        // does not return.
        call(action, id)
        guard endCall(id) else { return }
      case .action(.reachMainQueue(let id)):
        let isReached =
          origin == .system && isOnMainQueue()
          && shared.withLock { state in
            guard state.callsInProgress == 0 else { return false }
            state.handle(.callReturned(id), at: clock.now)
            return true
          }
        if !isReached { mainQueue.enqueue { [weak self] in self?.mainQueueReached(id) } }
      case .action(let action): carryOut(action, at: next.time)
      }
    }
  }

  // MARK: Calls into the application

  /// Records the beginning of a call. `isAlone`: the performing thread makes the call directly, and other
  /// threads may perform steps during the call. Returns false if such a call would be nested in another one.
  private func beginCall(isAlone: Bool) -> Bool {
    shared.withLock { state in
      if isAlone {
        guard state.callsInProgress == 0 else { return false }
        state.isPerforming = false
        state.stepBegan = nil
      }
      state.callsInProgress += 1
      return true
    }
  }

  /// Records the return of a call. Returns whether this thread must continue performing.
  private func endCall(_ id: LifecycleMachine.CallID) -> Bool {
    let (isOurs, worker) = shared.withLock { state in
      state.callsInProgress -= 1
      state.handle(.callReturned(id), at: clock.now)
      let isOurs = !state.isPerforming
      state.isPerforming = true
      return (isOurs, state.workerToTell())
    }
    worker?.signal()
    return isOurs
  }

  /// Makes an enqueued call, on the main queue.
  private func callFromQueue(_ action: LifecycleMachine.Action, _ id: LifecycleMachine.CallID) {
    guard shared.withLock({ $0.machine.isAwaiting(id) }) else { return }
    _ = beginCall(isAlone: false)
    call(action, id)
    // The present turn of the main queue may belong to an application that has ended. `didFinishLaunching` is
    // therefore called in a later turn.
    if endCall(id) { carryOut(as: .system, launches: false) }
  }

  /// Handles the machine's request to be notified when no application code runs on the main queue. The
  /// suspension that follows belongs to that turn of the queue, so this thread carries it out.
  ///
  /// If another thread is carrying out steps, it would also carry out the suspension, while application code
  /// runs on the main queue. The request is therefore given to that thread, which enqueues it again.
  private func mainQueueReached(_ id: LifecycleMachine.CallID) {
    let isOurs = shared.withLock { state in
      guard state.machine.isAwaiting(id) else { return false }
      guard !state.isPerforming else {
        state.steps.append((clock.now, .action(.reachMainQueue(id))))
        return false
      }
      state.isPerforming = true
      state.handle(.callReturned(id), at: clock.now)
      return true
    }
    if isOurs { carryOut(as: .system, launches: false) }
  }

  private func call(_ action: LifecycleMachine.Action, _ id: LifecycleMachine.CallID) {
    let application = shared.withLock { $0.application }
    Self.withCurrent(self) {
      switch action {
      case .call(_, .performFetch):
        let complete: @Sendable (UIBackgroundFetchResult) -> Void = { [weak self] result in
          self?.handle(.fetchCompleted(id, result), as: .application)
        }
        if let application { application.performFetch(complete) } else { complete(.noData) }
      case .call(_, .keepAlive): shared.withLock { $0.keepAliveHandler }?()
      case .call(_, let callback): application?.receive(callback)
      case .expire(_, let task): shared.withLock { $0.handlers.removeValue(forKey: task) }?()
      case .tellSession(_, let session):
        let complete: @Sendable () -> Void = { [weak self] in
          self?.handle(.sessionEventsCompleted(id), as: .application)
        }
        if let application { application.handleEvents(ofSession: session, complete) } else { complete() }
        let onTold = shared.withLock { state in
          if state.onSessionTold == nil { state.sessionsTold.append(session) }
          return state.onSessionTold
        }
        onTold?(session)
      case .launchTask(_, let task): shared.withLock { $0.taskRunner }?.launch(task)
      case .expireTask(_, let number): shared.withLock { $0.taskRunner }?.expire(number)
      default: break
      }
    }
  }

  // MARK: Other actions

  private func carryOut(_ action: LifecycleMachine.Action, at time: HostTime) {
    switch action {
    case .call, .expire, .launchTask, .expireTask, .tellSession, .reachMainQueue: break
    case .enter(let reached):
      let observer = shared.withLock { state in
        state.reached = reached
        return state.onStateChange
      }
      observer?(reached)
      record(.state(reached), at: time)
    case .suspend: for suspendable in change({ $0.isStopped = true }) { suspendable.suspend() }
    case .reclaimSockets:
      if watchesSockets, shared.withLock({ $0.phoneReclaimsSockets })?() ?? false { return }
      let sockets = reclaimSockets()
      if !sockets.isEmpty { record(.socketsReclaimed(sockets), at: time) }
    case .resume: for suspendable in change({ $0.isStopped = false }) { suspendable.resume() }
    case .enterBackground:
      for suspendable in change({ $0.isInBackground = true }) { suspendable.enterBackground() }
    case .enterForeground:
      for suspendable in change({ $0.isInBackground = false }) { suspendable.enterForeground() }
    case .expectInterruption: for suspendable in change({ _ in }) { suspendable.expectInterruption() }
    case .beginInterruption: for suspendable in change({ _ in }) { suspendable.beginInterruption() }
    case .endInterruption(let shouldResume):
      for suspendable in change({ _ in }) { suspendable.endInterruption(shouldResume: shouldResume) }
    case .quit: for suspendable in change({ _ in }) { suspendable.quit() }
    case .terminate:
      var handlers: [UIBackgroundTaskIdentifier: @Sendable () -> Void] = [:]
      var keepAlive: (@Sendable () -> Void)?
      let all = change { state in
        state.isInBackground = false
        state.isStopped = false
        state.isTerminated = true
        swap(&handlers, &state.handlers)
        keepAlive = state.keepAliveHandler.take()
      }
      for suspendable in all { suspendable.terminate() }
      // Releasing the handlers may run foreign code (a deinit), so that must not happen under the lock.
      withExtendedLifetime((handlers, keepAlive)) {}
    case .launch: for suspendable in change({ $0.isTerminated = false }) { suspendable.launch() }
    case .report(let report):
      let observer = shared.withLock { state in
        state.lastReport = report
        return state.onTermination
      }
      observer?(report)
    case .note(let event): record(event, at: time)
    case .finished(let token): shared.withLock { $0.waiters.removeValue(forKey: token) }?()
    }
  }

  private func change(_ change: (inout DeviceState) -> Void) -> [any Suspendable] {
    shared.withLock { state in
      change(&state)
      return state.suspendables
    }
  }

  private func register(_ suspendable: any Suspendable) {
    let (isInBackground, isStopped, isTerminated) = shared.withLock { state in
      state.suspendables.append(suspendable)
      return (state.isInBackground, state.isStopped, state.isTerminated)
    }
    if isInBackground { suspendable.enterBackground() }
    if isStopped { suspendable.suspend() }
    if isTerminated { suspendable.terminate() }
  }

  private func record(_ event: LifecycleRecord.Event, at time: HostTime) {
    let (observer, phone) = shared.withLock { ($0.onRecord, $0.onPhoneRecord) }
    guard observer != nil || phone != nil else { return }
    let record = LifecycleRecord(time: time, event: event)
    observer?(record)
    phone?(record)
  }

  /// The worker's body: handles everything that has become due.
  private func watch() -> WorkerNext {
    perform(as: .worker) { state, now in
      // The worker sets its alarm below and need not be signalled until then.
      state.alarm = HostTime(nanoseconds: .min)
      state.keepers.dropExpired(at: now)
      state.handle(.keepersChanged(state.keepers.counting), at: now)
    }
    return shared.withLock { state in
      let next = state.nextDeadline ?? .distantFuture
      state.alarm = next
      return next == .distantFuture ? .whenSignalled : .at(next)
    }
  }
}
