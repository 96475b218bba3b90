/// Whether the application plays, as `MPNowPlayingInfoCenter.playbackState` has it.
public enum MPNowPlayingPlaybackState: UInt, Sendable {
  /// Not said: computed from `nowPlayingInfo`.
  case unknown = 0
  /// It plays.
  case playing = 1
  /// It is paused.
  case paused = 2
  /// It is stopped: playing begins anew.
  case stopped = 3
  /// A call, for example, interrupts it. Shown as paused.
  case interrupted = 4
}

/// A kind of media, for `MPNowPlayingInfoPropertyMediaType`.
public enum MPNowPlayingInfoMediaType: UInt, Sendable {
  /// Not said.
  case none = 0
  /// Sound.
  case audio = 1
  /// Pictures that move.
  case video = 2
}

/// Kinds of media, for `MPMediaItemPropertyMediaType`.
public struct MPMediaType: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt
  /// The kinds with these bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// A song.
  public static let music = MPMediaType(rawValue: 1 << 0)
  /// An episode of a podcast.
  public static let podcast = MPMediaType(rawValue: 1 << 1)
  /// A book that is read aloud.
  public static let audioBook = MPMediaType(rawValue: 1 << 2)
  /// Any sound.
  public static let anyAudio = MPMediaType(rawValue: 0xFF)
}

/// What is repeated.
public enum MPRepeatType: Int, Sendable {
  /// Nothing.
  case off = 0
  /// The current item.
  case one = 1
  /// The whole queue.
  case all = 2
}

/// What is shuffled.
public enum MPShuffleType: Int, Sendable {
  /// Nothing.
  case off = 0
  /// The order of the items.
  case items = 1
  /// The order of collections such as albums.
  case collections = 2
}

/// What became of a command that the application was given.
public enum MPRemoteCommandHandlerStatus: Int, Sendable {
  /// It is done.
  case success = 0
  /// What it asks for is not there.
  case noSuchContent = 100
  /// There is no item to do it with.
  case noActionableNowPlayingItem = 110
  /// A device that it needs is not there.
  case deviceNotFound = 120
  /// It could not be done.
  case commandFailed = 200
}

/// Which end of a search through an item an event tells of.
public enum MPSeekCommandEventType: UInt, Sendable {
  /// It begins.
  case beginSeeking = 0
  /// It ends.
  case endSeeking = 1
}
