package import ControlProtocol

/// Puts the lines of a watch together to records. A record is complete with the line that is the last of its kind, and
/// not only when the next one begins: that may be long after.
package struct WatchReader {
  private var record = ReplyFields()

  package init() {}

  /// Takes a line; the records that are complete with it.
  package mutating func take(_ name: String, _ value: Argument) -> [ReplyFields] {
    var complete: [ReplyFields] = []
    if name == "event" { finish(&complete) }
    record.append(name, value)
    if name == Self.lastLine(of: record["event"]) { finish(&complete) }
    return complete
  }

  private mutating func finish(_ complete: inout [ReplyFields]) {
    if record["event"] != nil { complete.append(record) }
    record = ReplyFields()
  }

  private static func lastLine(of event: String?) -> String {
    switch event {
    case "alive": "event"
    case "coalesced": "steps"
    default: "host"
    }
  }
}
