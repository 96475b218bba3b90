/// The state of the application, as the system sees it.
public enum ApplicationState: String, Hashable, Sendable, CaseIterable {
  /// The application was not launched yet, or it was terminated.
  case notRunning
  /// In the foreground without receiving input: in transition to another state, or interrupted.
  case inactive
  /// In the foreground, receiving input.
  case active
  /// The application runs while it is not visible.
  case background
  /// The application is not visible and is stopped: none of its code runs.
  case suspended

  /// The state visible to the application's own code. `suspended` and `notRunning` appear as `background`, for example
  /// to code that runs just before or after a suspension.
  public var seenByApplication: ApplicationState {
    switch self {
    case .inactive, .active, .background: self
    case .suspended, .notRunning: .background
    }
  }
}

/// A user or system event that affects the application. Events queue during a call into the application. See
/// the methods of `Device` for their effects.
public enum LifecycleHappening: Hashable, Sendable {
  /// Unlocks the screen and launches the application, as the user does. No effect unless the state is `notRunning`.
  case launch
  /// Presses the home button.
  case home
  /// Brings a running or suspended application to the foreground and unlocks the screen.
  case foreground
  /// Locks the screen.
  case lock
  /// Unlocks the screen.
  case unlock
  /// Begins an interruption, such as a phone call, which takes over the screen and the audio.
  case interruptionBegan
  /// Ends the interruption.
  case interruptionEnded(shouldResume: Bool)
  /// Terminates the application, on behalf of the system or the user.
  case terminate
  /// Warns of low memory.
  case memoryWarning
  /// Touches the application's control with this name. The only effect is a record, passed to
  /// `Device.onRecord` once the application has handled earlier events.
  case touch(String)
  /// Begins a background fetch.
  case fetch
  /// Reports a remote-control command from the lock screen.
  case remoteControl
  /// Reports a location change to an application that monitors significant changes. In the background, a suspended
  /// application is resumed, and one that is not running launched; see `LifecycleSettings.wakeGrace`.
  case locationChanged
  /// Starts the scheduler task with this identifier, for which the application is resumed or launched if necessary.
  case launchTask(String)
  /// Expires the running scheduler task with this identifier: calls its expiration handler, or ends a task without one.
  case expireTask(String)
  /// Reports incoming data, or the end of the connection, on a VoIP socket.
  case voipData
  /// Calls the keep-alive handler of a running or suspended application. In the background the application
  /// then runs for at least `LifecycleSettings.voipTime`.
  case keepAlive
  /// Reports that transfers of the background session with this identifier are complete or need an answer. The
  /// application is resumed or launched in the background if necessary, and notified. Ignored in the foreground.
  case backgroundSession(String)
  /// Force-quits the application: like `terminate`, and the device cancels its background transfers.
  case quit
  /// Changes the status of background refresh.
  case refreshStatusChanged(UIBackgroundRefreshStatus)
}

/// A call into the application, named after the delegate's method or the notification, if any.
public enum LifecycleCallback: String, Hashable, Sendable, CaseIterable {
  /// Launch is complete. Called in the state `inactive`.
  case didFinishLaunching
  /// The application is in the foreground and receives input.
  case didBecomeActive
  /// The application is about to be interrupted or to leave the foreground.
  case willResignActive
  /// The application is in the background.
  case didEnterBackground
  /// The application is about to enter the foreground; its code still sees the state `background`.
  case willEnterForeground
  /// The application is about to be terminated. Never called on a suspended application or for a fault.
  case willTerminate
  /// Memory is running low.
  case didReceiveMemoryWarning
  /// The application must fetch new content and report completion.
  case performFetch
  /// The keep-alive handler is called.
  case keepAlive
  /// The status of background refresh has changed.
  case backgroundRefreshStatusDidChange
}

extension LifecycleMachine {
  /// The identifier of one call into the application.
  package typealias CallID = UInt64

  /// An input of the machine.
  package enum Event: Hashable, Sendable {
    /// A user or system event. `Action.finished` returns `token`, if any.
    case happened(LifecycleHappening, token: UInt64? = nil)
    /// The complete set of reasons reported to keep the application running. Only `audio` and `location`
    /// count.
    case keepersChanged(Set<BackgroundKeeper>)
    /// The application begins a background task. The task was granted if `tasks` contains it afterwards.
    case taskBegan(UIBackgroundTaskIdentifier, name: String?, hasHandler: Bool)
    /// The application ends a background task.
    case taskEnded(UIBackgroundTaskIdentifier)
    /// The application has handled the background-session events that this call reported.
    case sessionEventsCompleted(CallID)
    /// The application does not handle the events of this background session.
    case sessionEventsIgnored(String)
    /// The application has completed the fetch that this call began.
    case fetchCompleted(CallID, UIBackgroundFetchResult)
    /// The application sets the minimum fetch interval, in seconds; infinite disables fetches.
    case fetchIntervalChanged(Double)
    /// The application has completed the scheduler task with this number.
    case scheduledTaskCompleted(UInt64, success: Bool)
    /// The application sets or removes the expiration handler of the scheduler task with this number.
    case expirationHandlerChanged(UInt64, Bool)
    /// The application sets the interval of its keep-alive calls, in seconds; nil removes the handler.
    case keepAliveChanged(Double?)
    /// `didEnterBackground` has run application code. A thread that it started may still begin a task.
    case mayHaveLeftWork
    /// A call into the application has returned or, for `Action.reachMainQueue`, the main queue was reached.
    case callReturned(CallID)
    /// Time has passed without another event.
    case timePassed
    /// All actions so far were carried out and no other event came. Suspension is decided only now, so that
    /// events caused by the actions, such as a new background task, can prevent it.
    case settled
  }

  /// An action for the host to carry out.
  package enum Action: Hashable, Sendable {
    /// Call into the application, on the main queue. Later steps wait for `callReturned`.
    case call(CallID, LifecycleCallback)
    /// Call the expiration handler of a task, on the main queue. Later steps wait for `callReturned`.
    case expire(CallID, UIBackgroundTaskIdentifier)
    /// Notify the application of events of the background session. Later steps wait for `callReturned`.
    case tellSession(CallID, String)
    /// Call the launch handler of a scheduler task. Later steps wait for `callReturned`.
    case launchTask(CallID, ScheduledTask)
    /// Call the expiration handler of a scheduler task. Later steps wait for `callReturned`.
    case expireTask(CallID, UInt64)
    /// Send `callReturned` from the main queue, at a moment when no application code runs there.
    case reachMainQueue(CallID)
    /// Notify the observers that the application has reached this state.
    case enter(ApplicationState)
    /// Call `Suspendable.suspend()`. Precedes `enter(.suspended)`.
    case suspend
    /// Reclaim the sockets of the suspended application, and record those that were in use.
    case reclaimSockets
    /// Call `Suspendable.resume()`. Follows the `enter` that leaves `suspended`.
    case resume
    // Each of the next six actions calls the method of `Suspendable` with the same name.
    case enterBackground
    case enterForeground
    case expectInterruption
    case beginInterruption
    case endInterruption(shouldResume: Bool)
    case launch
    /// Call `Suspendable.quit()`. Precedes `terminate`, which is missing if the application is not running.
    case quit
    /// Call `Suspendable.terminate()`, and release the tasks' handlers and the keep-alive handler. Precedes
    /// `enter(.notRunning)`.
    case terminate
    /// Pass the report on a termination for a fault to the report observer.
    case report(TerminationReport)
    /// Write a lifecycle record.
    case note(LifecycleRecord.Event)
    /// Report that everything caused by the event with this token is done.
    case finished(token: UInt64)
  }
}
