public import Foundation

// All are posted on the main queue of the session's environment, with the session as object. Numbers in
// `userInfo` are `UInt`: Linux does not turn an `NSNumber` into one with `as? UInt`.

extension AVAudioSession {
  /// An interruption begins or ends; `AVAudioSessionInterruptionTypeKey` says which. Players pause at the
  /// beginning and do not resume by themselves at the end.
  public static let interruptionNotification = Notification.Name("AVAudioSessionInterruptionNotification")

  /// The output or the category changed; `AVAudioSessionRouteChangeReasonKey` says why.
  public static let routeChangeNotification = Notification.Name("AVAudioSessionRouteChangeNotification")

  /// Other applications begin to sound, or end; `AVAudioSessionSilenceSecondaryAudioHintTypeKey` says which. An
  /// application silences then what it can do without. Posted while the session is active and the application in the
  /// foreground; `secondaryAudioShouldBeSilencedHint` says how it is at other times.
  public static let silenceSecondaryAudioHintNotification = Notification.Name(
    "AVAudioSessionSilenceSecondaryAudioHintNotification")

  /// The connection to the sound server was lost. Players wait until it is back.
  public static let mediaServicesWereLostNotification = Notification.Name(
    "AVAudioSessionMediaServicesWereLostNotification")

  /// The sound server can be reached again. On Apple's systems an application must now recreate its audio
  /// objects; here players continue by themselves where they stopped.
  public static let mediaServicesWereResetNotification = Notification.Name(
    "AVAudioSessionMediaServicesWereResetNotification")
}

/// The key of an `AVAudioSession.InterruptionType`'s raw value, a `UInt`.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"

/// The key of an `AVAudioSession.InterruptionOptions`' raw value, a `UInt`; when an interruption ended only.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"

/// The key of an `AVAudioSession.InterruptionReason`'s raw value, a `UInt`; when an interruption began only.
public let AVAudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"

/// The key of an `AVAudioSession.RouteChangeReason`'s raw value, a `UInt`.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"

/// The key of the `AVAudioSessionRouteDescription` of the route before.
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"

/// The key of an `AVAudioSession.SilenceSecondaryAudioHintType`'s raw value, a `UInt`.
public let AVAudioSessionSilenceSecondaryAudioHintTypeKey = "AVAudioSessionSilenceSecondaryAudioHintTypeKey"
