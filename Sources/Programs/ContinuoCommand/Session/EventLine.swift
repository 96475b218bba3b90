import AppLifecycle
import Clocks
import ControlProtocol
import TextFormatting

struct EventLine {
  /// The name of the event, by which `--events-without` leaves it out.
  let name: String
  /// The line, with its line feed.
  private(set) var bytes: [UInt8] = []
  /// The part of a time's line between the value and the host's time, which is mostly the same.
  private var middle = (timescale: Int32(0), state: ApplicationState.notRunning, text: "")

  /// Creates an empty line, for `setTime`.
  init() { name = EventNames.time }

  /// Creates the line of an event, observed at `host`; nil for events that `--events` does not report, and
  /// for times.
  init?(_ event: WatchRecord.Event, host: HostTime) {
    let members: KeyValuePairs<String, JSONValue>
    switch event {
    case .currentItem(let song, let url):
      members = ["index": song.map { .number($0.position) } ?? .null, "url": .string(optional: url)]
    case .timeControlStatus(let status, let reason):
      members = ["status": .string(status.rawValue), "reason": .string(optional: reason)]
    case .applicationState(let state): members = ["state": .string(state)]
    case .didPlayToEndTime(let song): members = ["index": .number(song.position)]
    case .failed(let song, let url, let error):
      members = ["index": .number(song.position), "url": .string(url), "error": .string(error)]
    case .stalled(let song): members = ["index": .number(song.position)]
    case .loaded(let song, let ranges, let bytes, let total):
      members = [
        "index": .number(song.position),
        "ranges": .array(ranges.map { .array([.seconds($0.lowerBound), .seconds($0.upperBound)]) }),
        "bytes": .number(bytes), "total": .number(optional: total),
      ]
    case .network(let song, let report):
      members = [
        "index": .number(song.position), "what": .string(report.what.rawValue),
        "url": .string(optional: report.url), "status": .number(optional: report.status),
        "from": .number(optional: report.from), "attempt": .number(optional: report.attempt),
        "total": .number(optional: report.total), "error": .string(optional: report.error),
      ]
    case .timedMetadata(let song, let identifier, let value, let time):
      members = [
        "index": .number(song.position), "identifier": .string(identifier), "value": .string(value),
        "time": .seconds(time),
      ]
    case .time, .timeJumped, .coalesced, .alive: return nil
    }
    self.init(event.name, members, host)
  }

  /// Replaces the contents by the line for a call of the periodic observer, at `value / timescale` seconds of
  /// the item, and returns the line. Keeps the storage, because these lines are a hundred times as many as all
  /// others.
  mutating func setTime(
    index: Int, value: Int64, timescale: Int32, state: ApplicationState, host: HostTime
  ) -> EventLine {
    if middle.timescale != timescale || middle.state != state {
      let text = #","timescale":\#(timescale),"state":"\#(state.rawValue)","host":"#
      middle = (timescale, state, text)
    }
    bytes.removeAll(keepingCapacity: true)
    bytes.append(upTo: 192) { text in
      text.append(#"{"event":"time","index":"#)
      text.append(decimal: Int64(index))
      text.append(#","value":"#)
      text.append(decimal: value)
      text.append(utf8: middle.text)
      text.append(secondsOf: UInt64(max(0, host.nanoseconds)))
      text.append("}\n")
    }
    return self
  }

  static func finished(host: HostTime) -> EventLine { EventLine("finished", [:], host) }

  /// Creates a line with the given members after the name and before the time.
  init(_ name: String, _ members: KeyValuePairs<String, JSONValue>, _ host: HostTime) {
    self.name = name
    let seconds = DecimalFraction.seconds(nanoseconds: UInt64(max(0, host.nanoseconds)))
    let all = [("event", JSONValue.string(name))] + members.map { ($0, $1) } + [("host", .number(seconds))]
    bytes = JSONValue.object(all.map { JSONValue.Member(key: $0, value: $1) }).line
  }
}

extension JSONValue {
  /// Returns a number of seconds with three decimals.
  fileprivate static func seconds(_ time: Milliseconds) -> JSONValue { .number("\(time)") }

  fileprivate static func number(optional number: (some BinaryInteger)?) -> JSONValue {
    number.map { .number($0) } ?? .null
  }
}
