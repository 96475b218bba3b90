package import TextFormatting

/// The player's status, as a server reports it.
package struct RemoteStatus: Hashable, Sendable {
  private let status: ReplyFields
  private let song: RemoteSong?
  private let application: String?
  private let keepers: String?

  package init(status: ReplyFields, song: ReplyFields, lifecycle: ReplyFields) {
    self.status = status
    self.song = RemoteSong(song)
    application = lifecycle["application"]
    keepers = lifecycle["keptrunningby"]
  }

  private var state: String {
    // A server answers `pause` for a terminated application that a launch would resume. For a user that
    // application is stopped.
    if application == "notRunning" { return "stopped" }
    return switch status["state"] {
    case "play": "playing"
    case "pause": "paused"
    case let state: state == "stop" ? "stopped" : state ?? "unknown"
    }
  }

  private func isOn(_ name: String) -> Bool { status[name] == "1" }

  /// Returns the mode's value: `off`, `on` or `oneshot`.
  private func mode(_ name: String) -> String {
    switch status[name] {
    case "0", nil: "off"
    case "1": "on"
    case let mode?: mode
    }
  }

  package var text: String {
    var table = FieldTable()
    table.add("state", state)
    table.add("error", status["error"])
    table.add("song", song?.name)
    table.add("album", song?.album)
    table.add("file", song?.file)
    if let elapsed = status.time("elapsed") {
      let length = status.time("duration").map { " / \(ElapsedTime.text($0))" }
      table.add("time", ElapsedTime.text(elapsed) + (length ?? ""))
    }
    table.add("queue", queue)
    table.add("volume", status["volume"])
    table.add("modes", modes)
    if let application {
      let keepers = application == "background" ? keepers.map { ", kept running by \($0)" } : nil
      table.add("application", application + (keepers ?? ""))
    }
    return table.text
  }

  private var queue: String {
    let length = status["playlistlength"] ?? "0"
    if let song { return "\(song.position + 1) of \(length)" }
    return length == "0" ? "empty" : "\(length) \(length == "1" ? "song" : "songs")"
  }

  private var modes: String {
    let switches = ["repeat", "random"].filter { isOn($0) }
    let others = ["single", "consume"].compactMap { name -> String? in
      switch mode(name) {
      case "off": nil
      case "on": name
      case let mode: "\(name) \(mode)"
      }
    }
    return (switches + others).joined(separator: ", ")
  }

  package var json: JSONValue {
    .object([
      "state": .string(state), "song": song?.json ?? .null,
      "elapsed": .number(written: status["elapsed"]), "duration": .number(written: status["duration"]),
      "queueLength": .number(written: status["playlistlength"]),
      "volume": .number(written: status["volume"]),
      "repeat": .bool(isOn("repeat")), "random": .bool(isOn("random")),
      "single": .string(mode("single")), "consume": .string(mode("consume")),
      "application": .string(optional: application), "error": .string(optional: status["error"]),
    ])
  }
}
