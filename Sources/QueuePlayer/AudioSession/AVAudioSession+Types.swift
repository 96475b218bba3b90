extension AVAudioSession {
  /// The purpose of an application's sound. The names are Apple's.
  public struct Category: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String
    /// The category of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sound that the application can do without; pauses in the background.
    public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
    /// As `ambient`, but not mixed with other applications on Apple's systems. The default of a session.
    public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
    /// Sound that the application is made for; may continue in the background.
    public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
    /// Recording only: players do not play. There is no input, so nothing is recorded either.
    public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
    /// Sound in both directions; may continue in the background. There is no input: it plays as `playback` does.
    public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
    /// Sound over several routes; may continue in the background. There is one route: it plays as `playback` does.
    public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")

    static let all = [ambient, soloAmbient, playback, record, playAndRecord, multiRoute]
  }

  /// The kind of sound. Stored and reported, but has no effect on playback.
  public struct Mode: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String
    /// The mode of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Any kind.
    public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
    /// Speech that pauses when another application prompts.
    public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
    /// Films. With the category `playback` only.
    public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
    /// Unprocessed sound, for measurements.
    public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
    /// Prompts by a voice. With the category `playback` only.
    public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")
    /// A conversation by voice. With the category `playAndRecord` only.
    public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
    /// A conversation in a game. With the category `playAndRecord` only.
    public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
    /// A conversation with pictures. With the category `playAndRecord` only.
    public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
    /// Recording a film. With the categories `record` and `playAndRecord` only.
    public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")

    static let all = [
      `default`, spokenAudio, moviePlayback, measurement, voicePrompt, voiceChat, gameChat, videoChat,
      videoRecording,
    ]
  }

  /// How the sound combines with that of other applications. Stored and reported, but without effect: a sound
  /// server mixes all applications.
  public struct CategoryOptions: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt
    /// Options of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Others are heard too.
    public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
    /// Others are heard more quietly; implies `mixWithOthers`.
    public static let duckOthers = CategoryOptions(rawValue: 0x2)
    /// Bluetooth headsets may be used.
    public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
    /// The earlier name of `allowBluetoothHFP`.
    public static let allowBluetooth = allowBluetoothHFP
    /// The speaker and not the receiver is used.
    public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
    /// Speech of others pauses, their other sound is mixed; includes `mixWithOthers`.
    public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
    /// Bluetooth devices for music may be used.
    public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
    /// AirPlay devices may be used.
    public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
    /// Sound goes on when the microphone is muted. With the categories `record` and `playAndRecord` only.
    public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
  }

  /// Which route the application shares with others. Stored and reported, but without effect.
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
    /// Apple's bits.
    public let rawValue: UInt
    /// Options of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Other applications are told that they may resume. For deactivation only; without effect here.
    public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
  }

  /// Whether an interruption begins or ends. As Apple's, `began` is 1 and `ended` is 0.
  public enum InterruptionType: UInt, Sendable {
    /// It begins; an end may never come.
    case began = 1
    /// It has ended.
    case ended = 0
  }

  /// What comes with the end of an interruption.
  public struct InterruptionOptions: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt
    /// Options of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The application may resume its sound without asking the user.
    public static let shouldResume = InterruptionOptions(rawValue: 1)
  }

  /// Why an interruption began.
  public enum InterruptionReason: UInt, Sendable {
    /// Something else sounds: a call, another application.
    case `default` = 0
    /// The application was suspended. Deprecated by Apple since iOS 16; does not occur here.
    case appWasSuspended = 1
    /// The built-in microphone was muted; does not occur.
    case builtInMicMuted = 2
    /// The route's device went away.
    case routeDisconnected = 4
  }

  /// Whether other applications begin to sound or end.
  public enum SilenceSecondaryAudioHintType: UInt, Sendable {
    /// They sound: what the application can do without should be silent.
    case begin = 1
    /// They sound no more.
    case end = 0
  }

  /// Why the route changed.
  public enum RouteChangeReason: UInt, Sendable {
    /// The reason is not known.
    case unknown = 0
    /// A device can be used that could not before; sound goes there.
    case newDeviceAvailable = 1
    /// The device is gone.
    case oldDeviceUnavailable = 2
    /// The session's category changed.
    case categoryChange = 3
    /// The route was overridden; does not occur.
    case override = 4
    /// The device woke up; does not occur.
    case wakeFromSleep = 6
    /// There is no device for the category; does not occur.
    case noSuitableRouteForCategory = 7
    /// The devices are the same and their configuration is another; does not occur.
    case routeConfigurationChange = 8
  }

  /// Codes of the errors that a session throws: an `NSError` with the domain `NSOSStatusErrorDomain`.
  public enum ErrorCode: Int, Sendable {
    /// No error.
    case none = 0
    /// '!cat': the mode, or what is asked for, does not go with the category.
    case incompatibleCategory = 560_161_140
    /// '!pri': something more important has the sound, a call.
    case insufficientPriority = 561_017_449
    /// '!res': what is asked for is not there, an input.
    case resourceNotAvailable = 561_145_203
    /// A parameter that is not valid, or not with the others.
    case badParam = -50
  }
}
