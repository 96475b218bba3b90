import Dispatch
public import Foundation

/// A command that somebody gave, as handlers get it. Does not change; any thread.
public class MPRemoteCommandEvent: NSObject, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; these classes have constants of Sendable types only.

  /// The command.
  public let command: MPRemoteCommand
  /// When it was given, in seconds since the system's start.
  public let timestamp: TimeInterval

  /// What was chosen, as a number: what the subclasses give out under Apple's names and types.
  fileprivate let choice: Double

  init(_ command: MPRemoteCommand, choice: Double = 0) {
    self.command = command
    self.choice = choice
    timestamp = Double(DispatchTime.now().uptimeNanoseconds) / 1e9
  }
}

/// A skip forward or backward.
public final class MPSkipIntervalCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// How far, in seconds; never negative.
  public var interval: TimeInterval { choice }
}

/// A search forward or backward. Nobody on the session bus asks for one.
public final class MPSeekCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// Whether it begins or ends.
  public var type: MPSeekCommandEventType { choice == 0 ? .beginSeeking : .endSeeking }
}

/// A place in the item that was chosen.
public final class MPChangePlaybackPositionCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The place, in seconds from the item's beginning; never negative, and never behind the end if it is known.
  public var positionTime: TimeInterval { choice }
}

/// A rate that was chosen.
public final class MPChangePlaybackRateCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The rate; positive.
  public var playbackRate: Float { Float(choice) }
}

/// A way to repeat that was chosen.
public final class MPChangeRepeatModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// What is to be repeated.
  public var repeatType: MPRepeatType { MPRepeatType(rawValue: Int(choice)) ?? .off }
  /// Whether that is to hold for later sessions too: always, here.
  public let preservesRepeatMode = true
}

/// A way to shuffle that was chosen.
public final class MPChangeShuffleModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// What is to be shuffled.
  public var shuffleType: MPShuffleType { MPShuffleType(rawValue: Int(choice)) ?? .off }
  /// Whether that is to hold for later sessions too: always, here.
  public let preservesShuffleMode = true
}

/// A rating. Nobody on the session bus gives one.
public final class MPRatingCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The rating, between the command's limits.
  public var rating: Float { Float(choice) }
}

/// A like, a dislike or a bookmark. Nobody on the session bus gives one.
public final class MPFeedbackCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// Whether it is taken back.
  public var isNegative: Bool { choice != 0 }
}
