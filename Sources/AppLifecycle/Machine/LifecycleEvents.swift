/// What a person or the system does to the application. These wait for their turn while a call into the
/// application has not returned.
public enum LifecycleHappening: Hashable, Sendable {
  /// A person starts it. Opens a lock as well, since nobody can start anything behind one.
  case launch
  /// The home button.
  case home
  /// A person brings it to the front. Opens a lock as well, and puts what interrupts off the screen; its sound
  /// goes on.
  case foreground
  /// The screen is locked.
  case lock
  /// The screen is unlocked; the application returns to the front if it was there when the lock closed.
  case unlock
  /// Something takes the screen and the sound: a call.
  case interruptionBegan
  /// That is over.
  case interruptionEnded(shouldResume: Bool)
  /// The system ends it, or a person does.
  case terminate
  /// Memory is short.
  case memoryWarning
  /// It is time for a background fetch.
  case fetch
  /// Someone uses the controls of a lock screen: an application with the audio mode runs again, in the background.
  /// It is suspended again unless something keeps it running in time.
  case remoteControl
  /// Whether it may be woken for background fetches has changed.
  case refreshStatusChanged(UIBackgroundRefreshStatus)
}

/// A call into the application, named after the delegate's method and the notification.
public enum LifecycleCallback: String, Hashable, Sendable, CaseIterable {
  /// It was started. In the state inactive.
  case didFinishLaunching
  /// It is in front and takes input.
  case didBecomeActive
  /// It is about to be interrupted or sent to the background.
  case willResignActive
  /// It is out of sight.
  case didEnterBackground
  /// It is on its way to the front. In the state background, whether or not it was suspended.
  case willEnterForeground
  /// It is about to be ended. Never called on a suspended application.
  case willTerminate
  /// Memory is short.
  case didReceiveMemoryWarning
  /// It is to fetch a little and to say when it is done.
  case performFetch
  /// Whether it may be woken for background fetches has changed.
  case backgroundRefreshStatusDidChange
}

extension LifecycleMachine {
  /// Names one call into the application.
  package typealias CallID = UInt64

  /// What the machine is told.
  package enum Event: Hashable, Sendable {
    /// Something happens. `token`, if any, comes back in `Action.finished`.
    case happened(LifecycleHappening, token: UInt64? = nil)
    /// This is now all that asks for it to be kept running. Only `audio` counts here: the machine knows tasks and
    /// fetches by itself.
    case keepersChanged(Set<BackgroundKeeper>)
    /// The application begins a background task. Granted if it is in `tasks` afterwards.
    case taskBegan(UIBackgroundTaskIdentifier, name: String?, hasHandler: Bool)
    /// The application ends one.
    case taskEnded(UIBackgroundTaskIdentifier)
    /// The application is done with the fetch that this call began.
    case fetchCompleted(CallID, UIBackgroundFetchResult)
    /// The application asks for fetches no more often than this; infinite: for none.
    case fetchIntervalChanged(Double)
    /// A call into the application has returned, or for `Action.reachMainQueue` the main queue is reached.
    case callReturned(CallID)
    /// Nothing but time.
    case timePassed
    /// All actions so far have been carried out, and nothing else has come meanwhile. Suspension is decided only then,
    /// so that what they led to comes in time.
    case settled
  }

  /// What the host has to do.
  package enum Action: Hashable, Sendable {
    /// Call into the application, on the main queue; nothing that follows from earlier happenings is done before
    /// `callReturned`.
    case call(CallID, LifecycleCallback)
    /// The same for the expiration handler of a task.
    case expire(CallID, UIBackgroundTaskIdentifier)
    /// Get to the main queue, so that no piece of the application's code is in mid-run, and answer `callReturned`.
    case reachMainQueue(CallID)
    /// The application has reached this state; tell who watches.
    case enter(ApplicationState)
    /// `Suspendable.suspend()`. Comes before the state that stands for it.
    case suspend
    /// `Suspendable.resume()`. Comes after the state that follows `suspended`.
    case resume
    /// `Suspendable.enterBackground()`.
    case enterBackground
    /// `Suspendable.enterForeground()`.
    case enterForeground
    /// `Suspendable.beginInterruption()`.
    case beginInterruption
    /// `Suspendable.endInterruption(shouldResume:)`.
    case endInterruption(shouldResume: Bool)
    /// `Suspendable.terminate()`. Comes before the state that stands for it; forget the tasks' handlers as well.
    case terminate
    /// `Suspendable.launch()`.
    case launch
    /// The application was terminated for a reason that a person should read.
    case report(TerminationReport)
    /// Write this down.
    case note(LifecycleRecord.Event)
    /// All that follows from the happening with this token is done.
    case finished(token: UInt64)
  }
}
