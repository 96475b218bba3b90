extension AVAudioSession {
  /// The purpose of an application's sound, with Apple's names.
  public struct Category: RawRepresentable, Hashable, Sendable {
    /// Apple's name of the category.
    public let rawValue: String
    /// Creates a category from Apple's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Optional sound, which pauses in the background.
    public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
    /// Optional sound, not mixed on Apple's systems; pauses in the background. The default of a session.
    public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
    /// Sound that is the purpose of the application; may continue in the background.
    public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
    /// Recording only: players do not play. Recording is not possible, because no input exists.
    public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
    /// Sound in both directions. Plays like `playback`, also in the background, because no input exists.
    public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
    /// Sound over several routes. Plays like `playback`, also in the background: only one route exists.
    public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")

    static let all = [ambient, soloAmbient, playback, record, playAndRecord, multiRoute]
  }

  /// The kind of sound. Stored and reported, but without effect on playback.
  public struct Mode: RawRepresentable, Hashable, Sendable {
    /// Apple's name of the mode.
    public let rawValue: String
    /// Creates a mode from Apple's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Any kind of sound.
    public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
    /// Speech that pauses when another application prompts.
    public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
    /// Films. Valid with the category `playback` only.
    public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
    /// Unprocessed sound, for measurements.
    public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
    /// Prompts by a voice. Valid with the category `playback` only.
    public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")
    /// A voice call. Valid with the category `playAndRecord` only.
    public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
    /// A voice call in a game. Valid with the category `playAndRecord` only.
    public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
    /// A video call. Valid with the category `playAndRecord` only.
    public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
    /// Recording a film. Valid with the categories `record` and `playAndRecord` only.
    public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")

    static let all = [
      `default`, spokenAudio, moviePlayback, measurement, voicePrompt, voiceChat, gameChat, videoChat,
      videoRecording,
    ]
  }

  /// Options of a category. Stored and reported, but without effect except for `defaultToSpeaker`: a sound
  /// server mixes all applications.
  public struct CategoryOptions: OptionSet, Sendable {
    /// The bits, with Apple's values.
    public let rawValue: UInt
    /// Creates options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Mixes with the sound of other applications.
    public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
    /// Lowers the volume of other applications; implies `mixWithOthers`.
    public static let duckOthers = CategoryOptions(rawValue: 0x2)
    /// Allows Bluetooth headsets.
    public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
    /// The earlier name of `allowBluetoothHFP`.
    public static let allowBluetooth = allowBluetoothHFP
    /// Uses the speaker instead of the receiver. Changes the route of the simulated output in the category
    /// `playAndRecord`; otherwise without effect.
    public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
    /// Pauses speech of other applications and mixes with their other sound; includes `mixWithOthers`.
    public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
    /// Allows Bluetooth devices for music.
    public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
    /// Allows AirPlay devices.
    public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
    /// Keeps the session from being interrupted when the built-in microphone is muted. Valid with the categories
    /// `record` and `playAndRecord` only.
    public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
  }

  /// The route that the application shares with others. Stored and reported, but without effect.
  public enum RouteSharingPolicy: UInt, Sendable {
    /// The system's default route.
    case `default` = 0
    /// The route of applications that play long audio.
    case longFormAudio = 1
    /// Set by the system only.
    case independent = 2
    /// The route of applications that play films.
    case longFormVideo = 3
  }

  /// Options of `setActive(_:options:)`.
  public struct SetActiveOptions: OptionSet, Sendable {
    /// The bits, with Apple's values.
    public let rawValue: UInt
    /// Creates options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Notifies other applications that they may resume. For deactivation only; without effect here.
    public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
  }

  /// The beginning or the end of an interruption. As in Apple's type, `began` is 1 and `ended` is 0.
  public enum InterruptionType: UInt, Sendable {
    /// The interruption began. `ended` does not always follow.
    case began = 1
    /// The interruption ended.
    case ended = 0
  }

  /// Options that accompany the end of an interruption.
  public struct InterruptionOptions: OptionSet, Sendable {
    /// The bits, with Apple's values.
    public let rawValue: UInt
    /// Creates options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The application may resume playback without asking the user.
    public static let shouldResume = InterruptionOptions(rawValue: 1)
  }

  /// The reason of an interruption. Reasons other than `default` occur only if passed to
  /// `PlaybackEnvironment.beginInterruption(_:)`.
  public enum InterruptionReason: UInt, Sendable {
    /// Other audio started: a call, another application.
    case `default` = 0
    /// The application was suspended. Deprecated by Apple since iOS 16.
    case appWasSuspended = 1
    /// The built-in microphone was muted.
    case builtInMicMuted = 2
    /// The route's device was disconnected.
    case routeDisconnected = 4
  }

  /// The start or the end of other applications' audio.
  public enum SilenceSecondaryAudioHintType: UInt, Sendable {
    /// Other applications play: optional sound should be silent.
    case begin = 1
    /// Other applications no longer play.
    case end = 0
  }

  /// The reason of a route change.
  public enum RouteChangeReason: UInt, Sendable {
    /// The reason is unknown. Does not occur.
    case unknown = 0
    /// Sound moves to another device.
    case newDeviceAvailable = 1
    /// The device was removed.
    case oldDeviceUnavailable = 2
    /// The session's category changed, or options that select another port.
    case categoryChange = 3
    /// The route was overridden. Does not occur.
    case override = 4
    /// The device woke from sleep. Does not occur.
    case wakeFromSleep = 6
    /// No device suits the category. Does not occur.
    case noSuitableRouteForCategory = 7
    /// The configuration of the devices changed. Does not occur.
    case routeConfigurationChange = 8
  }

  /// The codes of the errors that a session throws: an `NSError` with the domain `NSOSStatusErrorDomain`.
  public enum ErrorCode: Int, Sendable {
    /// No error.
    case none = 0
    /// '!cat': the category does not allow the mode or the operation.
    case incompatibleCategory = 560_161_140
    /// '!pri': audio of higher priority is active, for example a call.
    case insufficientPriority = 561_017_449
    /// '!res': the resource does not exist, for example an input.
    case resourceNotAvailable = 561_145_203
    /// Error in user parameters: an invalid value, or an invalid combination of values.
    case badParam = -50
  }
}
