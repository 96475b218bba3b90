/// What happens to the application. Each has two forms: one returns as `Device` says, the other when everything that
/// follows is done, the application is suspended or has ended. Where there is no application to which it could happen,
/// nothing does.
extension Device {
  /// Starts the application, if it is not running.
  public func launch() { happen(.launch) }

  /// Starts the application, if it is not running. Returns when all is done.
  nonisolated(nonsending) public func launch() async { await happened(.launch) }

  /// Presses the home button: an application in front goes to the background, and is suspended as soon as nothing
  /// keeps it running. Without effect behind a locked screen.
  public func pressHomeButton() { happen(.home) }

  /// `pressHomeButton()` that returns when all is done.
  nonisolated(nonsending) public func pressHomeButton() async { await happened(.home) }

  /// Brings a running application to the front, opening the lock if need be. A call that goes on does not keep it from
  /// there; the sound stays the call's until that ends.
  public func foreground() { happen(.foreground) }

  /// `foreground()` that returns when all is done.
  nonisolated(nonsending) public func foreground() async { await happened(.foreground) }

  /// Locks the screen: for the application in front the same as the home button.
  public func lock() { happen(.lock) }

  /// `lock()` that returns when all is done.
  nonisolated(nonsending) public func lock() async { await happened(.lock) }

  /// Unlocks the screen: the application returns to the front if it was there when the screen was locked.
  public func unlock() { happen(.unlock) }

  /// `unlock()` that returns when all is done.
  nonisolated(nonsending) public func unlock() async { await happened(.unlock) }

  /// Begins an interruption, a call for example: it takes the screen from an application in front and the sound from
  /// whatever sounds. A second one before the end of the first is part of that: one end ends both. An application that
  /// is suspended or not running is told when it is resumed or launched, if the interruption lasts so long.
  public func beginInterruption() { happen(.interruptionBegan) }

  /// `beginInterruption()` that returns when all is done.
  nonisolated(nonsending) public func beginInterruption() async { await happened(.interruptionBegan) }

  /// Ends the interruption, if there is one. `shouldResume`: what it paused may go on by itself; a suspended
  /// application with the audio mode is woken for that, for `LifecycleSettings.wakeGrace` at least.
  public func endInterruption(shouldResume: Bool) { happen(.interruptionEnded(shouldResume: shouldResume)) }

  /// `endInterruption(shouldResume:)` that returns when all is done.
  nonisolated(nonsending) public func endInterruption(shouldResume: Bool) async {
    await happened(.interruptionEnded(shouldResume: shouldResume))
  }

  /// Ends the application as the system does, with a last call into it unless it is suspended. No punishment: there is
  /// no report.
  public func terminate() { happen(.terminate) }

  /// `terminate()` that returns when all is done.
  nonisolated(nonsending) public func terminate() async { await happened(.terminate) }

  /// Tells a running application that memory is short.
  public func sendMemoryWarning() { happen(.memoryWarning) }

  /// `sendMemoryWarning()` that returns when all is done.
  nonisolated(nonsending) public func sendMemoryWarning() async { await happened(.memoryWarning) }

  /// Has the application fetch in the background, waking or launching it for that. Refused, with a record that says
  /// why, without the mode `fetch`, for an application that set no minimum interval, while background refresh is not
  /// available, in front, and during a fetch. The interval itself is not waited for: this is the moment at which the
  /// system finds it has passed.
  public func performBackgroundFetch() { happen(.fetch) }

  /// `performBackgroundFetch()` that returns when the application was called. The fetch itself may go on; its end is a
  /// record.
  nonisolated(nonsending) public func performBackgroundFetch() async { await happened(.fetch) }

  /// Someone uses the controls of a lock screen: a suspended application with the audio mode runs in the background
  /// again, for `LifecycleSettings.wakeGrace` at least, so that sound can begin. Without effect in other states and
  /// without the mode.
  public func wakeForRemoteControl() { happen(.remoteControl) }

  /// `wakeForRemoteControl()` that returns when all is done.
  nonisolated(nonsending) public func wakeForRemoteControl() async { await happened(.remoteControl) }

  /// Says whether the application may be woken for fetches, as a person does in the settings.
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
