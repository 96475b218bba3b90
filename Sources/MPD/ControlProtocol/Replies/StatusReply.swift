internal import TextFormatting

/// The reply to `status`.
package struct StatusReply: Hashable, Sendable {
  /// The player's state. `play` while sound plays or is expected within a moment.
  package enum State: String, Hashable, Sendable {
    case play
    case pause
    case stop
  }

  /// The progress of the current song while it plays or is paused.
  package struct Progress: Hashable, Sendable {
    package var elapsed: Milliseconds
    package var duration: Milliseconds?
    /// The mean bit rate of the last second heard, in bits per second; 0 if unknown.
    package var bitRate = 0
    /// The decoded format; nil until it is known.
    package var audio: AudioFormatText?

    package init(
      elapsed: Milliseconds, duration: Milliseconds?, bitRate: Int = 0, audio: AudioFormatText? = nil
    ) {
      self.elapsed = elapsed
      self.duration = duration
      self.bitRate = bitRate
      self.audio = audio
    }
  }

  /// The position and id of a song in the queue.
  package struct Place: Hashable, Sendable {
    package var position: UInt32
    /// The id, never reused for another song.
    package var id: UInt32

    package init(position: UInt32, id: UInt32) {
      self.position = position
      self.id = id
    }
  }

  /// The volume in percent; nil if it cannot be set.
  package var volume: Int?
  package var repeats = false
  package var random = false
  package var single = OneshotMode.off
  package var consume = OneshotMode.off
  /// The queue's version, 31 bits.
  package var playlistVersion: UInt32 = 1
  package var playlistLength = 0
  package var state = State.stop
  /// The current song, or after `stop` the song with which `play` starts.
  package var song: Place?
  /// The progress of the current song. Written only in the states `play` and `pause`.
  package var progress: Progress?
  /// The number of the database update in progress, otherwise of the next requested one; nil without either.
  package var updatingDatabase: UInt32?
  /// The last error of playback or of the output; nil if there is none.
  package var error: String?
  /// The song that follows the current one, automatically or after a pause.
  package var nextSong: Place?

  package init() {}

  package func write(into reply: inout Reply) {
    reply.reserve(512)
    if let volume { reply.append("volume", volume) }
    reply.append("repeat", repeats)
    reply.append("random", random)
    reply.append("single", single.rawValue)
    reply.append("consume", consume.rawValue)
    reply.append("partition", "default")
    reply.append("playlist", playlistVersion)
    reply.append("playlistlength", playlistLength)
    reply.append("mixrampdb", 0)
    reply.append("state", state.rawValue)
    if let song {
      reply.append("song", song.position)
      reply.append("songid", song.id)
    }
    if let progress, state != .stop { write(progress, into: &reply) }
    if let updatingDatabase { reply.append("updating_db", updatingDatabase) }
    if let error { reply.append("error", error) }
    if let nextSong {
      reply.append("nextsong", nextSong.position)
      reply.append("nextsongid", nextSong.id)
    }
  }

  private func write(_ progress: Progress, into reply: inout Reply) {
    // libmpdclient reads the duration from this line; 0 means unknown.
    let total = progress.duration?.roundedSeconds ?? 0
    reply.append("time") {
      $0.append(decimal: progress.elapsed.roundedSeconds)
      $0.append(Byte.colon)
      $0.append(decimal: total)
    }
    reply.append("elapsed", progress.elapsed)
    // In kbit/s. Clients expect this line; 0 means unknown.
    reply.append("bitrate", (progress.bitRate + 500) / 1000)
    if let duration = progress.duration { reply.append("duration", duration) }
    if let audio = progress.audio { reply.append("audio") { audio.write(into: &$0) } }
  }
}
