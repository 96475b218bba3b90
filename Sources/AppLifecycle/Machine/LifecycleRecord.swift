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
    /// The application is told that transfers of the background session with this identifier are done.
    case sessionEventsBegan(String)
    /// It has handled that, or has come to the front meanwhile.
    case sessionEventsEnded(String)
    /// The application completed its fetch; nil if it came to the front or ended before that.
    case fetchEnded(UIBackgroundFetchResult?)
    /// A task of the scheduler began.
    case scheduledTaskBegan(String)
    /// Its time is nearly over, and its expiration handler is due if it has one.
    case scheduledTaskExpires(String)
    /// The application completed it, or it expired without a handler; nil if the application came to the front or ended
    /// before that.
    case scheduledTaskEnded(String, success: Bool?)
    /// These sockets of the suspended application were reclaimed; there is no such record of none.
    case socketsReclaimed([ReclaimedSocket])
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
    case .sessionEventsBegan(let session): "events of session \(session)"
    case .sessionEventsEnded(let session): "events of session \(session) handled"
    case .fetchEnded(let result): "fetch ended" + (result.map { ": \($0)" } ?? "")
    case .scheduledTaskBegan(let identifier): "scheduled task \(identifier) begun"
    case .scheduledTaskExpires(let identifier): "scheduled task \(identifier) expires"
    case .scheduledTaskEnded(let identifier, let success):
      "scheduled task \(identifier) ended"
        + (success.map { $0 ? ": success" : ": no success" } ?? "")
    case .socketsReclaimed(let sockets):
      "sockets reclaimed: \(sockets.map(\.description).joined(separator: ", "))"
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
    case .interruptionEnded(let shouldResume):
      "interrupt end \(shouldResume ? "resume" : "noresume")"
    case .terminate: "terminate"
    case .memoryWarning: "memory-warning"
    case .fetch: "fetch"
    case .backgroundSession(let session): "transfers of \(session) done"
    case .quit: "quit"
    case .remoteControl: "remote-control"
    case .locationChanged: "location-changed"
    case .launchTask(let identifier): "launch-task \(identifier)"
    case .expireTask(let identifier): "expire-task \(identifier)"
    case .voipData: "voip-data"
    case .keepAlive: "keep-alive"
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
  /// The application has no request for a task with this identifier.
  case noTaskRequest(String)
  /// The application is in front, or a task with this identifier runs already.
  case taskNotNow(String)
  /// The application has registered no handler for tasks with this identifier.
  case noLaunchHandler(String)
  /// No task with this identifier runs.
  case noSuchScheduledTask(String)
  /// VoIP sockets and keep-alive handlers need the background mode `voip`.
  case voipNeedsMode
  /// This descriptor does not stand for a stream socket.
  case noVoIPSocket(Int32)
  /// A keep-alive handler cannot be called that often.
  case keepAliveTooShort(Double)

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
    case .noTaskRequest(let identifier):
      "no task request with identifier \(identifier) has been scheduled"
    case .taskNotNow(let identifier):
      "the application is in front, or runs the task \(identifier) already"
    case .noLaunchHandler(let identifier):
      "no launch handler registered for task with identifier \(identifier)"
    case .noSuchScheduledTask(let identifier): "no task with identifier \(identifier) runs"
    case .voipNeedsMode: "VoIP sockets and keep-alive handlers need the background mode voip"
    case .noVoIPSocket(let descriptor):
      "the descriptor \(descriptor) does not stand for a stream socket"
    case .keepAliveTooShort(let seconds):
      "a keep-alive handler is called every \(LifecycleMachine.shortestKeepAlive) s at most, not every \(seconds) s"
    }
  }

  private static func quoted(_ name: String?) -> String {
    name.map { "\"\($0)\"" } ?? "without a name"
  }
}
