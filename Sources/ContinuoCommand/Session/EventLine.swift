import AppLifecycle
import ControlProtocol
import HostTime
import TextFormatting

/// An event as a line of JSON Lines.
struct EventLine {
  /// The line, with its line feed.
  private(set) var bytes: [UInt8] = []

  /// The line for `event`, seen at `host`. A `time`, of which there are a hundred a second, takes 1 µs.
  init(_ event: PlayerEvent, host: HostTime) {
    let host = JSONValue.number(DecimalFraction.seconds(nanoseconds: UInt64(max(0, host.nanoseconds))))
    let json: JSONValue =
      switch event {
      case .currentItem(let index, let url):
        .object([
          "event": .string("currentItem"), "index": index.map { .number($0) } ?? .null,
          "url": .string(optional: url), "host": host,
        ])
      case .time(let index, let value, let timescale, let state):
        .object([
          "event": .string("time"), "index": .number(index), "value": .number(value),
          "timescale": .number(timescale), "state": .string(state.rawValue), "host": host,
        ])
      case .timeControlStatus(let status, let reason):
        .object([
          "event": .string("timeControlStatus"), "status": .string(status.rawValue),
          "reason": .string(optional: reason), "host": host,
        ])
      case .applicationState(let state):
        .object(["event": .string("applicationState"), "state": .string(state.rawValue), "host": host])
      case .didPlayToEndTime(let index):
        .object(["event": .string("didPlayToEndTime"), "index": .number(index), "host": host])
      case .failed(let index, let url, let error):
        .object([
          "event": .string("failed"), "index": .number(index), "url": .string(url), "error": .string(error),
          "host": host,
        ])
      case .finished: .object(["event": .string("finished"), "host": host])
      }
    json.append(to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }
}
