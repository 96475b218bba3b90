import HostTime

/// Background sessions: the application is told that their transfers are done, and says when it has handled that.
extension LifecycleMachine {
  /// Events of a session that the application handles.
  struct SessionEvents: Hashable, Sendable {
    let session: String
    let since: HostTime
  }

  /// Resumes or launches the application in the background, and tells it.
  mutating func wakeForSession(_ session: String) -> [Step] {
    switch state {
    case .suspended: [.enter(.background)] + resumption() + [.tellSession(session)]
    case .notRunning: start() + toBackground + [.tellSession(session)]
    case .background: [.tellSession(session)]
    // The session's messages come at once.
    case .active, .inactive: []
    }
  }

  mutating func tellSession(_ session: String) {
    note(.sessionEventsBegan(session))
    wait(for: .sessionEvents(session), limit: settings.sessionEventsLimit) { .tellSession($0, session) }
    sessionEvents[lastCallID] = SessionEvents(session: session, since: now)
  }

  mutating func completeSessionEvents(_ id: CallID) {
    guard let events = sessionEvents.removeValue(forKey: id) else { return }
    note(.sessionEventsEnded(events.session))
    updateBudget()
  }

  /// Stops limiting them: in front they use no background time.
  mutating func abandonSessionEvents() {
    for id in sessionEvents.keys.sorted() { completeSessionEvents(id) }
  }

  /// When the first of them must have been handled.
  var sessionEventsDeadline: HostTime? {
    sessionEvents.values.map(\.since).min()?.advanced(bySeconds: settings.sessionEventsLimit)
  }

  /// Ends the application for events that it has not handled in time.
  mutating func checkSessionEvents() {
    guard let deadline = sessionEventsDeadline, now >= deadline,
      let events = sessionEvents.min(by: { ($0.value.since, $0.key) < ($1.value.since, $1.key) })?.value
    else { return }
    kill(
      .backgroundSession, .backgroundSession(events.session), since: events.since,
      allowed: settings.sessionEventsLimit)
  }
}
