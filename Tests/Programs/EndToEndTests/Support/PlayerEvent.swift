import Foundation

/// A line of `--events`, read strictly: the fields and their order are as the grammar says, or it is none.
enum PlayerEvent: Hashable, Sendable {
  case currentItem(index: Int?, url: String?)
  case time(index: Int, value: Int64, timescale: Int32, state: String)
  case timeControlStatus(String, reason: String?)
  case applicationState(String)
  case didPlayToEndTime(index: Int)
  case failed(index: Int, url: String, error: String)
  case stalled(index: Int)
  case loaded(index: Int, ranges: [[Double]], bytes: Int64, total: Int64?)
  case network(index: Int, Network)
  case timedMetadata(index: Int, identifier: String, value: String, time: Double)
  case finished

  /// What happened to a song on the network.
  struct Network: Hashable, Sendable {
    var what: String
    var url: String?
    var status: Int?
    var from: Int?
    var attempt: Int?
    var total: Int?
    var error: String?
  }

  /// Whether a player would say this: anything but the state of the application.
  var isOfThePlayer: Bool { if case .applicationState = self { false } else { true } }
  /// Whether it is a time step.
  var isTime: Bool { if case .time = self { true } else { false } }
}

/// An event and when its observer ran.
struct SeenEvent: Sendable {
  let event: PlayerEvent
  /// Seconds of the monotonic clock.
  let host: Double

  /// Reads a line; nil if it is not exactly what the grammar says.
  init?(line: String) {
    guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
      let name = object["event"] as? String,
      let comma = line.range(of: ",\"host\":", options: .backwards), line.hasSuffix("}")
    else { return nil }
    let host = line[comma.upperBound...].dropLast()
    let point = host.firstIndex(of: ".") ?? host.endIndex
    guard host.allSatisfy({ $0 == "." || $0.isASCII && $0.isNumber }), host[point...].count == 7,
      let seconds = Double(host)
    else { return nil }
    self.host = seconds
    func integer(_ key: String) -> Int? { (object[key] as? NSNumber)?.intValue }
    func text(_ key: String) -> String? { object[key] as? String }

    // What the line must be, up to the host time, is written again from what was read.
    let expected: String
    switch name {
    case "currentItem":
      event = .currentItem(index: integer("index"), url: text("url"))
      expected =
        "\"index\":\(integer("index").map(String.init) ?? "null"),\"url\":\(Self.quoted(text("url")))"
    case "time":
      guard let index = integer("index"), let value = integer("value"), let scale = integer("timescale"),
        let state = text("state")
      else { return nil }
      event = .time(index: index, value: Int64(value), timescale: Int32(scale), state: state)
      expected =
        "\"index\":\(index),\"value\":\(value),\"timescale\":\(scale),\"state\":\(Self.quoted(state))"
    case "timeControlStatus":
      guard let status = text("status") else { return nil }
      event = .timeControlStatus(status, reason: text("reason"))
      expected = "\"status\":\(Self.quoted(status)),\"reason\":\(Self.quoted(text("reason")))"
    case "applicationState":
      guard let state = text("state") else { return nil }
      event = .applicationState(state)
      expected = "\"state\":\(Self.quoted(state))"
    case "didPlayToEndTime":
      guard let index = integer("index") else { return nil }
      event = .didPlayToEndTime(index: index)
      expected = "\"index\":\(index)"
    case "failed":
      guard let index = integer("index"), let url = text("url"), let error = text("error") else { return nil }
      event = .failed(index: index, url: url, error: error)
      expected = "\"index\":\(index),\"url\":\(Self.quoted(url)),\"error\":\(Self.quoted(error))"
    case "stalled":
      guard let index = integer("index") else { return nil }
      event = .stalled(index: index)
      expected = "\"index\":\(index)"
    case "loaded":
      guard let index = integer("index"), let bytes = integer("bytes"),
        let ranges = object["ranges"] as? [[NSNumber]]
      else { return nil }
      event = .loaded(
        index: index, ranges: ranges.map { $0.map(\.doubleValue) }, bytes: Int64(bytes),
        total: integer("total").map { Int64($0) })
      let times = ranges.map { range in
        "[\(range.map { String(format: "%.3f", $0.doubleValue) }.joined(separator: ","))]"
      }
      expected =
        "\"index\":\(index),\"ranges\":[\(times.joined(separator: ","))],\"bytes\":\(bytes),"
        + "\"total\":\(Self.number(integer("total")))"
    case "network":
      guard let index = integer("index"), let what = text("what") else { return nil }
      let seen = PlayerEvent.Network(
        what: what, url: text("url"), status: integer("status"), from: integer("from"),
        attempt: integer("attempt"), total: integer("total"), error: text("error"))
      event = .network(index: index, seen)
      let fields: [(String, String)] = [
        ("index", String(index)), ("what", Self.quoted(what)), ("url", Self.quoted(seen.url)),
        ("status", Self.number(seen.status)), ("from", Self.number(seen.from)),
        ("attempt", Self.number(seen.attempt)), ("total", Self.number(seen.total)),
        ("error", Self.quoted(seen.error)),
      ]
      expected = fields.map { name, value in "\"\(name)\":\(value)" }.joined(separator: ",")
    case "timedMetadata":
      guard let index = integer("index"), let identifier = text("identifier"), let value = text("value"),
        let time = (object["time"] as? NSNumber)?.doubleValue
      else { return nil }
      event = .timedMetadata(index: index, identifier: identifier, value: value, time: time)
      expected =
        "\"index\":\(index),\"identifier\":\(Self.quoted(identifier)),\"value\":\(Self.quoted(value)),"
        + "\"time\":\(String(format: "%.3f", time))"
    case "finished":
      event = .finished
      expected = ""
    default: return nil
    }
    let body = "{\"event\":\"\(name)\"" + (expected.isEmpty ? "" : ",\(expected)")
    guard line[..<comma.lowerBound] == body else { return nil }
  }

  private static func number(_ number: Int?) -> String { number.map(String.init) ?? "null" }

  private static func quoted(_ text: String?) -> String {
    guard let text else { return "null" }
    let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(
      of: "\"", with: "\\\"")
    return "\"\(escaped)\""
  }
}

/// What was seen, in questions that tests ask.
extension [SeenEvent] {
  /// The events without their times.
  var events: [PlayerEvent] { map(\.event) }

  /// The time steps of an item, in the order in which they came: hundredths of a second and when each was called.
  func steps(of index: Int) -> [(value: Int64, host: Double)] {
    compactMap { seen in
      guard case .time(index, let value, 100, _) = seen.event else { return nil }
      return (value, seen.host)
    }
  }

  /// The longest time between two steps of an item that follow each other, in seconds: time stands still meanwhile.
  func longestWait(of index: Int) -> Double {
    let hosts = steps(of: index).map(\.host)
    return zip(hosts, hosts.dropFirst()).map { $1 - $0 }.max() ?? 0
  }

  /// Whether nothing came between a suspension and the state after that, and no step says that it came there.
  var isQuietWhileSuspended: Bool {
    zip(events, events.dropFirst()).allSatisfy { event, next in
      event != .applicationState("suspended") || !next.isOfThePlayer
    }
      && !events.contains { if case .time(_, _, _, "suspended") = $0 { true } else { false } }
  }

  /// All but time steps.
  var withoutTime: [PlayerEvent] { events.filter { !$0.isTime } }

  /// What happened to an item on the network.
  func network(of index: Int) -> [PlayerEvent.Network] {
    events.compactMap { if case .network(index, let seen) = $0 { seen } else { nil } }
  }

  /// When an event was seen first.
  func host(of event: PlayerEvent) -> Double? { first { $0.event == event }?.host }
}
