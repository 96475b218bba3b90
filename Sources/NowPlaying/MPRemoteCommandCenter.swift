public import Foundation

/// The commands that the application can be given from outside.
///
/// Those that have a handler and are enabled are offered on the session bus (MPRIS): to media keys, `playerctl` and the desktop.
/// Where the application has only one of `togglePlayPauseCommand` and the pair of `playCommand` and
/// `pauseCommand`, it stands in for the other. Any thread; nothing blocks.
///
/// Handlers are called on the main queue, so only in a program that runs it. Commands that are given while the
/// players of the environment are suspended are refused: the session bus says so to whoever gave them.
public final class MPRemoteCommandCenter: NSObject, Sendable {
  /// The center of the process.
  public static func shared() -> MPRemoteCommandCenter { NowPlayingContext.shared.commands }

  /// Play.
  public let playCommand: MPRemoteCommand
  /// Pause.
  public let pauseCommand: MPRemoteCommand
  /// Stop.
  public let stopCommand: MPRemoteCommand
  /// Pause what plays, play what is paused.
  public let togglePlayPauseCommand: MPRemoteCommand
  /// Go to the next item.
  public let nextTrackCommand: MPRemoteCommand
  /// Go to the previous item.
  public let previousTrackCommand: MPRemoteCommand
  /// Skip forward in the item.
  public let skipForwardCommand: MPSkipIntervalCommand
  /// Skip backward in the item.
  public let skipBackwardCommand: MPSkipIntervalCommand
  /// Go to a place in the item.
  public let changePlaybackPositionCommand: MPChangePlaybackPositionCommand
  /// Play at another rate.
  public let changePlaybackRateCommand: MPChangePlaybackRateCommand
  /// Repeat in another way.
  public let changeRepeatModeCommand: MPChangeRepeatModeCommand
  /// Shuffle in another way.
  public let changeShuffleModeCommand: MPChangeShuffleModeCommand
  /// Search forward. Kept and never given.
  public let seekForwardCommand: MPRemoteCommand
  /// Search backward. Kept and never given.
  public let seekBackwardCommand: MPRemoteCommand
  /// Rate the item. Kept and never given.
  public let ratingCommand: MPRatingCommand
  /// Like the item. Kept and never given.
  public let likeCommand: MPFeedbackCommand
  /// Dislike the item. Kept and never given.
  public let dislikeCommand: MPFeedbackCommand
  /// Mark a place in the item. Kept and never given.
  public let bookmarkCommand: MPFeedbackCommand
  /// Choose a language. Kept and never given.
  public let enableLanguageOptionCommand: MPRemoteCommand
  /// Give up a language. Kept and never given.
  public let disableLanguageOptionCommand: MPRemoteCommand

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
    seekForwardCommand = MPRemoteCommand(onChange)
    seekBackwardCommand = MPRemoteCommand(onChange)
    ratingCommand = MPRatingCommand(onChange)
    likeCommand = MPFeedbackCommand(onChange)
    dislikeCommand = MPFeedbackCommand(onChange)
    bookmarkCommand = MPFeedbackCommand(onChange)
    enableLanguageOptionCommand = MPRemoteCommand(onChange)
    disableLanguageOptionCommand = MPRemoteCommand(onChange)
  }

  /// What is offered now.
  var offer: CommandOffer {
    var offer = CommandOffer()
    for (command, kind) in [
      (playCommand, .play), (pauseCommand, .pause), (stopCommand, .stop), (togglePlayPauseCommand, .toggle),
      (nextTrackCommand, .next), (previousTrackCommand, .previous), (skipForwardCommand, .skipForward),
      (skipBackwardCommand, .skipBackward), (changePlaybackPositionCommand, .position),
      (changePlaybackRateCommand, .rate), (changeRepeatModeCommand, .repeatMode),
      (changeShuffleModeCommand, .shuffleMode),
    ] as [(MPRemoteCommand, CommandOffer.Kinds)] where command.isAvailable {
      offer.kinds.insert(kind)
    }
    offer.forwardInterval = skipForwardCommand.firstInterval
    offer.backwardInterval = skipBackwardCommand.firstInterval
    offer.rates = changePlaybackRateCommand.supportedPlaybackRates.map(\.doubleValue)
      .filter { $0.isFinite && $0 > 0 }
    offer.repeatType = changeRepeatModeCommand.currentRepeatType
    offer.shuffleType = changeShuffleModeCommand.currentShuffleType
    return offer
  }

  /// Calls the handlers of a command. Main queue.
  func perform(_ action: RemoteAction) -> MPRemoteCommandHandlerStatus {
    func plain(_ command: MPRemoteCommand) -> MPRemoteCommandHandlerStatus {
      command.perform(MPRemoteCommandEvent(command))
    }
    func skip(_ command: MPRemoteCommand, _ interval: Double) -> MPRemoteCommandHandlerStatus {
      command.perform(MPSkipIntervalCommandEvent(command, choice: interval))
    }
    switch action {
    case .play: return plain(playCommand)
    case .pause: return plain(pauseCommand)
    case .stop: return plain(stopCommand)
    case .toggle: return plain(togglePlayPauseCommand)
    case .next: return plain(nextTrackCommand)
    case .previous: return plain(previousTrackCommand)
    case .skipForward(let interval): return skip(skipForwardCommand, interval)
    case .skipBackward(let interval): return skip(skipBackwardCommand, interval)
    case .position(let time):
      let command = changePlaybackPositionCommand
      return command.perform(MPChangePlaybackPositionCommandEvent(command, choice: time))
    case .rate(let rate):
      let command = changePlaybackRateCommand
      return command.perform(MPChangePlaybackRateCommandEvent(command, choice: rate))
    case .repeatMode(let type):
      let command = changeRepeatModeCommand
      return command.perform(MPChangeRepeatModeCommandEvent(command, choice: Double(type.rawValue)))
    case .shuffleMode(let type):
      let command = changeShuffleModeCommand
      return command.perform(MPChangeShuffleModeCommandEvent(command, choice: Double(type.rawValue)))
    }
  }
}
