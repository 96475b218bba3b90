import Synchronization

/// User and system events for the application. `Device` describes when the synchronous form of an event
/// returns. The `async` form returns when all effects are complete, including a suspension or termination of
/// the application. An event that does not apply to the application's present state is only recorded.
extension Device {
  /// Unlocks the screen and launches the application. Has no effect on a running or suspended application.
  public func launch() { happen(.launch) }

  /// `launch()` that returns when all effects are complete.
  nonisolated(nonsending) public func launch() async { await happened(.launch) }

  /// Presses the home button: an application in the foreground enters the background, and is suspended as
  /// soon as nothing keeps it running. Has no effect while the screen is locked.
  public func pressHomeButton() { happen(.home) }

  /// `pressHomeButton()` that returns when all effects are complete.
  nonisolated(nonsending) public func pressHomeButton() async { await happened(.home) }

  /// Brings a running or suspended application to the foreground and unlocks the screen. During an
  /// interruption the application enters the foreground too, but has no audio until the interruption ends.
  public func foreground() { happen(.foreground) }

  /// `foreground()` that returns when all effects are complete.
  nonisolated(nonsending) public func foreground() async { await happened(.foreground) }

  /// Locks the screen. An application in the foreground reacts as to the home button.
  public func lock() { happen(.lock) }

  /// `lock()` that returns when all effects are complete.
  nonisolated(nonsending) public func lock() async { await happened(.lock) }

  /// Unlocks the screen. An application that was in the foreground when the screen was locked returns to the
  /// foreground.
  public func unlock() { happen(.unlock) }

  /// `unlock()` that returns when all effects are complete.
  nonisolated(nonsending) public func unlock() async { await happened(.unlock) }

  /// Begins an interruption, such as a phone call. An application in the foreground becomes inactive, and
  /// audio pauses. A second call is part of the same interruption, which a single `endInterruption` ends. A
  /// suspended or terminated application is notified on resumption or launch, if the interruption is still in
  /// progress then.
  public func beginInterruption() { happen(.interruptionBegan) }

  /// `beginInterruption()` that returns when all effects are complete.
  nonisolated(nonsending) public func beginInterruption() async { await happened(.interruptionBegan) }

  /// Ends the interruption, if one is in progress. `shouldResume` indicates that the application may resume
  /// its audio. In that case a suspended application is woken if it has the audio mode and was notified of
  /// the interruption. It must then start to play within `LifecycleSettings.wakeGrace`.
  public func endInterruption(shouldResume: Bool) { happen(.interruptionEnded(shouldResume: shouldResume)) }

  /// `endInterruption(shouldResume:)` that returns when all effects are complete.
  nonisolated(nonsending) public func endInterruption(shouldResume: Bool) async {
    await happened(.interruptionEnded(shouldResume: shouldResume))
  }

  /// Terminates the application normally: without a `TerminationReport`, and with the call
  /// `applicationWillTerminate` unless it is suspended.
  public func terminate() { happen(.terminate) }

  /// `terminate()` that returns when all effects are complete.
  nonisolated(nonsending) public func terminate() async { await happened(.terminate) }

  /// Force-quits the application, as by a swipe: terminates it and cancels its background transfers.
  public func quit() { happen(.quit) }

  /// `quit()` that returns when all effects are complete.
  nonisolated(nonsending) public func quit() async { await happened(.quit) }

  /// Reports that transfers of a background session are complete or need an answer; see
  /// `LifecycleHappening.backgroundSession`.
  package func wakeForSession(_ session: String) { happen(.backgroundSession(session)) }

  /// Sets the closure that is called with a background session's identifier, after the application was notified of the
  /// session's events. The closure is called on the main queue; for earlier notifications, immediately on the
  /// caller's thread.
  package func onSessionTold(_ body: @escaping @Sendable (String) -> Void) {
    replace(\.onSessionTold, with: body)
    let earlier = shared.withLock { state in
      defer { state.sessionsTold = [] }
      return state.sessionsTold
    }
    for session in earlier { body(session) }
  }

  /// Sends a low-memory warning to a running application.
  public func sendMemoryWarning() { happen(.memoryWarning) }

  /// `sendMemoryWarning()` that returns when all effects are complete.
  nonisolated(nonsending) public func sendMemoryWarning() async { await happened(.memoryWarning) }

  /// Starts a background fetch, waking or launching the application for it. An application in the foreground
  /// enters the background first, as when Xcode simulates a fetch. Refused, with a recorded reason, without
  /// the mode `fetch`, while background refresh is unavailable, during another fetch, and before the
  /// application's minimum interval has passed since the last fetch. An application that set no interval is
  /// refused too, unless the fetch is its first launch.
  public func performBackgroundFetch() { happen(.fetch) }

  /// `performBackgroundFetch()` that returns when the application's method has returned. The fetch itself may
  /// continue; a record reports its end.
  nonisolated(nonsending) public func performBackgroundFetch() async { await happened(.fetch) }

  /// Reports a remote-control command from the lock screen. A suspended application with the audio mode is
  /// woken in the background, and must start to play within `LifecycleSettings.wakeGrace`. In the background the
  /// application runs for at least that time. Has no effect in other states or without the mode.
  public func wakeForRemoteControl() { happen(.remoteControl) }

  /// `wakeForRemoteControl()` that returns when all effects are complete.
  nonisolated(nonsending) public func wakeForRemoteControl() async { await happened(.remoteControl) }

  /// Reports a location change; see `LifecycleHappening.locationChanged`. Has no effect on a running
  /// application.
  package func wakeForLocation() { happen(.locationChanged) }

  /// Starts the `BGTaskScheduler` task requested under this identifier, resuming or launching the application
  /// for it. Refused, with a recorded reason, without such a request or a launch handler, in the foreground,
  /// and while a task with this identifier runs. A refresh is also refused while refresh is unavailable. The
  /// request's earliest date and requirements are not checked: the caller decides when the task is due.
  public func launchTask(withIdentifier identifier: String) { happen(.launchTask(identifier)) }

  /// `launchTask(withIdentifier:)` that returns when the launch handler was called, or enqueued on its queue.
  /// The task itself may continue; a record reports its end.
  nonisolated(nonsending) public func launchTask(withIdentifier identifier: String) async {
    await happened(.launchTask(identifier))
  }

  /// Expires a running task of `BGTaskScheduler`: its expiration handler is called, and the application must complete
  /// the task within `LifecycleSettings.expirationWarning`. A task without a handler ends unsuccessfully at once.
  public func expireTask(withIdentifier identifier: String) { happen(.expireTask(identifier)) }

  /// `expireTask(withIdentifier:)` that returns when the expiration handler was called, or enqueued on the
  /// task's queue.
  nonisolated(nonsending) public func expireTask(withIdentifier identifier: String) async {
    await happened(.expireTask(identifier))
  }

  /// Reports data for one of the application's VoIP sockets. A suspended application with the mode `voip`
  /// runs in the background for `LifecycleSettings.voipTime`. Has no effect in other states or without the
  /// mode. For simulated sockets only: the device itself watches the sockets registered with `VoIPSocket`.
  public func receiveVoIPData() { happen(.voipData) }

  /// `receiveVoIPData()` that returns when all effects are complete.
  nonisolated(nonsending) public func receiveVoIPData() async { await happened(.voipData) }

  /// Sets the status of background refresh, as a user does in the settings.
  public func setBackgroundRefreshStatus(_ status: UIBackgroundRefreshStatus) {
    happen(.refreshStatusChanged(status))
  }

  private func happen(_ happening: LifecycleHappening) { handle(.happened(happening), as: .system) }

  nonisolated(nonsending) private func happened(_ happening: LifecycleHappening) async {
    await withCheckedContinuation { continuation in happen(happening) { continuation.resume() } }
  }

  /// Carries out an event. `completion` is called when all effects are complete, on any thread.
  package func happen(_ happening: LifecycleHappening, completion: @escaping @Sendable () -> Void) {
    perform(as: .system) { state, now in
      state.lastToken += 1
      state.waiters[state.lastToken] = completion
      state.handle(.happened(happening, token: state.lastToken), at: now)
    }
  }
}
