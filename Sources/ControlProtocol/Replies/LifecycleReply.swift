/// What `lifecycle` answers: the state of the application.
public struct LifecycleReply: Hashable, Sendable {
  /// A background task that is open.
  public struct Task: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// Seconds since it began.
    public var age: Double

    /// A task.
    public init(name: String, age: Double) {
      self.name = name
      self.age = age
    }
  }

  /// How the application ended the last time.
  public struct Termination: Hashable, Sendable {
    /// The system's code, such as `0x8badf00d`.
    public var code: String
    /// The reason in words.
    public var reason: String

    /// A termination.
    public init(code: String, reason: String) {
      self.code = code
      self.reason = reason
    }
  }

  /// `active`, `inactive`, `background`, `suspended` or `notRunning`.
  public var application: String
  /// The background modes it declares: `audio`, `fetch`.
  public var backgroundModes: [String]
  /// What keeps it running: `audio`, `task`, `fetch`, `foreground`. Written as `none` if nothing does.
  public var keptRunningBy: [String]
  /// In seconds; infinite in the foreground.
  public var backgroundTimeRemaining: Double
  /// Those that are open.
  public var tasks: [Task]
  /// `nil` if it has not ended yet.
  public var lastTermination: Termination?

  /// The state of an application.
  public init(
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
  public func write(into reply: inout Reply) {
    reply.append("application", application)
    reply.append("backgroundmodes", backgroundModes.joined(separator: ","))
    reply.append("keptrunningby", keptRunningBy.isEmpty ? "none" : keptRunningBy.joined(separator: ","))
    reply.append(
      "backgroundtimeremaining",
      backgroundTimeRemaining.isFinite ? DecimalFraction.hundredths(seconds: backgroundTimeRemaining) : "inf")
    for task in tasks {
      reply.append("task", task.name)
      reply.append("begun", "\(DecimalFraction.hundredths(seconds: task.age)) ago")
    }
    if let lastTermination {
      reply.append("terminated", "\(lastTermination.code) \(lastTermination.reason)")
    }
  }
}
