public import AppLifecycle
import AudioOutput

/// User and system events. Each method returns when all effects at the current virtual time are complete.
/// Time passes only if a call into the application spends it (`TestDevice.spend(_:)` or `hang()`).
extension TestDevice {
  /// Launches the application, unless it is running or suspended.
  public func launch() async { await happen { $0.launch() } }

  /// Presses the home button.
  public func pressHomeButton() async { await happen { $0.pressHomeButton() } }

  /// Brings a running or suspended application to the foreground, and unlocks the screen.
  public func foreground() async { await happen { $0.foreground() } }

  /// Locks the screen of the device.
  public func lock() async { await happen { $0.lock() } }

  /// Unlocks the screen of the device.
  public func unlock() async { await happen { $0.unlock() } }

  /// Begins an interruption, such as a phone call.
  public func beginInterruption() async { await happen { $0.beginInterruption() } }

  /// Ends the interruption, if one is in progress. `shouldResume` indicates that the application may resume its audio.
  public func endInterruption(shouldResume: Bool) async {
    await happen { $0.endInterruption(shouldResume: shouldResume) }
  }

  /// Terminates the application, as the system or a user does.
  public func terminate() async { await happen { $0.terminate() } }

  /// Sends a low-memory warning to the application.
  public func sendMemoryWarning() async { await happen { $0.sendMemoryWarning() } }

  /// Starts a background fetch, under the conditions of `Device.performBackgroundFetch()`.
  public func performBackgroundFetch() async { await happen { $0.performBackgroundFetch() } }

  /// Reports the use of the lock-screen controls, under the conditions of `Device.wakeForRemoteControl()`. Calls no
  /// command handler.
  public func wakeForRemoteControl() async { await happen { $0.wakeForRemoteControl() } }

  /// Starts the `BGTaskScheduler` task requested under this identifier, under the conditions of
  /// `Device.launchTask(withIdentifier:)`.
  public func launchTask(withIdentifier identifier: String) async {
    await happen { $0.launchTask(withIdentifier: identifier) }
  }

  /// Expires a running task of `BGTaskScheduler`.
  public func expireTask(withIdentifier identifier: String) async {
    await happen { $0.expireTask(withIdentifier: identifier) }
  }

  /// Simulates the arrival of data on a VoIP socket. The device itself watches no sockets.
  public func receiveVoIPData() async { await happen { $0.receiveVoIPData() } }

  /// Sets the output volume for all applications, 0…1, as a device's keys or a mixer's slider do.
  public func setOutputVolume(_ volume: Float) async {
    await happen { [output] _ in output.setListenerVolume(min(max(volume, 0), 1)) }
  }

  /// Sets the status of background refresh, as a user does in the settings.
  public func setBackgroundRefreshStatus(_ status: UIBackgroundRefreshStatus) async {
    await happen { $0.setBackgroundRefreshStatus(status) }
  }
}
