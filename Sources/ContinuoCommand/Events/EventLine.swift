import AppLifecycle
import HostTime
import TextFormatting

/// Writes events as JSON Lines, byte by byte into a buffer that is used again: with a hundred lines a second, what
/// an encoder makes of intermediate objects would be a good part of the process's CPU time.
struct EventLine {
  /// The lines that were appended, each with its line feed.
  private(set) var bytes: [UInt8] = []

  /// Forgets all lines and keeps their room.
  mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  /// Appends the line for `event`, seen at `host`.
  mutating func append(_ event: PlayerEvent, host: HostTime) {
    switch event {
    case .currentItem(let index, let url):
      open("currentItem")
      key("index")
      optional(index) { $0.number(Int64($1)) }
      key("url")
      optional(url) { $0.string($1) }
    case .time(let index, let value, let timescale, let state):
      open("time")
      key("index")
      number(Int64(index))
      key("value")
      number(value)
      key("timescale")
      number(Int64(timescale))
      key("state")
      string(state.rawValue)
    case .timeControlStatus(let status, let reason):
      open("timeControlStatus")
      key("status")
      string(status.rawValue)
      key("reason")
      optional(reason) { $0.string($1) }
    case .applicationState(let state):
      open("applicationState")
      key("state")
      string(state.rawValue)
    case .didPlayToEndTime(let index):
      open("didPlayToEndTime")
      key("index")
      number(Int64(index))
    case .failed(let index, let url, let error):
      open("failed")
      key("index")
      number(Int64(index))
      key("url")
      string(url)
      key("error")
      string(error)
    case .finished:
      open("finished")
    }
    close(host)
  }

  private mutating func open(_ event: StaticString) {
    raw("{\"event\":\"")
    raw(event)
    raw("\"")
  }

  private mutating func key(_ name: StaticString) {
    raw(",\"")
    raw(name)
    raw("\":")
  }

  /// The time in seconds with six decimals, rounded down, and the end of the line.
  private mutating func close(_ host: HostTime) {
    key("host")
    // A clock starts at 0 or later; less than that would be a negative remainder here.
    let microseconds = max(0, host.nanoseconds) / 1000
    number(microseconds / 1_000_000)
    bytes.append(UInt8(ascii: "."))
    var divisor: Int64 = 100_000
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(microseconds / divisor % 10))
      divisor /= 10
    }
    raw("}\n")
  }

  private mutating func raw(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  private mutating func optional<Value>(_ value: Value?, _ append: (inout Self, Value) -> Void) {
    if let value { append(&self, value) } else { raw("null") }
  }

  private mutating func number(_ value: Int64) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    var rest = value.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  private mutating func string(_ text: String) { bytes.appendJSON(text) }
}
