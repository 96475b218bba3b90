package import AppLifecycle

extension Timeline.Entry {
  /// Creates the entry for an event that the device recorded; nil for events that the drawing does not show.
  package init?(_ event: LifecycleRecord.Event) {
    switch event {
    case .state(let state): self = .state(state)
    case .happened(.remoteControl), .happened(.refreshStatusChanged): return nil
    case .happened(let happening): self = .pressed(happening.description)
    case .interruptionBegan: self = .interruptionBegan
    case .interruptionEnded: self = .interruptionEnded
    case .taskBegan(let id, let name): self = .taskBegan(identifier: id.rawValue, name: Self.name(id, name))
    case .taskEnded(let id, _): self = .taskEnded(identifier: id.rawValue)
    case .expirationBegan(let id, _): self = .taskExpired(identifier: id.rawValue)
    case .terminated(let report?): self = .terminated("\(report.code): \(Self.text(report.culprit))")
    case .terminated(nil), .callBegan, .callEnded, .expirationEnded, .fetchEnded, .sessionEventsBegan,
      .sessionEventsEnded, .sessionEventsIgnored, .scheduledTaskBegan, .scheduledTaskExpires,
      .scheduledTaskEnded, .socketsReclaimed, .refused:
      return nil
    }
  }

  private static func name(_ id: UIBackgroundTaskIdentifier, _ name: String?) -> String {
    name ?? "task \(id.rawValue)"
  }

  /// Returns a short description; the report has the details.
  private static func text(_ culprit: TerminationReport.Culprit) -> String {
    switch culprit {
    case .callback(let callback): "\(callback) too slow"
    case .expirationHandler(let task): "expiration of \(Self.name(task.id, task.name)) too slow"
    case .tasks(let tasks): tasks.map { Self.name($0.id, $0.name) }.joined(separator: ", ") + " still open"
    case .fetch: "fetch too slow"
    case .backgroundSession(let session): "session \(session) too slow"
    case .scheduledTask(let identifier): "\(identifier) too slow"
    case .observer: "observer too slow"
    }
  }
}
