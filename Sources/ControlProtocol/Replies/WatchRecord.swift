internal import TextFormatting

/// Whether time moves in the player, by the names of AVPlayer's statuses.
package enum TimeControlStatus: String, Hashable, Sendable {
  case paused, waitingToPlayAtSpecifiedRate, playing
}

/// One record of a `watch`: what happened, and the monotonic clock's time when it was seen.
package struct WatchRecord: Hashable, Sendable {
  /// What happened.
  package enum Event: Hashable, Sendable {
    /// The time of the current song, `value / timescale` seconds.
    case time(songID: UInt32, value: Int64, timescale: Int32)
    /// Another song is the current one, or none.
    case currentItem(StatusReply.Place?, url: String?)
    /// Whether time moves, and why it waits.
    case timeControlStatus(TimeControlStatus, reason: String?)
    /// `active`, `inactive`, `background`, `suspended` or `notRunning`.
    case applicationState(String)
    /// The song was played to its end.
    case didPlayToEndTime(StatusReply.Place)
    /// The song cannot be played.
    case failed(StatusReply.Place, url: String, error: String)
    /// The time of the song did not go on from where it was.
    case timeJumped(StatusReply.Place, elapsed: Milliseconds)
    /// Sound has stopped because more of the song did not come in time; it goes on by itself.
    case stalled(StatusReply.Place)
    /// So much of the song is there: these parts of its time, so many bytes, of how many if that is known.
    case loaded(StatusReply.Place, ranges: [Range<Milliseconds>], bytes: Int64, total: Int64?)
    /// Something happened to the song on the network.
    case network(StatusReply.Place, NetworkReport)
    /// What the stream says about itself from now on, at that time of the song.
    case timedMetadata(StatusReply.Place, identifier: String, value: String, time: Milliseconds)
    /// The client read too slowly: so many time steps were left out before the next record.
    case coalesced(steps: Int)
    /// Nothing happened for a while; the connection lives.
    case alive

    /// Its name, the value of the field `event`.
    package var name: String {
      switch self {
      case .time: "time"
      case .currentItem: "currentItem"
      case .timeControlStatus: "timeControlStatus"
      case .applicationState: "applicationState"
      case .didPlayToEndTime: "didPlayToEndTime"
      case .failed: "failed"
      case .timeJumped: "timeJumped"
      case .stalled: "stalled"
      case .loaded: "loaded"
      case .network: "network"
      case .timedMetadata: "timedMetadata"
      case .coalesced: "coalesced"
      case .alive: "alive"
      }
    }
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

  /// The lines, `event` first.
  package func write(into reply: inout Reply) {
    reply.append("event", event.name)
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
    case .didPlayToEndTime(let song), .stalled(let song):
      Self.write(song, into: &reply)
    case .failed(let song, let url, let error):
      Self.write(song, into: &reply)
      reply.append("url", url)
      reply.append("error", error)
    case .timeJumped(let song, let elapsed):
      Self.write(song, into: &reply)
      reply.append("elapsed", elapsed)
    case .loaded(let song, let ranges, let bytes, let total):
      Self.write(song, into: &reply)
      reply.append("ranges", ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ","))
      reply.append("bytes", bytes)
      if let total { reply.append("total", total) }
    case .network(let song, let report):
      Self.write(song, into: &reply)
      reply.append("what", report.what.rawValue)
      if let url = report.url { reply.append("url", url) }
      if let status = report.status { reply.append("status", status) }
      if let from = report.from { reply.append("from", from) }
      if let attempt = report.attempt { reply.append("attempt", attempt) }
      if let total = report.total { reply.append("total", total) }
      if let error = report.error { reply.append("error", error) }
    case .timedMetadata(let song, let identifier, let value, let time):
      Self.write(song, into: &reply)
      reply.append("identifier", identifier)
      reply.append("value", value)
      reply.append("time", time)
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

  private static func write(_ song: StatusReply.Place, into reply: inout Reply) {
    reply.append("index", song.position)
    reply.append("songid", song.id)
  }
}
