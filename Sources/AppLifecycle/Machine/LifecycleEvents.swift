/// What a person or the system does to the application. These events queue up while a call into the
/// application has not returned.
public enum LifecycleHappening: Hashable, Sendable {
  /// A person launches it. Unlocks the screen too, since nothing can be launched on a locked screen.
  case launch
  /// The home button.
  case home
  /// A person brings it to the front. Unlocks the screen too. An interruption loses the screen, but keeps the
  /// sound.
  case foreground
  /// The screen is locked.
  case lock
  /// The screen is unlocked; the application returns to the front if it was there when the screen was locked.
  case unlock
  /// An interruption begins, a phone call for example: it takes the screen and the sound.
  case interruptionBegan
  /// The interruption is over.
  case interruptionEnded(shouldResume: Bool)
  /// The system or a person ends it.
  case terminate
  /// Memory is short.
  case memoryWarning
  /// It is time for a background fetch.
  case fetch
  /// The user has pressed a control of the lock screen: a suspended application with the audio mode runs
  /// again, in the background. It is suspended again unless something keeps it running within
  /// `LifecycleSettings.wakeGrace`.
  case remoteControl
  /// The device is somewhere else, and the application has asked to be told of that even when it does not run: a
  /// suspended application runs again in the background, and one that is not running is launched there. It is
  /// suspended again unless something keeps it running within `LifecycleSettings.wakeGrace`.
  case locationChanged
  /// It is time for the task of the scheduler with this identifier: the application is resumed or launched in the background.
  case launchTask(String)
  /// The time of the running task with this identifier is nearly over.
  case expireTask(String)
  /// Data came for a VoIP socket, or its connection has ended: a suspended application runs again, in the background,
  /// for `LifecycleSettings.voipTime`.
  case voipData
  /// It is time to keep a connection alive: an application that runs or is suspended is called, and runs for at least
  /// `LifecycleSettings.voipTime`.
  case keepAlive
  /// The transfers of the background session with this identifier are done: an application that is suspended or not running
  /// is resumed or launched in the background, and told of it. Without effect in front.
  case backgroundSession(String)
  /// The person ends it for good: as `terminate`, and the device makes no more transfers for it.
  case quit
  /// Whether it may be woken for background fetches has changed.
  case refreshStatusChanged(UIBackgroundRefreshStatus)
}

/// A call into the application, named after the delegate's method and the notification.
public enum LifecycleCallback: String, Hashable, Sendable, CaseIterable {
  /// It was launched. Called in the state `inactive`.
  case didFinishLaunching
  /// It is in front and receives input.
  case didBecomeActive
  /// It is about to be interrupted or sent to the background.
  case willResignActive
  /// It is no longer visible.
  case didEnterBackground
  /// It is about to come to the front. The application sees the state `background`, also if it was suspended.
  case willEnterForeground
  /// It is about to be terminated. Never called on a suspended application.
  case willTerminate
  /// Memory is short.
  case didReceiveMemoryWarning
  /// It is asked to fetch new content and to report when that is done.
  case performFetch
  /// Its keep-alive handler.
  case keepAlive
  /// Whether it may be woken for background fetches has changed.
  case backgroundRefreshStatusDidChange
}

extension LifecycleMachine {
  /// Identifies one call into the application.
  package typealias CallID = UInt64

  /// The input of the machine.
  package enum Event: Hashable, Sendable {
    /// A person or the system does something. `token`, if any, comes back in `Action.finished`.
    case happened(LifecycleHappening, token: UInt64? = nil)
    /// The complete set of reasons reported to keep the application running. `task` and `fetch` are not read: the
    /// machine tracks these itself.
    case keepersChanged(Set<BackgroundKeeper>)
    /// The application begins a background task. Granted if it is in `tasks` afterwards.
    case taskBegan(UIBackgroundTaskIdentifier, name: String?, hasHandler: Bool)
    /// The application ends a background task.
    case taskEnded(UIBackgroundTaskIdentifier)
    /// The application has handled the events of the background session that it was told of by this call.
    case sessionEventsCompleted(CallID)
    /// The application has completed the fetch that this call began.
    case fetchCompleted(CallID, UIBackgroundFetchResult)
    /// The application asks for fetches at intervals of at least so many seconds; infinite means none.
    case fetchIntervalChanged(Double)
    /// The application has completed the task of the scheduler with this number.
    case scheduledTaskCompleted(UInt64, success: Bool)
    /// The application wants to be told when the time of that task is over, or no longer.
    case expirationHandlerChanged(UInt64, Bool)
    /// The application asks to be called every so many seconds to keep a connection alive; nil: no longer.
    case keepAliveChanged(Double?)
    /// The application's own code has had `didEnterBackground`, and may have started threads that have not come to begin a task.
    case mayHaveLeftWork
    /// A call into the application has returned, or for `Action.reachMainQueue` the main queue is reached.
    case callReturned(CallID)
    /// No event, only time has passed.
    case timePassed
    /// All actions so far have been carried out and no other event has come. Suspension is decided only now,
    /// so that events caused by those actions (a new background task, for example) can still prevent it.
    case settled
  }

  /// What the host has to do.
  package enum Action: Hashable, Sendable {
    /// Call into the application, on the main queue. Later steps wait for `callReturned`.
    case call(CallID, LifecycleCallback)
    /// Call the expiration handler of a task, in the same way.
    case expire(CallID, UIBackgroundTaskIdentifier)
    /// Tell the application of the events of the background session with this identifier, in the same way.
    case tellSession(CallID, String)
    /// Call the launch handler of a task of the scheduler, in the same way.
    case launchTask(CallID, ScheduledTask)
    /// Call the expiration handler of the task of the scheduler with this number, in the same way.
    case expireTask(CallID, UInt64)
    /// Send `callReturned` from the main queue, so that none of the application's code is running there at
    /// that moment.
    case reachMainQueue(CallID)
    /// The application has reached this state; tell the observers.
    case enter(ApplicationState)
    /// `Suspendable.suspend()`. Comes before `enter(.suspended)`.
    case suspend
    /// Reclaim the sockets of the suspended application, and write a record of those that were in use.
    case reclaimSockets
    /// `Suspendable.resume()`. Comes after the `enter` that leaves `suspended`.
    case resume
    /// `Suspendable.enterBackground()`.
    case enterBackground
    /// `Suspendable.enterForeground()`.
    case enterForeground
    /// `Suspendable.beginInterruption()`.
    case beginInterruption
    /// `Suspendable.endInterruption(shouldResume:)`.
    case endInterruption(shouldResume: Bool)
    /// `Suspendable.quit()`. Comes before `terminate`.
    case quit
    /// `Suspendable.terminate()`. Comes before `enter(.notRunning)`. The host also releases the tasks'
    /// handlers.
    case terminate
    /// `Suspendable.launch()`.
    case launch
    /// The application was terminated for a fault; tell the observer of reports.
    case report(TerminationReport)
    /// Write a record.
    case note(LifecycleRecord.Event)
    /// Everything that follows from the event with this token is done.
    case finished(token: UInt64)
  }
}
