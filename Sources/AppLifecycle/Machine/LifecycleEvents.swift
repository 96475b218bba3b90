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
    /// The application has completed the fetch that this call began.
    case fetchCompleted(CallID, UIBackgroundFetchResult)
    /// The application asks for fetches at intervals of at least so many seconds; infinite means none.
    case fetchIntervalChanged(Double)
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
    /// Send `callReturned` from the main queue, so that none of the application's code is running there at
    /// that moment.
    case reachMainQueue(CallID)
    /// The application has reached this state; tell the observers.
    case enter(ApplicationState)
    /// `Suspendable.suspend()`. Comes before `enter(.suspended)`.
    case suspend
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
