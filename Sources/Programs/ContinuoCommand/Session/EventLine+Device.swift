import AppLifecycle
import Clocks
import Continuo
import RunTimeline
import TextFormatting

// Lines of `--events` about the run and the device, in addition to those for the player's events.
extension EventLine {
  /// Returns the first line of a run: the version, the arguments, and the wall clock at `host`.
  static func begin(arguments: [String], secondsSince1970: Double, host: HostTime) -> EventLine {
    let members: KeyValuePairs<String, JSONValue> = [
      "version": .string(Version.number), "arguments": .array(arguments.map { .string($0) }),
      "wallClock": .string(RunTitle.date(secondsSince1970)),
    ]
    return EventLine("begin", members, host)
  }

  /// Returns the line of a command that the device does not record.
  static func command(_ command: PlayerCommand, host: HostTime) -> EventLine {
    EventLine("command", ["what": .string(command.description)], host)
  }

  /// Creates the line of an event of the device; nil for events without a line, such as states.
  init?(_ event: LifecycleRecord.Event, host: HostTime) {
    switch event {
    // A button press, or another event of the device.
    case .happened(let happening): self.init("device", ["what": .string(happening.description)], host)
    case .taskBegan(let id, let name): self.init(task: id, name, "began", host)
    case .expirationBegan(let id, let name): self.init(task: id, name, "expired", host)
    case .taskEnded(let id, let name): self.init(task: id, name, "ended", host)
    case .fetchEnded(let result):
      self.init("fetchEnded", ["result": .string(optional: result.map { "\($0)" })], host)
    case .interruptionBegan:
      self.init("interruption", ["what": .string("began"), "shouldResume": .null], host)
    case .interruptionEnded(let shouldResume):
      self.init("interruption", ["what": .string("ended"), "shouldResume": .bool(shouldResume)], host)
    case .terminated(let report):
      let members: KeyValuePairs<String, JSONValue> = [
        "code": .string(optional: report.map { "\($0.code)" }), "reason": .string(optional: report?.reason),
        "report": .string(optional: report.map { "\($0)" }),
      ]
      self.init("terminated", members, host)
    case .refused(let refusal): self.init("refused", ["reason": .string("\(refusal)")], host)
    // No line for calls into the application, nor for events that a music application does not have.
    // `PlayRun` writes the line of a state.
    case .state, .callBegan, .callEnded, .expirationEnded, .sessionEventsBegan, .sessionEventsEnded,
      .sessionEventsIgnored, .scheduledTaskBegan, .scheduledTaskExpires, .scheduledTaskEnded,
      .socketsReclaimed:
      return nil
    }
  }

  private init(task: UIBackgroundTaskIdentifier, _ name: String?, _ what: String, _ host: HostTime) {
    self.init(
      "backgroundTask",
      ["what": .string(what), "id": .number(task.rawValue), "name": .string(optional: name)], host)
  }
}
