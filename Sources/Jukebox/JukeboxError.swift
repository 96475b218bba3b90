/// Why a command was not carried out. Nothing has changed then. The protocol layer has the codes and the words.
package enum JukeboxError: Error, Hashable, Sendable {
  /// No song stands at that position, or the range begins behind the end of the queue.
  case badSongIndex
  /// No song of the queue has that number.
  case noSuchSong
  /// The command needs a song that plays or is paused.
  case notPlaying
  /// A position relative to the current song, and there is none.
  case noCurrentSong
  /// The position is beyond what the queue allows for this command.
  case numberTooLarge(Int)
  /// The current song cannot be moved to a place that is relative to itself.
  case moveRelativeToItself
  /// The song is playing or paused: its range cannot be changed.
  case songIsCurrent
  /// The queue has `SongQueue.maximumCount` songs, or has used up all numbers.
  case queueFull
  /// The path is longer than `Song.maximumPathLength`.
  case pathTooLong
}
