/// What `status` answers.
public struct StatusReply: Hashable, Sendable {
  /// What the player does. `play` only while samples move.
  public enum State: String, Hashable, Sendable {
    case play
    case pause
    case stop
  }

  /// What is known of the current song while it plays or is paused.
  public struct Progress: Hashable, Sendable {
    /// How much of it has been heard.
    public var elapsed: Milliseconds
    /// How long it is; `nil` if not known.
    public var duration: Milliseconds?
    /// In kbit/s; 0 if not known.
    public var bitrate: Int
    /// What it is decoded to; `nil` until that is known.
    public var audio: AudioFormatText?

    /// All of it.
    public init(
      elapsed: Milliseconds, duration: Milliseconds?, bitrate: Int = 0, audio: AudioFormatText? = nil
    ) {
      self.elapsed = elapsed
      self.duration = duration
      self.bitrate = bitrate
      self.audio = audio
    }
  }

  /// A song by its place and its id.
  public struct Place: Hashable, Sendable {
    /// In the queue, from 0.
    public var position: UInt32
    /// Never used for another song.
    public var id: UInt32

    /// A place.
    public init(position: UInt32, id: UInt32) {
      self.position = position
      self.id = id
    }
  }

  /// In percent; `nil` without a volume to set.
  public var volume: Int?
  /// Whether the queue begins again at its end.
  public var repeats = false
  /// Whether the order is random.
  public var random = false
  /// Whether playback stops after the current song.
  public var single = OneshotMode.off
  /// Whether songs leave the queue when they were played.
  public var consume = OneshotMode.off
  /// The queue's version, 31 bits.
  public var playlistVersion: UInt32 = 1
  /// How many songs are in the queue.
  public var playlistLength = 0
  /// What the player does.
  public var state = State.stop
  /// In seconds; 0 has no line.
  public var crossfade: UInt32 = 0
  /// The current song, or where `play` would go on after `stop`.
  public var song: Place?
  /// Only written in the states `play` and `pause`.
  public var progress: Progress?
  /// Why there is no sound.
  public var error: String?
  /// The song that follows by itself.
  public var nextSong: Place?

  /// A stopped player with an empty queue.
  public init() {}

  /// The lines, in mpd's order.
  public func write(into reply: inout Reply) {
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
    if crossfade > 0 { reply.append("xfade", crossfade) }
    if let song {
      reply.append("song", song.position)
      reply.append("songid", song.id)
    }
    if let progress, state != .stop { write(progress, into: &reply) }
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
    reply.append("bitrate", progress.bitrate)
    if let duration = progress.duration { reply.append("duration", duration) }
    if let audio = progress.audio { reply.append("audio") { audio.write(into: &$0) } }
  }
}
