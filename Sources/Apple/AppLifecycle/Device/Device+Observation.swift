import Clocks
import Synchronization

/// State and observers of the device. Any thread; never blocks.
extension Device {
  /// The application's background modes.
  public var modes: BackgroundModes { shared.withLock { $0.machine.modes } }

  /// The rules for the application.
  public var settings: LifecycleSettings { shared.withLock { $0.machine.settings } }

  /// The application's state as last reported through `onStateChange`.
  public var state: ApplicationState { shared.withLock { $0.reached } }

  /// Whether the screen is locked.
  public var isLocked: Bool { shared.withLock { $0.machine.isLocked } }

  /// Whether the event `unlock` brings the application to the foreground.
  var returnsOnUnlock: Bool { shared.withLock { $0.machine.returnsOnUnlock } }

  /// Whether an interruption is in progress.
  public var isInterrupted: Bool { shared.withLock { $0.machine.isInterrupted } }

  /// Whether the application has been in the state `active` since its launch; false for one that was launched
  /// in the background and stayed there.
  package var hasBeenActive: Bool { shared.withLock { $0.machine.hasBeenActive } }

  /// The reasons that keep the application running in the background, or would keep it running there.
  public var effectiveKeepers: Set<BackgroundKeeper> { shared.withLock { $0.machine.effectiveKeepers } }

  /// The reason for which the application runs.
  public var keptRunningBy: RunningReason { shared.withLock { $0.machine.runningReason } }

  /// The open background tasks, ordered by start time.
  public var openTasks: [BackgroundTask] { shared.withLock { $0.machine.tasks } }

  /// The remaining background time, in seconds, never negative. `.greatestFiniteMagnitude` in the foreground,
  /// and while audio, location or a wake-up keeps the application running; 0 if the application is not
  /// running. At least the remaining time of a fetch, of a scheduler task or of session events in progress.
  public var backgroundTimeRemaining: Double {
    shared.withLock { $0.machine.backgroundTimeRemaining(at: clock.now) }
  }

  /// The status of background refresh.
  public var backgroundRefreshStatus: UIBackgroundRefreshStatus {
    shared.withLock { $0.machine.refreshStatus }
  }

  /// The report on the latest termination for a fault; nil if none occurred.
  public var lastTermination: TerminationReport? { shared.withLock { $0.lastReport } }

  /// The observer of state changes, called for each in order, one call at a time, on the thread that carries
  /// out the change. Must not block. Set it before the launch to receive all changes.
  public var onStateChange: (@Sendable (ApplicationState) -> Void)? {
    get { shared.withLock { $0.onStateChange } }
    set { replace(\.onStateChange, with: newValue) }
  }

  /// The observer of records, called for each in order, one call at a time, on the thread that carries out
  /// the event. Must not block. Set it before the launch to receive all records.
  public var onRecord: (@Sendable (LifecycleRecord) -> Void)? {
    get { shared.withLock { $0.onRecord } }
    set { replace(\.onRecord, with: newValue) }
  }

  /// The observer of terminations for a fault, called after the application's end and in order with the
  /// records, on the thread that carries out the termination. Must not block, and must not use the main
  /// queue, which may be blocked.
  public var onTermination: (@Sendable (TerminationReport) -> Void)? {
    get { shared.withLock { $0.onTermination } }
    set { replace(\.onTermination, with: newValue) }
  }

  /// Sets the observer that sends records to a phone in another process, called after `onRecord`, and the function that
  /// passes sockets to the phone. The function returns whether the phone reclaims them.
  package func setPhoneObserver(
    _ observer: (@Sendable (LifecycleRecord) -> Void)?, reclaimSockets: (@Sendable () -> Bool)?
  ) {
    replace(\.onPhoneRecord, with: observer)
    replace(\.phoneReclaimsSockets, with: reclaimSockets)
  }

  /// The time at which the step in progress began, such as the call of an observer or of a part. Nil if there is none,
  /// and during a direct call into the application.
  var stepBegan: HostTime? { shared.withLock { $0.stepBegan } }

  /// Returns the report on an observer or a part that had not returned after `took` seconds, at `time`.
  func hangReport(took: Double, allowed: Double, at time: HostTime) -> TerminationReport {
    shared.withLock { state in
      // The machine may have terminated the application for a call that the hang has delayed.
      let reports = state.steps.lazy.compactMap { step in
        if case .action(.report(let report)) = step.step { report } else { nil }
      }
      let facts =
        reports.first
        ?? state.machine.report(.watchdog, .observer, took: took, allowed: allowed, at: time)
      return TerminationReport(
        code: .watchdog, culprit: .observer, took: took, allowed: allowed, time: time, state: state.reached,
        modes: facts.modes, backgroundTimeUsed: facts.backgroundTimeUsed, openTasks: facts.openTasks)
    }
  }

  /// Whether the application is suspended and all its parts have stopped, so that its process may be stopped.
  package var isStill: Bool {
    let parts = shared.withLock { state -> [any Suspendable]? in
      state.reached == .suspended && !state.isPerforming ? state.suspendables : nil
    }
    return parts?.allSatisfy(\.isStill) ?? false
  }

  /// The time, in seconds, for which a new background task still reverses the suspension; 0 if it no longer does.
  package var suspensionGraceRemaining: Double {
    let now = clock.now
    return shared.withLock { max(0, $0.machine.graceEnd?.seconds(since: now) ?? 0) }
  }

  /// The time in seconds until the next keep-alive call; nil without a handler.
  package var keepAliveRemaining: Double? {
    let now = clock.now
    return shared.withLock { $0.machine.keepAlive.map { max(0, $0.next.seconds(since: now)) } }
  }

  /// Sets a property. Releases its old value outside the lock, because the release may run foreign code (a
  /// deinit).
  func replace<Value: Sendable>(
    _ property: any WritableKeyPath<DeviceState, Value> & Sendable, with value: Value
  ) {
    var value = value
    shared.withLock { swap(&$0[keyPath: property], &value) }
  }
}

/// The reason for which an application runs. If several hold, the first in this order applies.
public enum RunningReason: String, Hashable, Sendable, CaseIterable {
  /// The application is in the state `active` or `inactive`.
  case foreground
  /// The application plays audio, or was woken to do so.
  case audio
  /// The application receives location updates, or was woken by a location change.
  case location
  /// The application was woken by data for a VoIP socket, or for a keep-alive call.
  case voip
  /// A background fetch is in progress.
  case fetch
  /// Events of a background session are being handled.
  case backgroundSession
  /// A scheduler task is running.
  case scheduledTask
  /// A background task is open, and background time remains.
  case task
  /// No reason: the application is suspended, about to be suspended, or not running.
  case none
}

extension LifecycleMachine {
  package var runningReason: RunningReason {
    switch state {
    case .inactive, .active: return .foreground
    case .suspended, .notRunning: return .none
    case .background:
      let keepers = effectiveKeepers
      // A reason and its keeper have the same raw value; `foreground` and `none` have no keeper.
      return RunningReason.allCases.first { reason in
        BackgroundKeeper(rawValue: reason.rawValue).map(keepers.contains) ?? false
      } ?? .none
    }
  }

  func isAwaiting(_ id: CallID) -> Bool { pending?.id == id }
}
