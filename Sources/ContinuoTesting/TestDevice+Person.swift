public import AppLifecycle
import AudioOutput

/// What a person and the system do. Each method returns when everything that follows at this moment of
/// virtual time is done. Time passes only if a call into the application spends it (`TestDevice.spend(_:)`).
extension TestDevice {
  /// Launches the application, if it is not running.
  public func launch() async { await happen { $0.launch() } }

  /// Presses the home button.
  public func pressHomeButton() async { await happen { $0.pressHomeButton() } }

  /// Brings the application to the front.
  public func foreground() async { await happen { $0.foreground() } }

  /// Locks the screen.
  public func lock() async { await happen { $0.lock() } }

  /// Unlocks the screen.
  public func unlock() async { await happen { $0.unlock() } }

  /// An interruption begins, a phone call for example.
  public func beginInterruption() async { await happen { $0.beginInterruption() } }

  /// The interruption ends.
  public func endInterruption(shouldResume: Bool) async {
    await happen { $0.endInterruption(shouldResume: shouldResume) }
  }

  /// The system ends the application, or a person does.
  public func terminate() async { await happen { $0.terminate() } }

  /// Memory is short.
  public func sendMemoryWarning() async { await happen { $0.sendMemoryWarning() } }

  /// It is time for a background fetch. The application must have asked for fetches.
  public func performBackgroundFetch() async { await happen { $0.performBackgroundFetch() } }

  /// Someone uses the controls of the lock screen.
  public func wakeForRemoteControl() async { await happen { $0.wakeForRemoteControl() } }

  /// It is time for the task that the application has asked `BGTaskScheduler` for under this identifier.
  public func launchTask(withIdentifier identifier: String) async {
    await happen { $0.launchTask(withIdentifier: identifier) }
  }

  /// The time of a running task of `BGTaskScheduler` is nearly over.
  public func expireTask(withIdentifier identifier: String) async {
    await happen { $0.expireTask(withIdentifier: identifier) }
  }

  /// Data comes for one of the application's VoIP sockets. The sockets themselves are the test's: the device looks at none.
  public func receiveVoIPData() async { await happen { $0.receiveVoIPData() } }

  /// Someone sets the volume for everything, from 0 to 1, as with a device's keys or a mixer's slider.
  public func setOutputVolume(_ volume: Float) async {
    await happen { [output] _ in output.setListenerVolume(min(max(volume, 0), 1)) }
  }

  /// A person allows background refresh, or does not.
  public func setBackgroundRefreshStatus(_ status: UIBackgroundRefreshStatus) async {
    await happen { $0.setBackgroundRefreshStatus(status) }
  }
}
