public import Clocks

/// A timestamped event in the life of an application, reported by `Device.onRecord`.
public struct LifecycleRecord: Hashable, Sendable, CustomStringConvertible {
  /// The time of the event, on the device's clock.
  public var time: HostTime
  /// The event that was recorded.
  public var event: Event

  /// The kinds of recorded events.
  public enum Event: Hashable, Sendable {
    /// A user or system event arrived. A call into the application in progress delays the effects of the event. A touch
    /// is recorded only after the effects of earlier events.
    case happened(LifecycleHappening)
    /// The application entered this state.
    case state(ApplicationState)
    /// A call into the application is due; its time limit starts.
    case callBegan(LifecycleCallback)
    /// A call into the application returned.
    case callEnded(LifecycleCallback)
    /// A background task was granted.
    case taskBegan(UIBackgroundTaskIdentifier, name: String?)
    /// The application ended the background task.
    case taskEnded(UIBackgroundTaskIdentifier, name: String?)
    /// The expiration handler of the background task is due.
    case expirationBegan(UIBackgroundTaskIdentifier, name: String?)
    /// The expiration handler of the background task returned.
    case expirationEnded(UIBackgroundTaskIdentifier, name: String?)
    /// The application is notified of the completed transfers of this background session.
    case sessionEventsBegan(String)
    /// The events of the background session were handled, or the application entered the foreground first.
    case sessionEventsEnded(String)
    /// The application's delegate lacks the method that handles the events of the background session.
    case sessionEventsIgnored(String)
    /// The application completed its fetch; nil if the application entered the foreground or ended first.
    case fetchEnded(UIBackgroundFetchResult?)
    /// A task of the scheduler began.
    case scheduledTaskBegan(String)
    /// The time of the scheduler task is nearly over, and its expiration handler, if any, is due.
    case scheduledTaskExpires(String)
    /// The application completed the scheduler task, or the task expired without a handler; nil if the
    /// application entered the foreground or ended first.
    case scheduledTaskEnded(String, success: Bool?)
    /// Sockets of the suspended application were reclaimed. Never recorded with an empty list.
    case socketsReclaimed([ReclaimedSocket])
    /// The players are notified of an interruption right after this record.
    case interruptionBegan
    /// The players are notified of the end of an interruption right after this record.
    case interruptionEnded(shouldResume: Bool)
    /// The application and all its tasks ended, with a report if it was terminated for a fault.
    case terminated(TerminationReport?)
    /// A request was refused.
    case refused(LifecycleRefusal)
  }

  /// Creates a record of `event` at `time`.
  public init(time: HostTime, event: Event) {
    self.time = time
    self.event = event
  }

  /// The time in seconds on the device's clock, then the event: `12.340 state background`.
  public var description: String { "\(time.inSeconds) \(event)" }
}

extension LifecycleRecord.Event: CustomStringConvertible {
  /// A short description on one line. A `TerminationReport` is reduced to its code.
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
    case .sessionEventsIgnored(let session):
      "events of session \(session) not handled: the application's delegate lacks "
        + "application(_:handleEventsForBackgroundURLSession:completionHandler:)"
    case .fetchEnded(let result): "fetch ended" + (result.map { ": \($0)" } ?? "")
    case .scheduledTaskBegan(let identifier): "scheduled task \(identifier) begun"
    case .scheduledTaskExpires(let identifier): "scheduled task \(identifier) expires"
    case .scheduledTaskEnded(let identifier, let success):
      "scheduled task \(identifier) ended" + (success.map { $0 ? ": success" : ": no success" } ?? "")
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
  /// The event in words, for example `home` or `interrupt end resume`.
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
    case .touch(let control): "touch \(control)"
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

/// The reason for refusing a request.
public enum LifecycleRefusal: Hashable, Sendable, CustomStringConvertible {
  /// The task was never begun or has already ended.
  case noSuchTask(UIBackgroundTaskIdentifier)
  /// No background time is left for the task, or the application is suspended or not running.
  case noBackgroundTime(name: String?)
  /// The number of open tasks has reached `LifecycleMachine.taskLimit`.
  case tooManyTasks(name: String?)
  /// The number of events queued during a call into the application has reached
  /// `LifecycleMachine.happeningLimit`.
  case tooMuchWaits(LifecycleHappening)
  /// The background mode `fetch` is missing.
  case fetchNeedsMode
  /// The application set no minimum fetch interval, or set it to "never".
  case fetchNotAskedFor
  /// Background refresh is denied or restricted.
  case fetchNotAllowed
  /// Another fetch is in progress.
  case fetchNotNow
  /// The application's minimum fetch interval has not passed since the last fetch. `seconds` are left.
  case fetchTooEarly(seconds: Double)
  /// The fetch has already ended.
  case noSuchFetch
  /// No request for a task with this identifier is pending.
  case noTaskRequest(String)
  /// The application is in the foreground, or a task with this identifier is already running.
  case taskNotNow(String)
  /// No launch handler is registered for tasks with this identifier.
  case noLaunchHandler(String)
  /// No task with this identifier is running.
  case noSuchScheduledTask(String)
  /// The background mode `voip`, required for VoIP sockets and keep-alive handlers, is missing.
  case voipNeedsMode
  /// The descriptor does not refer to a stream socket.
  case noVoIPSocket(Int32)
  /// The process has no descriptors or memory left to watch the socket with this descriptor.
  case noVoIPWatch(Int32)
  /// The keep-alive interval, in seconds, is below `UIMinimumKeepAliveTimeout`.
  case keepAliveTooShort(Double)

  /// The reason as a sentence for the user.
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
    case .fetchNotNow: "another background fetch is in progress"
    case .fetchTooEarly(let seconds):
      "the minimum background fetch interval ends in \(seconds.rounded(.up)) s"
    case .noSuchFetch: "this background fetch has ended already"
    case .noTaskRequest(let identifier): "no task request with identifier \(identifier) has been scheduled"
    case .taskNotNow(let identifier): "the application is in front, or runs the task \(identifier) already"
    case .noLaunchHandler(let identifier):
      "no launch handler registered for task with identifier \(identifier)"
    case .noSuchScheduledTask(let identifier): "no task with identifier \(identifier) runs"
    case .voipNeedsMode: "VoIP sockets and keep-alive handlers need the background mode voip"
    case .noVoIPSocket(let descriptor): "the descriptor \(descriptor) does not stand for a stream socket"
    case .noVoIPWatch(let descriptor):
      "the VoIP socket \(descriptor) cannot be watched: the process has no descriptors or memory left"
    case .keepAliveTooShort(let seconds):
      "a keep-alive handler is called every \(LifecycleMachine.shortestKeepAlive) s at most, not every \(seconds) s"
    }
  }

  private static func quoted(_ name: String?) -> String { name.map { "\"\($0)\"" } ?? "without a name" }
}
