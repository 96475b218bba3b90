import ControlProtocol

/// What a person can ask for by `--at` or by a key: of the player, or of the device that carries the application.
enum PlayerCommand: Hashable, Sendable {
  case pause
  case play
  /// Pauses what plays, plays what is paused.
  case toggle
  case next
  case previous
  case seek(SeekTarget)
  case volume(VolumeTarget)
  /// Mutes what sounds, unmutes what is muted.
  case mute
  case home
  case foreground
  case lock
  case unlock
  /// A call or the like takes the screen and the sound.
  case interruptBegin
  /// That is over. `resumes`: what it paused goes on.
  case interruptEnd(resumes: Bool)
  /// The application begins a background task.
  case taskBegin(name: String)
  /// The application ends the oldest of its tasks of that name.
  case taskEnd(name: String)
  /// The system has the application fetch something in the background.
  case fetch
  /// The system says that memory is short.
  case memoryWarning
  /// The system ends the application.
  case terminate
  /// A person starts the application again.
  case launch
  case quit

  /// What volume to set, in percent.
  enum VolumeTarget: Hashable, Sendable {
    /// 0…100.
    case absolute(Int)
    /// -100…100, added to the present volume.
    case relative(Int)
  }

  /// The name of a background task that is begun or ended without one.
  static let defaultTaskName = "task"

  /// Whether the device records it: what a person or the system does to an application, and what that does to stay.
  var isOfDevice: Bool {
    switch self {
    case .home, .foreground, .lock, .unlock, .interruptBegin, .interruptEnd, .taskBegin, .taskEnd, .fetch,
      .memoryWarning, .terminate, .launch:
      true
    case .pause, .play, .toggle, .next, .previous, .seek, .volume, .mute, .quit: false
    }
  }
}
