import Dispatch
public import Foundation

/// A command that somebody gave, as handlers get it. Does not change; any thread.
public class MPRemoteCommandEvent: NSObject, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; these classes have constants of Sendable types only.

  /// The command.
  public let command: MPRemoteCommand
  /// When it was given, in seconds since the system's start.
  public let timestamp: TimeInterval

  init(_ command: MPRemoteCommand) {
    self.command = command
    timestamp = Double(DispatchTime.now().uptimeNanoseconds) / 1e9
  }
}

/// A skip forward or backward.
public final class MPSkipIntervalCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// How far, in seconds; never negative.
  public let interval: TimeInterval

  init(_ command: MPRemoteCommand, interval: TimeInterval) {
    self.interval = interval
    super.init(command)
  }
}

/// A search forward or backward. Nobody on the session bus asks for one.
public final class MPSeekCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// Whether it begins or ends.
  public let type: MPSeekCommandEventType

  init(_ command: MPRemoteCommand, type: MPSeekCommandEventType) {
    self.type = type
    super.init(command)
  }
}

/// A place in the item that was chosen.
public final class MPChangePlaybackPositionCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The place, in seconds from the item's beginning; never negative, and never behind the end if it is known.
  public let positionTime: TimeInterval

  init(_ command: MPRemoteCommand, positionTime: TimeInterval) {
    self.positionTime = positionTime
    super.init(command)
  }
}

/// A rate that was chosen.
public final class MPChangePlaybackRateCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The rate; positive.
  public let playbackRate: Float

  init(_ command: MPRemoteCommand, playbackRate: Float) {
    self.playbackRate = playbackRate
    super.init(command)
  }
}

/// A way to repeat that was chosen.
public final class MPChangeRepeatModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// What is to be repeated.
  public let repeatType: MPRepeatType
  /// Whether that is to hold for later sessions too: always, here.
  public let preservesRepeatMode = true

  init(_ command: MPRemoteCommand, repeatType: MPRepeatType) {
    self.repeatType = repeatType
    super.init(command)
  }
}

/// A way to shuffle that was chosen.
public final class MPChangeShuffleModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// What is to be shuffled.
  public let shuffleType: MPShuffleType
  /// Whether that is to hold for later sessions too: always, here.
  public let preservesShuffleMode = true

  init(_ command: MPRemoteCommand, shuffleType: MPShuffleType) {
    self.shuffleType = shuffleType
    super.init(command)
  }
}

/// A rating. Nobody on the session bus gives one.
public final class MPRatingCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The rating, between the command's limits.
  public let rating: Float

  init(_ command: MPRemoteCommand, rating: Float) {
    self.rating = rating
    super.init(command)
  }
}

/// A like, a dislike or a bookmark. Nobody on the session bus gives one.
public final class MPFeedbackCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// Whether it is taken back.
  public let isNegative: Bool

  init(_ command: MPRemoteCommand, isNegative: Bool) {
    self.isNegative = isNegative
    super.init(command)
  }
}
