internal import TextFormatting

/// What `lifecycle` answers: the state of the application.
package struct LifecycleReply: Hashable, Sendable {
  /// A background task that is open.
  package struct Task: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Seconds since it began.
    package var age: Double

    /// A task.
    package init(name: String, age: Double) {
      self.name = name
      self.age = age
    }
  }

  /// How the application ended the last time.
  package struct Termination: Hashable, Sendable {
    /// The system's code, such as `0x8badf00d`.
    package var code: String
    /// The reason in words.
    package var reason: String

    /// A termination.
    package init(code: String, reason: String) {
      self.code = code
      self.reason = reason
    }
  }

  /// `active`, `inactive`, `background`, `suspended` or `notRunning`.
  package var application: String
  /// The background modes it declares: `audio`, `fetch`.
  package var backgroundModes: [String]
  /// What keeps it running: `audio`, `task`, `fetch`, `foreground`. Written as `none` if nothing does.
  package var keptRunningBy: [String]
  /// In seconds; infinite in the foreground.
  package var backgroundTimeRemaining: Double
  /// Those that are open.
  package var tasks: [Task]
  /// `nil` if it has not ended yet.
  package var lastTermination: Termination?

  /// The state of an application.
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

  /// The lines.
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
    if let lastTermination {
      reply.append("terminated", "\(lastTermination.code) \(lastTermination.reason)")
    }
  }

  /// Seconds with two digits after the point, to the nearest.
  private static func hundredths(_ seconds: Double) -> String {
    let milliseconds = Milliseconds(seconds: max(0, seconds)).rawValue
    return DecimalFraction.text(value: (milliseconds + 5) / 10, timescale: 100)
  }
}
