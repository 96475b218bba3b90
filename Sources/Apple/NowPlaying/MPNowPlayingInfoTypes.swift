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
  /// Audio without moving pictures.
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
