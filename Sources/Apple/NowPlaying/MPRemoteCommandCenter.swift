public import Foundation

/// The remote commands that the application can handle. Any thread; nothing blocks.
///
/// Enabled commands with a handler are offered on the session bus (MPRIS) to media keys, `playerctl` and the
/// desktop. If `playCommand` or `pauseCommand` is not offered, `togglePlayPauseCommand` is called instead, and
/// vice versa.
///
/// Handlers are called on the main queue, so the program must run the main queue. Commands that arrive while
/// the players of the environment are suspended or terminated are refused with an error reply.
public final class MPRemoteCommandCenter: NSObject, Sendable {
  /// Returns the shared center of the process.
  public static func shared() -> MPRemoteCommandCenter { NowPlayingContext.shared.commands }

  /// Starts or resumes playback.
  public let playCommand: MPRemoteCommand
  /// Pauses playback at the current position.
  public let pauseCommand: MPRemoteCommand
  /// Stops playback.
  public let stopCommand: MPRemoteCommand
  /// Toggles between playing and paused.
  public let togglePlayPauseCommand: MPRemoteCommand
  /// Selects the next item.
  public let nextTrackCommand: MPRemoteCommand
  /// Selects the previous item.
  public let previousTrackCommand: MPRemoteCommand
  /// Skips forward in the item.
  public let skipForwardCommand: MPSkipIntervalCommand
  /// Skips backward in the item.
  public let skipBackwardCommand: MPSkipIntervalCommand
  /// Changes the playback position in the item.
  public let changePlaybackPositionCommand: MPChangePlaybackPositionCommand
  /// Changes the playback rate.
  public let changePlaybackRateCommand: MPChangePlaybackRateCommand
  /// Changes the repeat mode.
  public let changeRepeatModeCommand: MPChangeRepeatModeCommand
  /// Changes the shuffle mode.
  public let changeShuffleModeCommand: MPChangeShuffleModeCommand
  /// Seeks forward continuously. Stored but never sent.
  public let seekForwardCommand = MPRemoteCommand()
  /// Seeks backward continuously. Stored but never sent.
  public let seekBackwardCommand = MPRemoteCommand()
  /// Rates the item. Stored but never sent.
  public let ratingCommand = MPRatingCommand()
  /// Likes the item. Stored but never sent.
  public let likeCommand = MPFeedbackCommand()
  /// Dislikes the item. Stored but never sent.
  public let dislikeCommand = MPFeedbackCommand()
  /// Bookmarks a position in the item. Stored but never sent.
  public let bookmarkCommand = MPFeedbackCommand()
  /// Selects a language option. Stored but never sent.
  public let enableLanguageOptionCommand = MPRemoteCommand()
  /// Deselects a language option. Stored but never sent.
  public let disableLanguageOptionCommand = MPRemoteCommand()

  init(_ onChange: @escaping @Sendable () -> Void) {
    playCommand = MPRemoteCommand(onChange)
    pauseCommand = MPRemoteCommand(onChange)
    stopCommand = MPRemoteCommand(onChange)
    togglePlayPauseCommand = MPRemoteCommand(onChange)
    nextTrackCommand = MPRemoteCommand(onChange)
    previousTrackCommand = MPRemoteCommand(onChange)
    skipForwardCommand = MPSkipIntervalCommand(onChange)
    skipBackwardCommand = MPSkipIntervalCommand(onChange)
    changePlaybackPositionCommand = MPChangePlaybackPositionCommand(onChange)
    changePlaybackRateCommand = MPChangePlaybackRateCommand(onChange)
    changeRepeatModeCommand = MPChangeRepeatModeCommand(onChange)
    changeShuffleModeCommand = MPChangeShuffleModeCommand(onChange)
  }

  /// The commands that can be offered, each with the type of its events.
  private var commands: [(kind: CommandOffer.Kinds, MPRemoteCommand, MPRemoteCommandEvent.Type)] {
    [
      (.play, playCommand, MPRemoteCommandEvent.self),
      (.pause, pauseCommand, MPRemoteCommandEvent.self),
      (.stop, stopCommand, MPRemoteCommandEvent.self),
      (.toggle, togglePlayPauseCommand, MPRemoteCommandEvent.self),
      (.next, nextTrackCommand, MPRemoteCommandEvent.self),
      (.previous, previousTrackCommand, MPRemoteCommandEvent.self),
      (.skipForward, skipForwardCommand, MPSkipIntervalCommandEvent.self),
      (.skipBackward, skipBackwardCommand, MPSkipIntervalCommandEvent.self),
      (.position, changePlaybackPositionCommand, MPChangePlaybackPositionCommandEvent.self),
      (.rate, changePlaybackRateCommand, MPChangePlaybackRateCommandEvent.self),
      (.repeatMode, changeRepeatModeCommand, MPChangeRepeatModeCommandEvent.self),
      (.shuffleMode, changeShuffleModeCommand, MPChangeShuffleModeCommandEvent.self),
    ]
  }

  var offer: CommandOffer {
    var offer = CommandOffer()
    for (kind, command, _) in commands where command.isAvailable { offer.kinds.insert(kind) }
    offer.forwardInterval = skipForwardCommand.firstInterval
    offer.backwardInterval = skipBackwardCommand.firstInterval
    offer.rates = changePlaybackRateCommand.supportedPlaybackRates.map(\.doubleValue)
      .filter { $0.isFinite && $0 > 0 }
    offer.repeatType = changeRepeatModeCommand.currentRepeatType
    offer.shuffleType = changeShuffleModeCommand.currentShuffleType
    return offer
  }

  /// Calls the handlers of a command and returns the result. Must be called on the main queue.
  func perform(_ kind: CommandOffer.Kinds, _ argument: Double) -> MPRemoteCommandHandlerStatus {
    guard let (_, command, event) = commands.first(where: { $0.kind == kind }) else { return .commandFailed }
    return command.perform(event.init(command, choice: argument))
  }
}
