public import Foundation

// The names of notifications, in both of Apple's spellings. All notifications are posted on the main queue
// with the item as object.

nonisolated extension AVPlayerItem {
  /// Posted when the item has played to its end or `forwardPlaybackEndTime`. Not posted for a skipped or
  /// removed item.
  public static let didPlayToEndTimeNotification = Notification.Name(
    "AVPlayerItemDidPlayToEndTimeNotification")
  /// Posted when the item has played to a position at which reading or decoding failed.
  /// `AVPlayerItemFailedToPlayToEndTimeErrorKey` contains the error.
  public static let failedToPlayToEndTimeNotification = Notification.Name(
    "AVPlayerItemFailedToPlayToEndTimeNotification")
  /// Posted when the item's time jumps, for example after a seek or a start at a host time. Also posted when playback
  /// continues in a new version of a remote medium.
  public static let timeJumpedNotification = Notification.Name("AVPlayerItemTimeJumpedNotification")
  /// Posted when playback stopped because data did not arrive in time, or because the sound output was lost.
  /// Playback resumes automatically unless `automaticallyWaitsToMinimizeStalling` is false.
  public static let playbackStalledNotification = Notification.Name("AVPlayerItemPlaybackStalledNotification")
  /// Posted when `accessLog()` has a new entry.
  public static let newAccessLogEntryNotification = Notification.Name("AVPlayerItemNewAccessLogEntry")
  /// Posted when `errorLog()` has a new entry.
  public static let newErrorLogEntryNotification = Notification.Name("AVPlayerItemNewErrorLogEntry")

  /// Posted for an event of the item's remote medium; `transferNoteKey` contains the `TransferNote`.
  package static let transferNotification = Notification.Name("ContinuoPlayerItemTransfer")
  /// The key of a `TransferNote` in `transferNotification`.
  package static let transferNoteKey = "note"
}

/// The key of an `NSError` in `AVPlayerItem.failedToPlayToEndTimeNotification`.
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

extension NSNotification.Name {
  /// An alias of `AVPlayerItem.didPlayToEndTimeNotification`.
  public static let AVPlayerItemDidPlayToEndTime = AVPlayerItem.didPlayToEndTimeNotification
  /// An alias of `AVPlayerItem.failedToPlayToEndTimeNotification`.
  public static let AVPlayerItemFailedToPlayToEndTime = AVPlayerItem.failedToPlayToEndTimeNotification
  /// An alias of `AVPlayerItem.timeJumpedNotification`.
  public static let AVPlayerItemTimeJumped = AVPlayerItem.timeJumpedNotification
  /// An alias of `AVPlayerItem.playbackStalledNotification`.
  public static let AVPlayerItemPlaybackStalled = AVPlayerItem.playbackStalledNotification
  /// An alias of `AVPlayerItem.newAccessLogEntryNotification`.
  public static let AVPlayerItemNewAccessLogEntry = AVPlayerItem.newAccessLogEntryNotification
  /// An alias of `AVPlayerItem.newErrorLogEntryNotification`.
  public static let AVPlayerItemNewErrorLogEntry = AVPlayerItem.newErrorLogEntryNotification
}
