package import Clocks

extension LifecycleMachine {
  // MARK: Background execution

  /// The reasons that keep the application running in the background, or would keep it running there.
  package var effectiveKeepers: Set<BackgroundKeeper> {
    var keepers = kept
    if awakeUntil != nil { keepers.insert(awakeFor) }
    if !tasks.isEmpty { keepers.insert(.task) }
    if fetch != nil { keepers.insert(.fetch) }
    if !sessionEvents.isEmpty { keepers.insert(.backgroundSession) }
    if !scheduledTasks.isEmpty { keepers.insert(.scheduledTask) }
    return keepers
  }

  var mayBeSuspended: Bool {
    state == .background && agenda.isEmpty && arrivals.isEmpty && effectiveKeepers.isEmpty
  }

  /// Returns `Device.backgroundTimeRemaining` at `moment`. Suspension does not change it.
  package func backgroundTimeRemaining(at moment: HostTime) -> Double {
    if state == .notRunning { return 0 }
    if !isInBackground || !kept.isEmpty || awakeUntil != nil { return .greatestFiniteMagnitude }
    let left = Double(budget.left(at: max(now, moment))) / 1e9
    let ends = [fetchDeadline, sessionEventsDeadline].compactMap { $0 } + scheduledTasks.map(\.deadline)
    return ends.reduce(left) { max($0, $1.seconds(since: max(now, moment))) }
  }

  /// The earliest time at which `Event.timePassed` has an effect; nil if none.
  package var nextDeadline: HostTime? {
    var moments =
      [pending?.deadline, fetchDeadline, sessionEventsDeadline, awakeUntil, keepAlive?.next].compactMap { $0 }
      + scheduledTaskDeadlines
    if !tasks.isEmpty {
      if let end = budget.endTime { moments.append(end) }
      if !hasWarned, let warning = budget.warningTime { moments.append(warning) }
    }
    return moments.min()
  }

  private var fetchDeadline: HostTime? { fetch?.since.advanced(bySeconds: settings.fetchLimit) }

  // MARK: Deadlines

  mutating func checkTime() {
    if let fetch, let deadline = fetchDeadline, now >= deadline {
      kill(.backgroundFetch, .fetch, since: fetch.since, allowed: settings.fetchLimit)
    }
    checkSessionEvents()
    if let pending, now >= pending.deadline {
      let culprit: TerminationReport.Culprit? =
        switch pending.kind {
        case .callback(let callback): .callback(callback)
        case .expiration(let task): .expirationHandler(task)
        case .sessionEvents(let session): .backgroundSession(session)
        case .scheduledTask(let identifier): .scheduledTask(identifier)
        case .mainQueue: nil
        }
      if let culprit {
        let isSession = if case .sessionEvents = pending.kind { true } else { false }
        kill(
          isSession ? .backgroundSession : .watchdog, culprit, since: pending.since, allowed: pending.limit)
      } else {
        // The main queue is blocked. Suspension takes effect without waiting further.
        self.pending = nil
        if mayBeSuspended { stop() }
      }
    }
    checkBudget()
    checkScheduledTasks()
    checkKeepAlive()
    if let awakeUntil, now >= awakeUntil { self.awakeUntil = nil }
    updateBudget()
  }

  private mutating func checkBudget() {
    guard !tasks.isEmpty, let warning = budget.warningTime, let end = budget.endTime, now >= warning
    else { return }
    if !hasWarned {
      hasWarned = true
      // No application is terminated without a warning, however late this check comes.
      if now >= end { budget.reserveWarning(at: now) }
    } else if now >= end {
      let used = Double(budget.used(at: now)) / 1e9
      kill(.backgroundTask, .tasks(tasks), since: now, took: used, allowed: settings.backgroundTime)
    }
  }

  mutating func updateBudget() {
    guard isInBackground else {
      hasWarned = false
      return budget.reset()
    }
    let runs =
      isRunning && kept.isEmpty && awakeUntil == nil && fetch == nil && scheduledTasks.isEmpty
      && sessionEvents.isEmpty
    guard runs != budget.isRunning else { return }
    guard runs else {
      hasWarned = false
      return budget.stop(at: now)
    }
    budget.start(at: now)
    // Tasks granted while the budget was stopped get their warning, however little time is left.
    if tasks.contains(where: { !$0.isExpired }) { budget.reserveWarning(at: now) }
  }

  // MARK: Background tasks

  /// The index of the task whose expiration handler is due next; nil if none is.
  var nextToExpire: Int? {
    guard let warning = budget.warningTime, now >= warning else { return nil }
    return tasks.firstIndex { $0.hasHandler && !$0.isExpired }
  }

  mutating func beginTask(_ id: UIBackgroundTaskIdentifier, _ name: String?, _ hasHandler: Bool) {
    let isLate = !isRunning && isInGrace
    guard isRunning || isLate, backgroundTimeRemaining(at: now) > 0 else {
      return note(.refused(.noBackgroundTime(name: name)))
    }
    guard tasks.count < Self.taskLimit else { return note(.refused(.tooManyTasks(name: name))) }
    tasks.append(BackgroundTask(id: id, name: name, hasHandler: hasHandler, beganAt: now))
    if isLate { takeSuspensionBack() }
    note(.taskBegan(id, name: name))
    if let warning = budget.warningTime, now >= warning { hasWarned = true }
  }

  /// Whether a new task reverses the suspension; see `LifecycleSettings.suspensionGrace`.
  private var isInGrace: Bool { state == .suspended && graceEnd.map { now < $0 } ?? false }

  /// Resumes the application at once. Calls missed during the suspension follow the task's `taskBegan`
  /// record.
  private mutating func takeSuspensionBack() {
    for step in [.enter(.background)] + resumption() {
      if case .call = step { agenda.append(step) } else { run(step) }
    }
  }

  mutating func endTask(_ id: UIBackgroundTaskIdentifier) {
    guard let index = tasks.firstIndex(where: { $0.id == id }) else { return note(.refused(.noSuchTask(id))) }
    note(.taskEnded(id, name: tasks.remove(at: index).name))
  }

  // MARK: Termination

  /// Terminates the application for a fault. `took` is the time since `since` by default, in seconds.
  mutating func kill(
    _ code: TerminationReport.Code, _ culprit: TerminationReport.Culprit, since: HostTime,
    took: Double? = nil, allowed: Double
  ) {
    end(report(code, culprit, took: took ?? now.seconds(since: since), allowed: allowed, at: now))
  }

  /// Returns the report on a termination for a fault at `time`. `took` and `allowed` are in seconds.
  func report(
    _ code: TerminationReport.Code, _ culprit: TerminationReport.Culprit, took: Double, allowed: Double,
    at time: HostTime
  ) -> TerminationReport {
    TerminationReport(
      code: code, culprit: culprit, took: took, allowed: allowed, time: time, state: state, modes: modes,
      backgroundTimeUsed: Double(budget.used(at: time)) / 1e9, openTasks: tasks)
  }

  /// Terminates the application. Queued events in `arrivals` are kept.
  mutating func end(_ report: TerminationReport?) {
    if fetch != nil { note(.fetchEnded(nil)) }
    for task in scheduledTasks { note(.scheduledTaskEnded(task.request.identifier, success: nil)) }
    scheduledTasks = []
    registeredTasks = []
    mayRegisterTasks = true
    pending = nil
    // A force-quit cancels the background transfers even if `willTerminate` exceeds its limit.
    if agenda.contains(.action(.quit)) { actions.append(.quit) }
    agenda = []
    tasks = []
    fetch = nil
    sessionEvents = [:]
    awakeUntil = nil
    graceEnd = nil
    keepAlive = nil
    isStopped = false
    isInBackground = false
    knowsInterruption = false
    missedEnd = nil
    missedRefreshChange = false
    returnsOnUnlock = false
    wasTerminated = true
    hasBeenActive = false
    updateBudget()
    actions.append(.terminate)
    enter(.notRunning)
    note(.terminated(report))
    if let report { actions.append(.report(report)) }
  }
}
