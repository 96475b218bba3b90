import HostTime
import Synchronization

/// The device's state and its observers. Any thread; never blocks.
extension Device {
  /// The application's background modes.
  public var modes: BackgroundModes { shared.withLock { $0.machine.modes } }

  /// The rules for the application.
  public var settings: LifecycleSettings { shared.withLock { $0.machine.settings } }

  /// The state that the application has reached: the one reported last through `onStateChange`.
  public var state: ApplicationState { shared.withLock { $0.reached } }

  /// Whether the screen is locked.
  public var isLocked: Bool { shared.withLock { $0.machine.isLocked } }

  /// Whether there is an interruption at present.
  public var isInterrupted: Bool { shared.withLock { $0.machine.isInterrupted } }

  /// What keeps the application running in the background (or would, if it were there).
  public var effectiveKeepers: Set<BackgroundKeeper> {
    shared.withLock { $0.machine.effectiveKeepers }
  }

  /// Why the application runs.
  public var keptRunningBy: RunningReason { shared.withLock { $0.machine.runningReason } }

  /// The background tasks that are open, in the order of their beginning.
  public var openTasks: [BackgroundTask] { shared.withLock { $0.machine.tasks } }

  /// Background time that is left, in seconds, never negative: `.greatestFiniteMagnitude` in front and while
  /// sound or location keeps the application running; during a fetch at least what the fetch has left; 0 if the
  /// application is not running.
  public var backgroundTimeRemaining: Double {
    shared.withLock { $0.machine.backgroundTimeRemaining(at: clock.now) }
  }

  /// Whether the application may be woken for fetches.
  public var backgroundRefreshStatus: UIBackgroundRefreshStatus {
    shared.withLock { $0.machine.refreshStatus }
  }

  /// The report on the latest termination for a fault; nil if there was none.
  public var lastTermination: TerminationReport? { shared.withLock { $0.lastReport } }

  /// Called for every change of the state, in order, on the thread that carries it out; one call at a time.
  /// Must not block. Set it before the launch to miss nothing.
  public var onStateChange: (@Sendable (ApplicationState) -> Void)? {
    get { shared.withLock { $0.onStateChange } }
    set {
      var handler = newValue
      shared.withLock { swap(&$0.onStateChange, &handler) }
    }
  }

  /// Called for every record, in order, on the thread that carries the event out; one call at a time. Must
  /// not block. Set it before the launch to miss nothing.
  public var onRecord: (@Sendable (LifecycleRecord) -> Void)? {
    get { shared.withLock { $0.onRecord } }
    set {
      var handler = newValue
      shared.withLock { swap(&$0.onRecord, &handler) }
    }
  }

  /// Called when the system has terminated the application for a fault, after its end and in order with the
  /// records, on the thread that carries it out. Must not block, and must not need the main queue, which may
  /// be blocked then.
  public var onTermination: (@Sendable (TerminationReport) -> Void)? {
    get { shared.withLock { $0.onTermination } }
    set {
      var handler = newValue
      shared.withLock { swap(&$0.onTermination, &handler) }
    }
  }
}

/// Why an application runs. If several reasons hold, the first in this order.
public enum RunningReason: String, Hashable, Sendable, CaseIterable {
  /// It is in front, or coming to the front or leaving it.
  case foreground
  /// It plays sound, or was woken to do so.
  case audio
  /// Updates of its location are on, or it was woken by a change of location.
  case location
  /// It was woken by data for a VoIP socket, or to keep a connection alive.
  case voip
  /// A background fetch.
  case fetch
  /// The events of a background session.
  case backgroundSession
  /// A task of the scheduler.
  case scheduledTask
  /// A background task, while time remains.
  case task
  /// No reason: it is suspended, about to be suspended, or not running.
  case none
}

extension LifecycleMachine {
  /// Why the application runs.
  package var runningReason: RunningReason {
    switch state {
    case .inactive, .active: return .foreground
    case .suspended, .notRunning: return .none
    case .background:
      let keepers = effectiveKeepers
      if keepers.contains(.audio) { return .audio }
      if keepers.contains(.location) { return .location }
      if keepers.contains(.voip) { return .voip }
      if keepers.contains(.fetch) { return .fetch }
      if keepers.contains(.backgroundSession) { return .backgroundSession }
      if keepers.contains(.scheduledTask) { return .scheduledTask }
      return keepers.contains(.task) ? .task : .none
    }
  }

  /// Whether the machine still waits for that call to return.
  func isAwaiting(_ id: CallID) -> Bool { pending?.id == id }
}
