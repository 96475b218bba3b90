import ControlProtocol

/// A command of `--at` or of a key, for the player or for the device with the application.
enum PlayerCommand: Hashable, Sendable {
  case pause
  case play
  /// Pauses playback, or resumes it if paused.
  case toggle
  case next
  case previous
  case seek(SeekTarget)
  case volume(VolumeTarget)
  /// Mutes the player, or unmutes it if muted.
  case mute
  case home
  case foreground
  case lock
  case unlock
  /// Begins an interruption such as a phone call, which takes the screen and the sound.
  case interruptBegin
  /// Ends the interruption. `resumes`: whether the paused playback resumes.
  case interruptEnd(resumes: Bool)
  /// Begins a background task of the application.
  case taskBegin(name: String)
  /// Ends the oldest task of that name of the application.
  case taskEnd(name: String)
  /// Performs a background fetch of the application, as the system does.
  case fetch
  /// Sends the system's memory warning to the application.
  case memoryWarning
  /// Terminates the application, as the system does.
  case terminate
  /// Launches the application again.
  case launch
  case quit

  /// A volume or a change of the volume, in percent.
  enum VolumeTarget: Hashable, Sendable {
    /// The new volume, 0…100.
    case absolute(Int)
    /// The change of the volume, -100…100.
    case relative(Int)
  }

  /// The name of a background task if the command contains none.
  static let defaultTaskName = "task"

  /// Whether the device records the command. That is true for the events of an application's life cycle and
  /// for its background tasks.
  var isOfDevice: Bool {
    switch self {
    case .home, .foreground, .lock, .unlock, .interruptBegin, .interruptEnd, .taskBegin, .taskEnd, .fetch,
      .memoryWarning, .terminate, .launch:
      true
    case .pause, .play, .toggle, .next, .previous, .seek, .volume, .mute, .quit: false
    }
  }
}
