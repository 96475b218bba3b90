package import ControlProtocol

/// Assembles the lines of a watch into records. A record is complete with the last line of its kind: the next
/// record may begin much later.
package struct WatchReader {
  private var record = ReplyFields()

  package init() {}

  /// Adds a line and returns the records that it completes.
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
