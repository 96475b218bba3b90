import Clocks

/// Background sessions: reports completed transfers and tracks the handling of those events.
extension LifecycleMachine {
  struct SessionEvents: Hashable, Sendable {
    let session: String
    let since: HostTime
  }

  mutating func wakeForSession(_ session: String) -> [Step] {
    switch state {
    case .suspended: [.enter(.background)] + resumption() + [.tellSession(session)]
    case .notRunning: start() + toBackground + [.tellSession(session)]
    case .background: [.tellSession(session)]
    // Session messages are delivered immediately in the foreground.
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

  mutating func ignoreSessionEvents(_ session: String) {
    guard let id = sessionEvents.keys.sorted().first(where: { sessionEvents[$0]?.session == session }) else {
      return
    }
    sessionEvents[id] = nil
    note(.sessionEventsIgnored(session))
    updateBudget()
  }

  /// Ends the tracking of all session events, because events in the foreground use no background time.
  mutating func abandonSessionEvents() { for id in sessionEvents.keys.sorted() { completeSessionEvents(id) } }

  /// The earliest deadline for handling session events; nil if none are pending.
  var sessionEventsDeadline: HostTime? {
    sessionEvents.values.map(\.since).min()?.advanced(bySeconds: settings.sessionEventsLimit)
  }

  mutating func checkSessionEvents() {
    guard let deadline = sessionEventsDeadline, now >= deadline,
      let events = sessionEvents.min(by: { ($0.value.since, $0.key) < ($1.value.since, $1.key) })?.value
    else { return }
    kill(
      .backgroundSession, .backgroundSession(events.session), since: events.since,
      allowed: settings.sessionEventsLimit)
  }
}
