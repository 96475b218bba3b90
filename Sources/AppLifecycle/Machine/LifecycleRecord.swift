public import HostTime

/// One event in the life of an application, as `Device.onRecord` reports it.
public struct LifecycleRecord: Hashable, Sendable, CustomStringConvertible {
  /// When it happened, on the device's clock.
  public var time: HostTime
  /// What happened.
  public var event: Event

  /// What can be recorded.
  public enum Event: Hashable, Sendable {
    /// A person or the system did this; it may have to wait before anything follows from it.
    case happened(LifecycleHappening)
    /// The application reached this state.
    case state(ApplicationState)
    /// A call into the application is due; from here on it is timed.
    case callBegan(LifecycleCallback)
    /// That call returned.
    case callEnded(LifecycleCallback)
    /// A background task was granted.
    case taskBegan(UIBackgroundTaskIdentifier, name: String?)
    /// The application ended it.
    case taskEnded(UIBackgroundTaskIdentifier, name: String?)
    /// Its expiration handler is due.
    case expirationBegan(UIBackgroundTaskIdentifier, name: String?)
    /// Its expiration handler returned.
    case expirationEnded(UIBackgroundTaskIdentifier, name: String?)
    /// The application completed its fetch; nil if it came to the front or ended before that.
    case fetchEnded(UIBackgroundFetchResult?)
    /// The players were told of an interruption.
    case interruptionBegan
    /// The players were told of its end.
    case interruptionEnded(shouldResume: Bool)
    /// The application ended, and all its tasks with it. With a report if it was terminated for a fault.
    case terminated(TerminationReport?)
    /// A request was refused.
    case refused(LifecycleRefusal)
  }

  /// A record of `event` at `time`.
  public init(time: HostTime, event: Event) {
    self.time = time
    self.event = event
  }

  /// `12.340 state background`: seconds on the device's clock, to the millisecond, then the event.
  public var description: String { "\(time.inSeconds) \(event)" }
}

extension LifecycleRecord.Event: CustomStringConvertible {
  /// A few words on one line. Of a `TerminationReport` only its code.
  public var description: String {
    switch self {
    case .happened(let happening): "happened \(happening)"
    case .state(let state): "state \(state)"
    case .callBegan(let callback): "call \(callback)"
    case .callEnded(let callback): "returned \(callback)"
    case .taskBegan(let id, let name): "task \(Self.task(id, name)) begun"
    case .taskEnded(let id, let name): "task \(Self.task(id, name)) ended"
    case .expirationBegan(let id, let name): "task \(Self.task(id, name)) expires"
    case .expirationEnded(let id, let name): "task \(Self.task(id, name)) has expired"
    case .fetchEnded(let result): "fetch ended" + (result.map { ": \($0)" } ?? "")
    case .interruptionBegan: "interruption began"
    case .interruptionEnded(let shouldResume):
      "interruption ended" + (shouldResume ? ", sound should resume" : "")
    case .terminated(let report): "terminated" + (report.map { ": \($0.code)" } ?? "")
    case .refused(let refusal): "refused: \(refusal)"
    }
  }

  private static func task(_ id: UIBackgroundTaskIdentifier, _ name: String?) -> String {
    "\(id.rawValue)" + (name.map { " \"\($0)\"" } ?? "")
  }
}

extension LifecycleHappening: CustomStringConvertible {
  /// The words for it in a script, `home` or `interrupt end resume` for example.
  public var description: String {
    switch self {
    case .launch: "launch"
    case .home: "home"
    case .foreground: "foreground"
    case .lock: "lock"
    case .unlock: "unlock"
    case .interruptionBegan: "interrupt begin"
    case .interruptionEnded(let shouldResume): "interrupt end \(shouldResume ? "resume" : "noresume")"
    case .terminate: "terminate"
    case .memoryWarning: "memory-warning"
    case .fetch: "fetch"
    case .remoteControl: "remote-control"
    case .locationChanged: "location-changed"
    case .refreshStatusChanged(let status): "refresh-status \(status)"
    }
  }
}

/// Why a request was refused.
public enum LifecycleRefusal: Hashable, Sendable, CustomStringConvertible {
  /// This task was never begun, or has ended already.
  case noSuchTask(UIBackgroundTaskIdentifier)
  /// No background time is left for a task, or the application does not run.
  case noBackgroundTime(name: String?)
  /// There are `LifecycleMachine.taskLimit` tasks already.
  case tooManyTasks(name: String?)
  /// `LifecycleMachine.happeningLimit` happenings already wait for a call into the application to return.
  case tooMuchWaits(LifecycleHappening)
  /// Fetches need the background mode `fetch`.
  case fetchNeedsMode
  /// The application set no minimum fetch interval, or set it to "never".
  case fetchNotAskedFor
  /// Background refresh is denied or restricted.
  case fetchNotAllowed
  /// The application is in front, or another fetch is in progress.
  case fetchNotNow
  /// The fetch was already completed or has otherwise ended.
  case noSuchFetch

  /// A sentence for a person.
  public var description: String {
    switch self {
    case .noSuchTask(let id): "there is no background task \(id.rawValue), or no longer"
    case .noBackgroundTime(let name): "no background time for the task \(Self.quoted(name))"
    case .tooManyTasks(let name):
      "the task \(Self.quoted(name)) would be one more than \(LifecycleMachine.taskLimit) open ones"
    case .tooMuchWaits(let happening):
      "\(happening) would be one more than \(LifecycleMachine.happeningLimit) that wait for the application"
    case .fetchNeedsMode: "a background fetch needs the background mode fetch"
    case .fetchNotAskedFor: "the application set no minimum background fetch interval"
    case .fetchNotAllowed: "background refresh is not available"
    case .fetchNotNow: "the application is in front or fetches already"
    case .noSuchFetch: "this background fetch has ended already"
    }
  }

  private static func quoted(_ name: String?) -> String { name.map { "\"\($0)\"" } ?? "without a name" }
}
