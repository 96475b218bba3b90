package import ControlProtocol
package import TestSupport

extension WatchRecord {
  package static func step(_ number: Int) -> WatchRecord {
    WatchRecord(.time(songID: 1, value: Int64(number), timescale: 100), host: 1)
  }
  package static let ended = WatchRecord(.didPlayToEndTime(StatusReply.Place(position: 0, id: 1)), host: 1)
}

extension ControlConnection {
  /// The next record. Its last field is known: `host`, but for those that the server makes itself.
  package func fields() throws -> [String: String] {
    var fields: [String: String] = [:]
    while true {
      let line = try line()
      let parts = line.split(separator: ":", maxSplits: 1)
      fields[String(parts[0])] = parts.count > 1 ? String(parts[1].dropFirst()) : ""
      if ["host", "steps"].contains(parts[0]) || line == "event: alive" { return fields }
    }
  }

  package static func step(_ fields: [String: String]) -> Int? {
    fields["event"] == "time" ? fields["value"].flatMap { Int($0) } : nil
  }

  /// The step of the next record.
  package func step() throws -> Int {
    let fields = try fields()
    guard let step = Self.step(fields) else { throw NoStep(fields: fields) }
    return step
  }
}

/// A record is not the time step that was expected.
private struct NoStep: Error { let fields: [String: String] }
