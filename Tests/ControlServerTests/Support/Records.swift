import ControlProtocol
import TestSupport
import Testing

extension WatchRecord {
  static func step(_ number: Int) -> WatchRecord {
    WatchRecord(.time(songID: 1, value: Int64(number), timescale: 100), host: 1)
  }
  static let ended = WatchRecord(.didPlayToEndTime(Song(index: 0, id: 1)), host: 1)
}

extension ControlConnection {
  /// The next record. Its last field is known: `host`, but for those that the server makes itself.
  func fields() throws -> [String: String] {
    var fields: [String: String] = [:]
    while true {
      let line = try line()
      let parts = line.split(separator: ":", maxSplits: 1)
      fields[String(parts[0])] = parts.count > 1 ? String(parts[1].dropFirst()) : ""
      if ["host", "steps"].contains(parts[0]) || line == "event: alive" { return fields }
    }
  }

  static func step(_ fields: [String: String]) -> Int? {
    fields["event"] == "time" ? fields["value"].flatMap { Int($0) } : nil
  }

  /// The step of the next record.
  func step() throws -> Int {
    let fields = try fields()
    return try #require(Self.step(fields), "\(fields)")
  }
}
