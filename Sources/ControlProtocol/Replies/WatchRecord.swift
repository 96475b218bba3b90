internal import TextFormatting

/// Whether time moves in the player, by the names of AVPlayer's statuses.
package enum TimeControlStatus: String, Hashable, Sendable {
  case paused, waitingToPlayAtSpecifiedRate, playing
}

/// One record of a `watch`: what happened, and the monotonic clock's time when it was seen.
package struct WatchRecord: Hashable, Sendable {
  /// A song that a record is about.
  package struct Song: Hashable, Sendable {
    /// Its place in the queue, from 0.
    package var index: Int
    /// Its id.
    package var id: UInt32

    /// A song.
    package init(index: Int, id: UInt32) {
      self.index = index
      self.id = id
    }
  }

  /// What happened.
  package enum Event: Hashable, Sendable {
    /// The time of the current song, `value / timescale` seconds.
    case time(songID: UInt32, value: Int64, timescale: Int32)
    /// Another song is the current one, or none.
    case currentItem(Song?, url: String?)
    /// Whether time moves, and why it waits.
    case timeControlStatus(TimeControlStatus, reason: String?)
    /// `active`, `inactive`, `background`, `suspended` or `notRunning`.
    case applicationState(String)
    /// The song was played to its end.
    case didPlayToEndTime(Song)
    /// The song cannot be played.
    case failed(Song, url: String, error: String)
    /// The time of the song did not go on from where it was.
    case timeJumped(Song, elapsed: Milliseconds)
    /// The client read too slowly: so many time steps were left out before the next record.
    case coalesced(steps: Int)
    /// Nothing happened for a while; the connection lives.
    case alive
  }

  /// What an event is about, by its name on the wire: of two of one kind, the newer is all that a client needs that
  /// missed both.
  package enum Kind: String, Hashable, Sendable {
    case time, currentItem, timeControlStatus, applicationState, didPlayToEndTime, failed, timeJumped,
      coalesced, alive
  }

  /// What happened.
  package var event: Event
  /// When it was seen, in nanoseconds of the monotonic clock. Not written with `coalesced` and `alive`.
  package var host: UInt64

  /// A record.
  package init(_ event: Event, host: UInt64 = 0) {
    self.event = event
    self.host = host
  }

  /// Whether it is a time step: what `watch time` asks for and what may be left out for a slow reader.
  package var isTime: Bool { event.kind == .time }

  /// The lines, `event` first.
  package func write(into reply: inout Reply) {
    reply.append("event", event.kind.rawValue)
    switch event {
    case .time(let songID, let value, let timescale):
      reply.append("songid", songID)
      reply.append("elapsed", DecimalFraction.text(value: value, timescale: timescale))
      reply.append("value", value)
      reply.append("timescale", timescale)
    case .currentItem(let song, let url):
      if let song { Self.write(song, into: &reply) }
      if let url { reply.append("url", url) }
    case .timeControlStatus(let status, let reason):
      reply.append("status", status.rawValue)
      if let reason { reply.append("reason", reason) }
    case .applicationState(let state):
      reply.append("state", state)
    case .didPlayToEndTime(let song):
      Self.write(song, into: &reply)
    case .failed(let song, let url, let error):
      Self.write(song, into: &reply)
      reply.append("url", url)
      reply.append("error", error)
    case .timeJumped(let song, let elapsed):
      Self.write(song, into: &reply)
      reply.append("elapsed", elapsed)
    case .coalesced(let steps):
      reply.append("steps", steps)
      return
    case .alive: return
    }
    reply.append("host", DecimalFraction.seconds(nanoseconds: host))
  }

  /// The record as bytes to send.
  package var bytes: [UInt8] {
    var reply = Reply()
    write(into: &reply)
    return reply.bytes
  }

  private static func write(_ song: Song, into reply: inout Reply) {
    reply.append("index", song.index)
    reply.append("songid", song.id)
  }
}

extension WatchRecord.Event {
  /// What it is about.
  package var kind: WatchRecord.Kind {
    switch self {
    case .time: .time
    case .currentItem: .currentItem
    case .timeControlStatus: .timeControlStatus
    case .applicationState: .applicationState
    case .didPlayToEndTime: .didPlayToEndTime
    case .failed: .failed
    case .timeJumped: .timeJumped
    case .coalesced: .coalesced
    case .alive: .alive
    }
  }
}
