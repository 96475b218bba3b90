import Synchronization

/// What the system or a person does to the application. Each has two forms. The synchronous form does not
/// wait (see `Device`). The `async` form returns when everything that follows is done, up to the suspension
/// or the end of the application. What does not apply to the application's present state has no effect.
extension Device {
  /// Starts the application, if it is not running.
  public func launch() { happen(.launch) }

  /// Starts the application, if it is not running. Returns when everything that follows is done.
  nonisolated(nonsending) public func launch() async { await happened(.launch) }

  /// Presses the home button: an application in front goes to the background, and is suspended as soon as
  /// nothing keeps it running. Without effect behind a locked screen.
  public func pressHomeButton() { happen(.home) }

  /// `pressHomeButton()` that returns when everything that follows is done.
  nonisolated(nonsending) public func pressHomeButton() async { await happened(.home) }

  /// Brings a running application to the front, and unlocks the screen if it is locked. It comes to the front
  /// even during an interruption, but has no sound until that ends.
  public func foreground() { happen(.foreground) }

  /// `foreground()` that returns when everything that follows is done.
  nonisolated(nonsending) public func foreground() async { await happened(.foreground) }

  /// Locks the screen. For an application in front this is the same as the home button.
  public func lock() { happen(.lock) }

  /// `lock()` that returns when everything that follows is done.
  nonisolated(nonsending) public func lock() async { await happened(.lock) }

  /// Unlocks the screen: the application returns to the front if it was there when the screen was locked.
  public func unlock() { happen(.unlock) }

  /// `unlock()` that returns when everything that follows is done.
  nonisolated(nonsending) public func unlock() async { await happened(.unlock) }

  /// Begins an interruption, a phone call for example. An application in front becomes inactive, and sound
  /// pauses. A second beginning is part of the same interruption, and one end ends it. An application that is
  /// suspended or not running is told when it is resumed or launched, if the interruption still lasts then.
  public func beginInterruption() { happen(.interruptionBegan) }

  /// `beginInterruption()` that returns when everything that follows is done.
  nonisolated(nonsending) public func beginInterruption() async {
    await happened(.interruptionBegan)
  }

  /// Ends the interruption, if there is one. `shouldResume` tells the application that it may resume its
  /// sound. A suspended application with the audio mode is woken for that, for at least
  /// `LifecycleSettings.wakeGrace`.
  public func endInterruption(shouldResume: Bool) {
    happen(.interruptionEnded(shouldResume: shouldResume))
  }

  /// `endInterruption(shouldResume:)` that returns when everything that follows is done.
  nonisolated(nonsending) public func endInterruption(shouldResume: Bool) async {
    await happened(.interruptionEnded(shouldResume: shouldResume))
  }

  /// Terminates the application in the ordinary way: with the call `applicationWillTerminate` unless it is
  /// suspended, and without a `TerminationReport`.
  public func terminate() { happen(.terminate) }

  /// `terminate()` that returns when everything that follows is done.
  nonisolated(nonsending) public func terminate() async { await happened(.terminate) }

  /// The person ends the application, as by a swipe: it is terminated, and all its transfers in the background are cancelled.
  public func quit() { happen(.quit) }

  /// `quit()` that returns when everything that follows is done.
  nonisolated(nonsending) public func quit() async { await happened(.quit) }

  /// The transfers of this background session are done: an application that is suspended or not running is resumed or
  /// launched for that, and told. No effect in front.
  package func wakeForSession(_ session: String) { happen(.backgroundSession(session)) }

  /// Has `service`, which is not kept, told when the application was told of a session.
  package func setTransferService(_ service: any TransferService) {
    shared.withLock { $0.transferService = service }
  }

  /// Tells a running application that memory is short.
  public func sendMemoryWarning() { happen(.memoryWarning) }

  /// `sendMemoryWarning()` that returns when everything that follows is done.
  nonisolated(nonsending) public func sendMemoryWarning() async { await happened(.memoryWarning) }

  /// Starts a background fetch; wakes or launches the application for it. Refused, with a record of the
  /// reason: without the mode `fetch`, if the application set no minimum interval, if background refresh is
  /// not available, if the application is in front, and during another fetch. Does not check that the minimum
  /// interval has passed: the caller decides when the fetch is due.
  public func performBackgroundFetch() { happen(.fetch) }

  /// `performBackgroundFetch()` that returns when the application's method has returned. The fetch itself may
  /// go on; a record tells when it ends.
  nonisolated(nonsending) public func performBackgroundFetch() async { await happened(.fetch) }

  /// The user has pressed a control of the lock screen: a suspended application with the audio mode runs in
  /// the background again, for at least `LifecycleSettings.wakeGrace`, so that sound can begin. No effect in
  /// other states or without the mode.
  public func wakeForRemoteControl() { happen(.remoteControl) }

  /// `wakeForRemoteControl()` that returns when everything that follows is done.
  nonisolated(nonsending) public func wakeForRemoteControl() async {
    await happened(.remoteControl)
  }

  /// The device is somewhere else: an application that is suspended or not running, and has asked to be told of
  /// that, runs in the background, for at least `LifecycleSettings.wakeGrace`. No effect in other states.
  package func wakeForLocation() { happen(.locationChanged) }

  /// Starts the task that the application has asked `BGTaskScheduler` for under this identifier; resumes or launches the
  /// application for it. Refused, with a record of the reason: without such a request, if it is for a refresh and background
  /// refresh is not available, if the application is in front, and while a task with this identifier runs. Does not look at
  /// the request's earliest date nor at what it requires: the caller decides when the task is due.
  public func launchTask(withIdentifier identifier: String) { happen(.launchTask(identifier)) }

  /// `launchTask(withIdentifier:)` that returns when the launch handler was called. The task itself may go on; a record
  /// tells when it ends.
  nonisolated(nonsending) public func launchTask(withIdentifier identifier: String) async {
    await happened(.launchTask(identifier))
  }

  /// Has the time of a running task of `BGTaskScheduler` be nearly over: its expiration handler is called, and it has to be
  /// completed within `LifecycleSettings.expirationWarning`.
  public func expireTask(withIdentifier identifier: String) { happen(.expireTask(identifier)) }

  /// `expireTask(withIdentifier:)` that returns when the expiration handler was called.
  nonisolated(nonsending) public func expireTask(withIdentifier identifier: String) async {
    await happened(.expireTask(identifier))
  }

  /// Data comes for one of the application's VoIP sockets: if the application is suspended and has the mode `voip` it runs
  /// in the background, for `LifecycleSettings.voipTime`. No effect in other states or without the mode. To be called
  /// only where sockets are simulated: the device itself watches those that `VoIPSocket` registers.
  public func receiveVoIPData() { happen(.voipData) }

  /// `receiveVoIPData()` that returns when everything that follows is done.
  nonisolated(nonsending) public func receiveVoIPData() async { await happened(.voipData) }

  /// Sets whether the application may be woken for fetches, as a person does in the settings.
  public func setBackgroundRefreshStatus(_ status: UIBackgroundRefreshStatus) {
    happen(.refreshStatusChanged(status))
  }

  private func happen(_ happening: LifecycleHappening) { handle(.happened(happening), as: .system) }

  nonisolated(nonsending) private func happened(_ happening: LifecycleHappening) async {
    await withCheckedContinuation { continuation in
      perform(as: .system) { state, now in
        state.lastToken += 1
        state.waiters[state.lastToken] = continuation
        state.handle(.happened(happening, token: state.lastToken), at: now)
      }
    }
  }
}
