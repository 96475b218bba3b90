internal import TextFormatting

/// The reply to `lifecycle`: the state of the application.
package struct LifecycleReply: Hashable, Sendable {
  package struct Task: Hashable, Sendable {
    package var name: String
    /// The time since the task began, in seconds.
    package var age: Double

    package init(name: String, age: Double) {
      self.name = name
      self.age = age
    }
  }

  /// The last termination of the application for a fault.
  package struct Termination: Hashable, Sendable {
    /// The system's termination code, such as `0x8badf00d`.
    package var code: String
    package var reason: String

    package init(code: String, reason: String) {
      self.code = code
      self.reason = reason
    }
  }

  /// The application's state: `active`, `inactive`, `background`, `suspended` or `notRunning`.
  package var application: String
  /// The declared background modes, such as `audio` and `fetch`.
  package var backgroundModes: [String]
  /// The reasons why the application keeps running, such as `foreground`, `audio` and `task`. Written as
  /// `none` if empty.
  package var keptRunningBy: [String]
  /// The remaining background time in seconds; infinite if unlimited, as in the foreground.
  package var backgroundTimeRemaining: Double
  package var tasks: [Task]
  /// The last termination of the application for a fault; nil if none occurred.
  package var lastTermination: Termination?

  package init(
    application: String, backgroundModes: [String], keptRunningBy: [String], backgroundTimeRemaining: Double,
    tasks: [Task] = [], lastTermination: Termination? = nil
  ) {
    self.application = application
    self.backgroundModes = backgroundModes
    self.keptRunningBy = keptRunningBy
    self.backgroundTimeRemaining = backgroundTimeRemaining
    self.tasks = tasks
    self.lastTermination = lastTermination
  }

  package func write(into reply: inout Reply) {
    reply.append("application", application)
    reply.append("backgroundmodes", backgroundModes.joined(separator: ","))
    reply.append("keptrunningby", keptRunningBy.isEmpty ? "none" : keptRunningBy.joined(separator: ","))
    reply.append(
      "backgroundtimeremaining",
      backgroundTimeRemaining.isFinite ? Self.hundredths(backgroundTimeRemaining) : "inf")
    for task in tasks {
      reply.append("task", task.name)
      reply.append("begun", "\(Self.hundredths(task.age)) ago")
    }
    if let lastTermination { reply.append("terminated", "\(lastTermination.code) \(lastTermination.reason)") }
  }

  /// Returns seconds as text, rounded to two digits after the point.
  private static func hundredths(_ seconds: Double) -> String {
    let milliseconds = Milliseconds(seconds: max(0, seconds)).rawValue
    return DecimalFraction.text(value: (milliseconds + 5) / 10, timescale: 100)
  }
}
