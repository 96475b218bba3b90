import Dispatch
public import Foundation

/// A received command, as passed to its handlers. Immutable; any thread.
public class MPRemoteCommandEvent: NSObject, @unchecked Sendable {
  // Unchecked because the class is not final; these classes have only constants of Sendable types.

  /// The command that was received.
  public let command: MPRemoteCommand
  /// The time at which the event was created, in seconds since the system's start, without time asleep.
  public let timestamp: TimeInterval

  /// The argument of the command as a number, exposed by subclasses under Apple's names and types.
  fileprivate let choice: Double

  required init(_ command: MPRemoteCommand, choice: Double) {
    self.command = command
    self.choice = choice
    timestamp = Double(DispatchTime.now().uptimeNanoseconds) / 1e9
  }
}

/// A skip forward or backward.
public final class MPSkipIntervalCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The skip distance in seconds, never negative.
  public var interval: TimeInterval { choice }
}

/// A continuous seek forward or backward. Never sent by the session bus.
public final class MPSeekCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The phase of the seek: its beginning or end.
  public var type: MPSeekCommandEventType { choice == 0 ? .beginSeeking : .endSeeking }
}

/// A change of the playback position.
public final class MPChangePlaybackPositionCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The requested position in the item, in seconds; never negative and never after a known end.
  public var positionTime: TimeInterval { choice }
}

/// A change of the playback rate.
public final class MPChangePlaybackRateCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The requested rate, positive.
  public var playbackRate: Float { Float(choice) }
}

/// A change of the repeat mode.
public final class MPChangeRepeatModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The requested repeat mode.
  public var repeatType: MPRepeatType { MPRepeatType(rawValue: Int(choice)) ?? .off }
  /// Whether the mode also applies to later sessions. Always true here.
  public let preservesRepeatMode = true
}

/// A change of the shuffle mode.
public final class MPChangeShuffleModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The requested shuffle mode.
  public var shuffleType: MPShuffleType { MPShuffleType(rawValue: Int(choice)) ?? .off }
  /// Whether the mode also applies to later sessions. Always true here.
  public let preservesShuffleMode = true
}

/// A rating. Never sent by the session bus.
public final class MPRatingCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The rating, between the command's limits.
  public var rating: Float { Float(choice) }
}

/// A like, dislike or bookmark. Never sent by the session bus.
public final class MPFeedbackCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// Whether the feedback is withdrawn.
  public var isNegative: Bool { choice != 0 }
}

/// The duration of a language option's selection.
public enum MPChangeLanguageOptionSetting: Int, Sendable {
  /// No setting.
  case none = 0
  /// The current item only.
  case nowPlayingItemOnly = 1
  /// All items from now on.
  case permanent = 2
}

/// A selection of a language option. Never sent, because MPRIS has no languages.
public final class MPChangeLanguageOptionCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
  /// The option to select or to deselect. Always without a language.
  public let languageOption = MPNowPlayingInfoLanguageOption(
    type: .audible, languageTag: "", characteristics: nil, displayName: "", identifier: "")
  /// The duration of the selection. Always `none`.
  public var setting: MPChangeLanguageOptionSetting { .none }
}
