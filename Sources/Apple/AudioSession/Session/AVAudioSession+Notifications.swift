public import Foundation

// All notifications are posted on the main queue of the session's environment, with the session as object.
// Numbers in `userInfo` are `UInt`, because Linux does not convert an `NSNumber` with `as? UInt`.

extension AVAudioSession {
  /// Posted when an interruption begins (players pause) or ends (players do not resume automatically).
  public static let interruptionNotification = Notification.Name("AVAudioSessionInterruptionNotification")

  /// Posted when the category or its port changed, and when the output's device changed or disappeared after the output
  /// was first opened.
  public static let routeChangeNotification = Notification.Name("AVAudioSessionRouteChangeNotification")

  /// Posted when other applications start or stop playing audio, while the session is active and the
  /// application is in the foreground. At other times, read `secondaryAudioShouldBeSilencedHint`.
  public static let silenceSecondaryAudioHintNotification = Notification.Name(
    "AVAudioSessionSilenceSecondaryAudioHintNotification")

  /// Posted when the connection to the sound server was lost. Players wait for the server, unless their
  /// `automaticallyWaitsToMinimizeStalling` is false.
  public static let mediaServicesWereLostNotification = Notification.Name(
    "AVAudioSessionMediaServicesWereLostNotification")

  /// Posted when a player has opened its output again after the loss of the server. Waiting players continue
  /// automatically, unlike Apple's.
  public static let mediaServicesWereResetNotification = Notification.Name(
    "AVAudioSessionMediaServicesWereResetNotification")
}

/// The key of an `AVAudioSession.InterruptionType`'s raw value, a `UInt`.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"

/// The key of an `AVAudioSession.InterruptionOptions`' raw value, a `UInt`. Present only when an interruption
/// ends.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"

/// The key of an `AVAudioSession.InterruptionReason`'s raw value, a `UInt`. Present only when an interruption
/// begins.
public let AVAudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"

/// The key of an `AVAudioSession.RouteChangeReason`'s raw value, a `UInt`.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"

/// The key of the `AVAudioSessionRouteDescription` of the previous route.
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"

/// The key of an `AVAudioSession.SilenceSecondaryAudioHintType`'s raw value, a `UInt`.
public let AVAudioSessionSilenceSecondaryAudioHintTypeKey = "AVAudioSessionSilenceSecondaryAudioHintTypeKey"
