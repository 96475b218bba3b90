import AppLifecycle
import Clocks
import ControlProtocol
import TextFormatting

struct EventLine {
  /// The name of the event, by which `--events-without` leaves it out.
  let name: String
  /// The line, with its line feed.
  private(set) var bytes: [UInt8] = []
  /// The part of a time event's line between value and host time. Cached, because only a change of the
  /// timescale or the application state changes it.
  private var middle = (timescale: Int32(0), state: ApplicationState.notRunning, text: "")

  /// Creates an empty line, for `setTime`.
  init() { name = EventNames.time }

  /// Creates the line of an event, observed at `host`; nil for events that `--events` does not report, and
  /// for times.
  init?(_ event: WatchRecord.Event, host: HostTime) {
    switch event {
    case .time, .timeJumped, .coalesced, .alive: return nil
    default: self.init(event.name, event.fields.map { ($0, JSONValue($1)) }, host)
    }
  }

  /// Replaces the contents by the line for a call of the periodic observer, at `value / timescale` seconds of
  /// the item, and returns the bytes. `index` is the song's position in the queue, from 0. Keeps the storage,
  /// because about a hundred of these lines are written each second at normal speed.
  mutating func setTime(
    index: Int, value: Int64, timescale: Int32, state: ApplicationState, host: HostTime
  ) -> [UInt8] {
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
    return bytes
  }

  static func finished(host: HostTime) -> EventLine { EventLine("finished", [:], host) }

  /// Creates a line with the given members after the name and before the time.
  init(_ name: String, _ members: KeyValuePairs<String, JSONValue>, _ host: HostTime) {
    self.init(name, members.map { ($0, $1) }, host)
  }

  private init(_ name: String, _ members: [(String, JSONValue)], _ host: HostTime) {
    self.name = name
    let seconds = DecimalFraction.seconds(nanoseconds: UInt64(max(0, host.nanoseconds)))
    let all = [("event", JSONValue.string(name))] + members + [("host", .number(seconds))]
    bytes = JSONValue.object(all.map { JSONValue.Member(key: $0, value: $1) }).line
  }
}

extension JSONValue {
  fileprivate init(_ value: WatchRecord.Event.Value) {
    self =
      switch value {
      case .song(let song): song.map { .number($0.position) } ?? .null
      case .text(let text): .string(optional: text)
      case .number(let number): number.map { .number($0) } ?? .null
      case .time(let time): .seconds(time)
      case .ranges(let ranges):
        .array(ranges.map { .array([.seconds($0.lowerBound), .seconds($0.upperBound)]) })
      }
  }

  /// Returns a number of seconds with three decimals.
  fileprivate static func seconds(_ time: Milliseconds) -> JSONValue { .number("\(time)") }
}
