package import TextFormatting

/// The application's life cycle, as a server reports it.
package struct RemoteLifecycle: Hashable, Sendable {
  struct OpenTask: Hashable, Sendable {
    var name: String
    /// The age in seconds, in the server's own digits.
    var age: String
  }

  private let fields: ReplyFields
  private let tasks: [OpenTask]

  package init(_ fields: ReplyFields) {
    self.fields = fields
    tasks = fields.records(from: "task").map { record in
      let age = record["begun"] ?? ""
      return OpenTask(name: record["task"] ?? "", age: String(age.prefix { $0 != " " }))
    }
  }

  /// Returns the words of a comma-separated list, without `none`.
  private func list(_ name: String) -> [String] {
    (fields[name] ?? "").split(separator: ",").map(String.init).filter { $0 != "none" }
  }

  private var termination: (code: String, reason: String)? {
    guard let text = fields["terminated"] else { return nil }
    let code = text.prefix { $0 != " " }
    return (String(code), String(text.dropFirst(code.count + 1)))
  }

  private var remaining: String? { fields["backgroundtimeremaining"].flatMap { $0 == "inf" ? nil : $0 } }

  package var text: String {
    var table = FieldTable()
    table.add("application", fields["application"])
    table.add("background modes", Self.words(list("backgroundmodes")))
    table.add("kept running by", Self.words(list("keptrunningby")))
    table.add("background time", remaining.map { "\($0) s left" } ?? "unlimited")
    for task in tasks { table.add("task", "\(task.name), begun \(task.age) s ago") }
    table.add("terminated", termination.map { "\($0.code) \($0.reason)" })
    return table.text
  }

  private static func words(_ list: [String]) -> String {
    list.isEmpty ? "none" : list.joined(separator: ", ")
  }

  package var json: JSONValue {
    .object([
      "application": .string(optional: fields["application"]),
      "backgroundModes": .array(list("backgroundmodes").map { .string($0) }),
      "keptRunningBy": .array(list("keptrunningby").map { .string($0) }),
      "backgroundTimeRemaining": .number(written: remaining),
      "tasks": .array(tasks.map { .object(["name": .string($0.name), "age": .number(written: $0.age)]) }),
      "terminated": termination.map {
        .object(["code": .string($0.code), "reason": .string($0.reason)])
      } ?? .null,
    ])
  }
}
