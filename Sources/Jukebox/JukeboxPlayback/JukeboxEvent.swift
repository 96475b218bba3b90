package import ControlProtocol
package import Jukebox

/// An event that observers of a jukebox's player receive, in the order of occurrence.
package enum JukeboxEvent {
  /// The current song changed; nil if there is none.
  case currentItem(QueuedSong?)
  /// The song was heard to its end.
  case didPlayToEndTime(QueuedSong)
  /// The song cannot be played, or cannot continue, for `reason`.
  case failed(QueuedSong, reason: String)
  /// The song's time jumped, for example because of a seek.
  case timeJumped(QueuedSong)
  /// The time control status changed; `reason` is set while the player waits.
  case timeControlStatus(TimeControlStatus, reason: String?)
  /// Sound stopped because the song's data did not arrive in time; playback resumes automatically.
  case stalled(QueuedSong)
  /// Progress of loading the song: the loaded ranges in seconds, the stored bytes, and the total in bytes if
  /// known. At most twice a second.
  case loaded(QueuedSong, ranges: [Range<Double>], bytes: Int64, total: Int64?)
  /// A network event of the song.
  case network(QueuedSong, NetworkReport)
  /// The song is a live stream; `name` is the station's name.
  case station(QueuedSong, name: String?)
  /// Timed metadata of the stream, valid from `seconds` of the song onward.
  case timedMetadata(QueuedSong, identifier: String, value: String, seconds: Double)
  /// An audio session interruption began or ended.
  case interruption
  /// The player failed permanently and cannot decode any more, for example for lack of memory or descriptors.
  /// Its position stays where it is.
  case playerFailed((any Error)?)
}
