package import ControlProtocol
package import TextFormatting

/// Converts records of a watch to lines of text or to JSON.
package enum WatchLine {
  /// The fields whose numeric values become JSON numbers. Other values, such as a `status` of `playing`,
  /// become strings.
  private static let numbers: Set<String> = [
    "index", "songid", "elapsed", "time", "value", "timescale", "steps", "host", "status", "from", "attempt",
    "total", "bytes",
  ]
  /// The fields left out of the text, except for a `value` that is a title. The line already begins with the
  /// event, the host clock has an arbitrary origin, and `value` and `timescale` repeat the time.
  private static let details: Set<String> = ["event", "host", "value", "timescale"]
  /// The length of the longest event name, timeControlStatus.
  private static let nameColumns = 17

  /// Returns the record as a line of text for display.
  package static func text(_ record: ReplyFields) -> String {
    let isTitle = hasTextValue(record)
    let fields = record.fields.filter { !details.contains($0.name) || isTitle && $0.name == "value" }.map {
      field in
      "\(field.name) \(TerminalText.sanitized(field.value.description))"
    }
    let name = TerminalText.sanitized(record["event"] ?? "")
    guard !fields.isEmpty else { return name + "\n" }
    let gap = String(repeating: " ", count: max(0, nameColumns - name.count) + 2)
    return name + gap + fields.joined(separator: "  ") + "\n"
  }

  package static func json(_ record: ReplyFields) -> JSONValue {
    let isTitle = hasTextValue(record)
    return .object(
      record.fields.map { field in
        let text = field.value.description
        let isNumber = numbers.contains(field.name) && !(isTitle && field.name == "value")
        return JSONValue.Member(key: field.name, value: isNumber ? .number(written: text) : .string(text))
      })
  }

  /// Whether `value` is a text, such as a title, and not part of a time.
  private static func hasTextValue(_ record: ReplyFields) -> Bool {
    record["event"]?.description == "timedMetadata"
  }
}

/// Assembles the lines of a watch into records. A record is complete as soon as the last line of its kind
/// arrives, because the next record may begin much later.
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
