public import Foundation

// All are posted on the main queue of the session's environment, with the session as object. Numbers in `userInfo` are
// `UInt`: Linux does not turn an `NSNumber` into one with `as? UInt`.

extension AVAudioSession {
  /// An interruption begins or ends; see `AVAudioSessionInterruptionTypeKey` and its siblings. Players that played have
  /// paused themselves and do not go on by themselves.
  public static let interruptionNotification = Notification.Name("AVAudioSessionInterruptionNotification")

  /// Sound goes another way, or the category changed; see `AVAudioSessionRouteChangeReasonKey`.
  public static let routeChangeNotification = Notification.Name("AVAudioSessionRouteChangeNotification")

  /// The connection to the sound server broke. Players wait for it.
  public static let mediaServicesWereLostNotification = Notification.Name(
    "AVAudioSessionMediaServicesWereLostNotification")

  /// There is a sound server again. On Apple's systems everything has to be made anew now; here players go on where they
  /// stood, by themselves.
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
