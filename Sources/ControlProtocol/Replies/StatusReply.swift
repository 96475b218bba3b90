/// What `status` answers.
package struct StatusReply: Hashable, Sendable {
  /// What the player does. `play` only while samples move.
  package enum State: String, Hashable, Sendable {
    case play
    case pause
    case stop
  }

  /// What is known of the current song while it plays or is paused.
  package struct Progress: Hashable, Sendable {
    /// How much of it has been heard.
    package var elapsed: Milliseconds
    /// How long it is; `nil` if not known.
    package var duration: Milliseconds?
    /// Its mean bits per second; 0 if not known.
    package var bitRate = 0
    /// What it is decoded to; `nil` until that is known.
    package var audio: AudioFormatText?

    /// All of it.
    package init(
      elapsed: Milliseconds, duration: Milliseconds?, bitRate: Int = 0, audio: AudioFormatText? = nil
    ) {
      self.elapsed = elapsed
      self.duration = duration
      self.bitRate = bitRate
      self.audio = audio
    }
  }

  /// A song by its place and its id.
  package struct Place: Hashable, Sendable {
    /// In the queue, from 0.
    package var position: UInt32
    /// Never used for another song.
    package var id: UInt32

    /// A place.
    package init(position: UInt32, id: UInt32) {
      self.position = position
      self.id = id
    }
  }

  /// In percent; `nil` without a volume to set.
  package var volume: Int?
  /// Whether the queue begins again at its end.
  package var repeats = false
  /// Whether the order is random.
  package var random = false
  /// Whether playback stops after the current song.
  package var single = OneshotMode.off
  /// Whether songs leave the queue when they were played.
  package var consume = OneshotMode.off
  /// The queue's version, 31 bits.
  package var playlistVersion: UInt32 = 1
  /// How many songs are in the queue.
  package var playlistLength = 0
  /// What the player does.
  package var state = State.stop
  /// The current song, or where `play` would go on after `stop`.
  package var song: Place?
  /// Only written in the states `play` and `pause`.
  package var progress: Progress?
  /// The update of the database that is under way, by its number.
  package var updatingDatabase: UInt32?
  /// Why there is no sound.
  package var error: String?
  /// The song that follows by itself.
  package var nextSong: Place?

  /// A stopped player with an empty queue.
  package init() {}

  /// The lines, in mpd's order.
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
    // libmpdclient takes the duration from here; 0 is "not known".
    let total = progress.duration?.roundedSeconds ?? 0
    reply.append("time") {
      $0.append(decimal: progress.elapsed.roundedSeconds)
      $0.append(Byte.colon)
      $0.append(decimal: total)
    }
    reply.append("elapsed", progress.elapsed)
    // In kbit/s. Clients expect the line; 0 is "not known".
    reply.append("bitrate", (progress.bitRate + 500) / 1000)
    if let duration = progress.duration { reply.append("duration", duration) }
    if let audio = progress.audio { reply.append("audio") { audio.write(into: &$0) } }
  }
}
