public import Clocks

/// A report on the termination of an application for a fault: the reason and the circumstances.
public struct TerminationReport: Hashable, Sendable {
  /// The termination codes of Apple's crash reports.
  public enum Code: UInt32, Hashable, Sendable, CaseIterable {
    /// A call into the application, or an observer or part of the device, did not return in time: "ate bad food".
    case watchdog = 0x8bad_f00d
    /// A background task was not ended, or a scheduler task not completed, in time.
    case backgroundTask = 0x2182_bad2
    /// The events of a background session were not handled in time.
    case backgroundSession = 0x2182_bad3
    /// A background fetch was not completed in time.
    case backgroundFetch = 0x2182_bad4
  }

  /// The operation that exceeded its time limit.
  public enum Culprit: Hashable, Sendable {
    /// The call into the application.
    case callback(LifecycleCallback)
    /// The expiration handler of this task.
    case expirationHandler(BackgroundTask)
    /// The open background tasks, ordered by start time.
    case tasks([BackgroundTask])
    /// The handling of events of the background session with this identifier.
    case backgroundSession(String)
    /// The background fetch in progress.
    case fetch
    /// The scheduler task with this identifier.
    case scheduledTask(String)
    /// An observer of the device, or a part of the application that the device stops and resumes, such as a player.
    case observer
  }

  /// The termination code in a crash report.
  public let code: Code
  /// The operation that exceeded its time limit.
  public let culprit: Culprit
  /// The duration of the operation until the termination, in seconds. For tasks: the background time used.
  public let took: Double
  /// The time limit of the operation, in seconds.
  public let allowed: Double
  /// The time of the termination, on the device's clock.
  public let time: HostTime
  /// The application's state at the termination.
  public let state: ApplicationState
  /// The application's background modes.
  public let modes: BackgroundModes
  /// The background time used, in seconds.
  public let backgroundTimeUsed: Double
  /// All open background tasks, ordered by start time.
  public let openTasks: [BackgroundTask]
}

extension TerminationReport.Code: CustomStringConvertible {
  /// The code in the notation of crash reports: `0x8badf00d`.
  public var description: String { "0x" + String(rawValue, radix: 16) }
}

extension TerminationReport: CustomStringConvertible {
  /// The reason for the termination, in one sentence.
  public var reason: String {
    let limit = Self.seconds(allowed)
    return switch culprit {
    case .callback(let callback):
      "\(callback) had not returned after \(Self.seconds(took)) (allowed: \(limit))"
    case .expirationHandler(let task):
      "the expiration handler of the background task \(task.label) had not returned after "
        + "\(Self.seconds(took)) (allowed: \(limit))"
    case .tasks(let tasks):
      "no background time was left and \(tasks.count == 1 ? "the background task" : "these background tasks") "
        + "had not been ended: \(tasks.map(\.label).joined(separator: ", ")) (allowed: \(limit))"
    case .scheduledTask(let identifier):
      "the scheduled task \(identifier) was not completed after \(Self.seconds(took)) (allowed: \(limit))"
    case .backgroundSession(let session):
      "the events of the background session \(session) were not handled after \(Self.seconds(took)) "
        + "(allowed: \(limit))"
    case .fetch: "the background fetch was not completed after \(Self.seconds(took)) (allowed: \(limit))"
    case .observer:
      "an observer of the device had not returned after \(Self.seconds(took)) (allowed: \(limit))"
    }
  }

  /// The report for the user, in several lines. The first line contains the code.
  public var description: String {
    var lines = [
      "Application terminated: \(code)",
      "  Reason: \(reason)",
      "  State: \(state)",
      "  Background modes: \(modes)",
      "  Background time used: \(Self.seconds(backgroundTimeUsed))",
      "  Time: \(Self.seconds(time.seconds)) on the host's clock",
    ]
    lines.append(openTasks.isEmpty ? "  Open background tasks: none" : "  Open background tasks:")
    for task in openTasks {
      let age = Self.seconds(time.seconds(since: task.beganAt))
      let handler =
        task.hasHandler ? task.isExpired ? ", expiration handler called" : "" : ", no expiration handler"
      lines.append("    \(task.label), begun \(age) ago\(handler)")
    }
    return lines.joined(separator: "\n")
  }

  private static func seconds(_ seconds: Double) -> String {
    let hundredths = Int64(max(-9e15, min(9e15, (seconds * 100).rounded())))
    let fraction = abs(hundredths % 100)
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s"
  }
}
