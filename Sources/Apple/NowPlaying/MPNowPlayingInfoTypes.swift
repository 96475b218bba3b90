public import Foundation

/// The playback state of the application, for `MPNowPlayingInfoCenter.playbackState`.
public enum MPNowPlayingPlaybackState: UInt, Sendable {
  /// Unspecified: derived from `nowPlayingInfo`.
  case unknown = 0
  /// The application is playing.
  case playing = 1
  /// The application has paused playback.
  case paused = 2
  /// Playback is stopped and will restart at the beginning.
  case stopped = 3
  /// An interruption, such as a phone call, is in progress. Published as paused.
  case interrupted = 4
}

/// A kind of media, for `MPNowPlayingInfoPropertyMediaType`.
public enum MPNowPlayingInfoMediaType: UInt, Sendable {
  /// Unspecified kind of media.
  case none = 0
  /// Audio without a video track.
  case audio = 1
  /// Video, with or without audio.
  case video = 2
}

/// Kinds of media, for `MPMediaItemPropertyMediaType`.
public struct MPMediaType: OptionSet, Sendable {
  /// The bits of the set.
  public let rawValue: UInt
  /// Creates a set from the given bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// A piece of music.
  public static let music = MPMediaType(rawValue: 1 << 0)
  /// An episode of a podcast.
  public static let podcast = MPMediaType(rawValue: 1 << 1)
  /// A book read aloud.
  public static let audioBook = MPMediaType(rawValue: 1 << 2)
  /// Any kind of audio, as a mask.
  public static let anyAudio = MPMediaType(rawValue: 0xFF)
}

/// A repeat mode for the application's queue.
public enum MPRepeatType: Int, Sendable {
  /// Repetition is off.
  case off = 0
  /// Repeats the current item.
  case one = 1
  /// Repeats the whole queue.
  case all = 2
}

/// A shuffle mode for the application's queue.
public enum MPShuffleType: Int, Sendable {
  /// Shuffling is off.
  case off = 0
  /// Shuffles the individual items.
  case items = 1
  /// Shuffles collections such as albums.
  case collections = 2
}

/// The result of a command, returned by its handler.
public enum MPRemoteCommandHandlerStatus: Int, Sendable {
  /// The command was carried out.
  case success = 0
  /// The requested content does not exist.
  case noSuchContent = 100
  /// The command needs a current item, and none exists.
  case noActionableNowPlayingItem = 110
  /// A required device was not found.
  case deviceNotFound = 120
  /// The command could not be carried out.
  case commandFailed = 200
}

/// The phase of a seek through an item.
public enum MPSeekCommandEventType: UInt, Sendable {
  /// The beginning of the seek.
  case beginSeeking = 0
  /// The end of the seek.
  case endSeeking = 1
}

/// The kind of content to which a language option applies.
public enum MPNowPlayingInfoLanguageOptionType: UInt, Sendable {
  /// Spoken or sung content.
  case audible = 0
  /// Text such as subtitles.
  case legible = 1
}

/// A language available for the current item. Stored in `MPNowPlayingInfoCenter.nowPlayingInfo` but not published,
/// because MPRIS has no languages. Immutable; any thread.
public final class MPNowPlayingInfoLanguageOption: NSObject, Sendable {
  /// The kind of content to which the option applies.
  public let languageOptionType: MPNowPlayingInfoLanguageOptionType
  /// The language as a BCP 47 tag.
  public let languageTag: String?
  /// The media characteristics that distinguish the option.
  public let languageOptionCharacteristics: [String]?
  /// The name shown to users.
  public let displayName: String?
  /// The application's identifier of the option.
  public let identifier: String?

  /// Creates a language option.
  public init(
    type: MPNowPlayingInfoLanguageOptionType, languageTag: String, characteristics: [String]?,
    displayName: String, identifier: String
  ) {
    languageOptionType = type
    self.languageTag = languageTag
    languageOptionCharacteristics = characteristics
    self.displayName = displayName
    self.identifier = identifier
    super.init()
  }
}

/// A group of language options of which one can be selected. Immutable; any thread.
public final class MPNowPlayingInfoLanguageOptionGroup: NSObject, Sendable {
  /// The options of the group.
  public let languageOptions: [MPNowPlayingInfoLanguageOption]
  /// The option used if none was selected.
  public let defaultLanguageOption: MPNowPlayingInfoLanguageOption?
  /// Whether the user may select no option.
  public let allowEmptySelection: Bool

  /// Creates a group of the given options.
  public init(
    languageOptions: [MPNowPlayingInfoLanguageOption], defaultLanguageOption: MPNowPlayingInfoLanguageOption?,
    allowEmptySelection: Bool
  ) {
    self.languageOptions = languageOptions
    self.defaultLanguageOption = defaultLanguageOption
    self.allowEmptySelection = allowEmptySelection
    super.init()
  }
}
