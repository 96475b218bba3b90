package import ControlProtocol
package import Jukebox

/// What observers of a jukebox's player see, in the order in which it happens.
package enum JukeboxEvent {
  /// Another song is the current one; nil: none is.
  case currentItem(QueuedSong?)
  /// The song was heard to its end.
  case didPlayToEndTime(QueuedSong)
  /// The song cannot be played, or not on; why.
  case failed(QueuedSong, reason: String)
  /// The song's time went on somewhere else.
  case timeJumped(QueuedSong)
  /// Whether time moves, and if it waits, why.
  case timeControlStatus(TimeControlStatus, reason: String?)
  /// An interruption begins or ends.
  case interruption
  /// Nothing can be decoded any more: no memory, no descriptors. The player stays where it is for good.
  case playerFailed((any Error)?)
}
