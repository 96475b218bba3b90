public import Foundation

// Each name in both of Apple's spellings. All are posted on the main queue with the item as object.

extension AVPlayerItem {
  /// The item has played to its end, or to `forwardPlaybackEndTime`. Not posted for items that were skipped
  /// or removed.
  nonisolated public static let didPlayToEndTimeNotification = Notification.Name(
    "AVPlayerItemDidPlayToEndTimeNotification")
  /// The item has played to a place where decoding failed. `AVPlayerItemFailedToPlayToEndTimeErrorKey` has
  /// the reason.
  nonisolated public static let failedToPlayToEndTimeNotification = Notification.Name(
    "AVPlayerItemFailedToPlayToEndTimeNotification")
  /// The item's time jumped by a seek.
  nonisolated public static let timeJumpedNotification = Notification.Name(
    "AVPlayerItemTimeJumpedNotification")
  /// Sound stopped because data was not ready in time; it resumes by itself.
  nonisolated public static let playbackStalledNotification = Notification.Name(
    "AVPlayerItemPlaybackStalledNotification")
  /// `accessLog()` has a new entry.
  nonisolated public static let newAccessLogEntryNotification = Notification.Name(
    "AVPlayerItemNewAccessLogEntry")
  /// `errorLog()` has a new entry.
  nonisolated public static let newErrorLogEntryNotification = Notification.Name(
    "AVPlayerItemNewErrorLogEntry")
}

extension AVPlayerItem {
  /// Something happened to the item's medium on the network: `transferNoteKey` has the `TransferNote`.
  nonisolated package static let transferNotification = Notification.Name("ContinuoPlayerItemTransfer")
  /// The key of a `TransferNote` in `transferNotification`.
  nonisolated package static let transferNoteKey = "note"
}

/// The key of an `NSError` in `AVPlayerItem.failedToPlayToEndTimeNotification`.
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

extension NSNotification.Name {
  /// `AVPlayerItem.didPlayToEndTimeNotification`.
  public static let AVPlayerItemDidPlayToEndTime = AVPlayerItem.didPlayToEndTimeNotification
  /// `AVPlayerItem.failedToPlayToEndTimeNotification`.
  public static let AVPlayerItemFailedToPlayToEndTime = AVPlayerItem.failedToPlayToEndTimeNotification
  /// `AVPlayerItem.timeJumpedNotification`.
  public static let AVPlayerItemTimeJumped = AVPlayerItem.timeJumpedNotification
  /// `AVPlayerItem.playbackStalledNotification`.
  public static let AVPlayerItemPlaybackStalled = AVPlayerItem.playbackStalledNotification
  /// `AVPlayerItem.newAccessLogEntryNotification`.
  public static let AVPlayerItemNewAccessLogEntry = AVPlayerItem.newAccessLogEntryNotification
  /// `AVPlayerItem.newErrorLogEntryNotification`.
  public static let AVPlayerItemNewErrorLogEntry = AVPlayerItem.newErrorLogEntryNotification
}
