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
  /// Sound has stopped because more of the song did not come in time; it goes on by itself.
  case stalled(QueuedSong)
  /// So much of the song is there: these parts of it in seconds, so many bytes, of how many if that is known. At most
  /// twice a second.
  case loaded(QueuedSong, ranges: [Range<Double>], bytes: Int64, total: Int64?)
  /// Something happened to the song on the network.
  case network(QueuedSong, NetworkReport)
  /// The song is a live stream; what the station is called.
  case station(QueuedSong, name: String?)
  /// What the stream says about itself from now on, at that many seconds of the song.
  case timedMetadata(QueuedSong, identifier: String, value: String, seconds: Double)
  /// An interruption begins or ends.
  case interruption
  /// Nothing can be decoded any more: no memory, no descriptors. The player stays where it is for good.
  case playerFailed((any Error)?)
}
