internal import TextFormatting

/// Whether the player's time advances, with the names of AVPlayer's statuses.
package enum TimeControlStatus: String, Hashable, Sendable {
  case paused, waitingToPlayAtSpecifiedRate, playing
}

/// A record of a `watch`: an event and its time on the monotonic clock.
package struct WatchRecord: Hashable, Sendable {
  /// An event in the player, the application or the connection.
  package enum Event: Hashable, Sendable {
    /// The position in the file of the current song, regardless of the song's range: `value / timescale` seconds.
    case time(songID: UInt32, value: Int64, timescale: Int32)
    /// The current song changed; nil if there is none.
    case currentItem(StatusReply.Place?, url: String?)
    /// The time control status changed; `reason` is set while the player waits.
    case timeControlStatus(TimeControlStatus, reason: String?)
    /// The application's state changed: `active`, `inactive`, `background`, `suspended` or `notRunning`.
    case applicationState(String)
    case didPlayToEndTime(StatusReply.Place)
    case failed(StatusReply.Place, url: String, error: String)
    case timeJumped(StatusReply.Place, elapsed: Milliseconds)
    /// Sound stopped because the song's data did not arrive in time or the output was lost; playback resumes
    /// automatically.
    case stalled(StatusReply.Place)
    /// Progress of loading the song: the loaded ranges, the stored bytes, and the total in bytes if known.
    case loaded(StatusReply.Place, ranges: [Range<Milliseconds>], bytes: Int64, total: Int64?)
    case network(StatusReply.Place, NetworkReport)
    /// Timed metadata of the stream, valid from that time of the song onward.
    case timedMetadata(StatusReply.Place, identifier: String, value: String, time: Milliseconds)
    /// The client read too slowly, or the server was busy, so `steps` records were dropped before the next
    /// one.
    case coalesced(steps: Int)
    /// No record was sent to the client for a while; the connection is alive.
    case alive

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

    /// The value of a field; nil for one that the event lacks.
    package enum Value: Hashable, Sendable {
      case song(StatusReply.Place?)
      case text(String?)
      case number(Int64?)
      case time(Milliseconds)
      case ranges([Range<Milliseconds>])
    }

    /// The fields in order, without the event's name and `host`. Empty for `alive`, and for `time`, whose
    /// fields are written directly because its records are by far the most frequent.
    package var fields: KeyValuePairs<String, Value> {
      switch self {
      case .time, .alive: [:]
      case .currentItem(let song, let url): ["index": .song(song), "url": .text(url)]
      case .timeControlStatus(let status, let reason):
        ["status": .text(status.rawValue), "reason": .text(reason)]
      case .applicationState(let state): ["state": .text(state)]
      case .didPlayToEndTime(let song), .stalled(let song): ["index": .song(song)]
      case .failed(let song, let url, let error):
        ["index": .song(song), "url": .text(url), "error": .text(error)]
      case .timeJumped(let song, let elapsed): ["index": .song(song), "elapsed": .time(elapsed)]
      case .loaded(let song, let ranges, let bytes, let total):
        [
          "index": .song(song), "ranges": .ranges(ranges), "bytes": .number(bytes),
          "total": .number(total),
        ]
      case .network(let song, let report):
        [
          "index": .song(song), "what": .text(report.what.rawValue), "url": .text(report.url),
          "status": .number(report.status.map(Int64.init)), "from": .number(report.from),
          "attempt": .number(report.attempt.map(Int64.init)), "total": .number(report.total),
          "error": .text(report.error),
        ]
      case .timedMetadata(let song, let identifier, let value, let time):
        [
          "index": .song(song), "identifier": .text(identifier), "value": .text(value),
          "time": .time(time),
        ]
      case .coalesced(let steps): ["steps": .number(Int64(steps))]
      }
    }
  }

  package var event: Event
  /// The time of the event, in nanoseconds of the monotonic clock. Not written with `coalesced` and `alive`.
  package var host: UInt64

  package init(_ event: Event, host: UInt64 = 0) {
    self.event = event
    self.host = host
  }

  package func write(into reply: inout Reply) {
    if case .time(let songID, let value, let timescale) = event {
      return reply.bytes.append(upTo: 192) { text in
        text.append("event: time\nsongid: ")
        text.append(decimal: Int64(songID))
        text.append("\nelapsed: ")
        text.append(value: value, timescale: timescale)
        text.append("\nvalue: ")
        text.append(decimal: value)
        text.append("\ntimescale: ")
        text.append(decimal: Int64(timescale))
        text.append("\nhost: ")
        text.append(secondsOf: host)
        text.append("\n")
      }
    }
    reply.append("event", event.name)
    Self.write(event.fields, into: &reply)
    switch event {
    case .coalesced, .alive: break
    default: reply.append("host") { $0.append(upTo: 32) { $0.append(secondsOf: host) } }
    }
  }

  private static func write(_ fields: KeyValuePairs<String, Event.Value>, into reply: inout Reply) {
    for (name, value) in fields {
      switch value {
      case .song(let song?):
        reply.append(name, song.position)
        reply.append("songid", song.id)
      case .text(let text?): reply.append(name, text)
      case .number(let number?): reply.append(name, number)
      case .time(let time): reply.append(name, time)
      case .ranges(let ranges):
        reply.append(
          name, ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ","))
      case .song(nil), .text(nil), .number(nil): break
      }
    }
  }

  package var bytes: [UInt8] {
    var reply = Reply()
    write(into: &reply)
    return reply.bytes
  }
}

/// An event of a song's transfer from the network.
package struct NetworkReport: Hashable, Sendable {
  package enum What: String, Hashable, Sendable {
    case request
    case response
    /// The request has failed; another one will follow.
    case retry
    /// The server has a different version of the song.
    case changed
    /// All bytes from the reader's position to the end are stored.
    case complete
    /// The transfer has failed permanently.
    case lost
  }

  package var what: What
  /// The URL of the responding server, without credentials.
  package var url: String?
  /// The HTTP status code of a response.
  package var status: Int?
  /// The first requested byte; in a response, the first byte of its range.
  package var from: Int64?
  /// The number of the request, from 1.
  package var attempt: Int?
  /// The total size in bytes.
  package var total: Int64?
  package var error: String?

  package init(_ what: What) { self.what = what }
}
