import Clocks

/// The task scheduler: pending requests and running tasks.
extension LifecycleMachine {
  // MARK: Requests

  mutating func registerTask(_ identifier: String) -> ScheduledTaskRegistration {
    guard settings.permittedTaskIdentifiers.contains(identifier) else { return .notPermitted }
    guard mayRegisterTasks else { return .tooLate }
    return registeredTasks.insert(identifier).inserted ? .granted : .twice
  }

  /// Stores a request, replacing one with the same identifier. Returns the reason for a refusal.
  mutating func submitTask(_ request: ScheduledTaskRequest) -> ScheduledTaskRefusal? {
    guard settings.permittedTaskIdentifiers.contains(request.identifier) else {
      return .identifierNotPermitted
    }
    guard modes.contains(request.kind.mode) else { return .needsMode(request.kind.mode) }
    guard refreshStatus == .available else { return .unavailable }
    let others = taskRequests.filter { $0.identifier != request.identifier }
    guard others.count(where: { $0.kind == request.kind }) < request.kind.limit else {
      return .tooMany(limit: request.kind.limit)
    }
    taskRequests = others + [request]
    return nil
  }

  /// Removes the request with the given identifier; nil removes all requests.
  mutating func cancelTask(_ identifier: String?) {
    taskRequests.removeAll { identifier == nil || $0.identifier == identifier }
  }

  // MARK: Running tasks

  mutating func beginScheduledTask(_ identifier: String) -> [Step] {
    let request = taskRequests.first { $0.identifier == identifier }
    let isRunning = scheduledTasks.contains { $0.request.identifier == identifier }
    let refusal: LifecycleRefusal? =
      if request == nil {
        .noTaskRequest(identifier)
      } else if request?.kind == .refresh, refreshStatus != .available {
        .fetchNotAllowed
      } else if isInFront || isRunning {
        .taskNotNow(identifier)
      } else {
        nil
      }
    guard refusal == nil, let request else {
      if let refusal { note(.refused(refusal)) }
      return []
    }
    cancelTask(identifier)
    return inBackground(.launchTask(request))
  }

  mutating func launchTask(_ request: ScheduledTaskRequest) {
    guard registeredTasks.contains(request.identifier) else {
      return note(.refused(.noLaunchHandler(request.identifier)))
    }
    lastTaskNumber += 1
    let limit = request.kind == .refresh ? settings.refreshTaskTime : settings.processingTaskTime
    let task = ScheduledTask(
      number: lastTaskNumber, request: request, since: now, deadline: now.advanced(bySeconds: limit))
    scheduledTasks.append(task)
    note(.scheduledTaskBegan(request.identifier))
    wait(for: .scheduledTask(request.identifier), limit: limit) { .launchTask($0, task) }
  }

  /// Shortens the deadline of a task to the warning period and marks it as warned.
  mutating func expireScheduledTask(_ identifier: String) -> [Step] {
    guard let index = scheduledTasks.firstIndex(where: { $0.request.identifier == identifier }) else {
      note(.refused(.noSuchScheduledTask(identifier)))
      return []
    }
    let deadline = now.advanced(bySeconds: settings.expirationWarning)
    scheduledTasks[index].deadline = min(scheduledTasks[index].deadline, deadline)
    scheduledTasks[index].isWarned = true
    return []
  }

  mutating func completeScheduledTask(_ number: UInt64, _ success: Bool?) {
    guard let index = scheduledTasks.firstIndex(where: { $0.number == number }) else { return }
    let task = scheduledTasks.remove(at: index)
    note(.scheduledTaskEnded(task.request.identifier, success: success))
    updateBudget()
  }

  mutating func setExpirationHandler(_ number: UInt64, _ hasHandler: Bool) {
    guard let index = scheduledTasks.firstIndex(where: { $0.number == number }) else { return }
    scheduledTasks[index].hasHandler = hasHandler
  }

  /// Ends the tracking of all scheduler tasks, because tasks in the foreground use no background time.
  mutating func abandonScheduledTasks() {
    for task in scheduledTasks { completeScheduledTask(task.number, nil) }
  }

  // MARK: Deadlines

  /// The index of the task whose expiration handler is due next; nil if none is.
  var nextScheduledToExpire: Int? { scheduledTasks.firstIndex { $0.isWarned && !$0.isExpired } }

  /// Requests the call of a task's expiration handler. A task without a handler ends unsuccessfully.
  mutating func expireScheduledTask(at index: Int) {
    scheduledTasks[index].isExpired = true
    let task = scheduledTasks[index]
    note(.scheduledTaskExpires(task.request.identifier))
    guard task.hasHandler else { return completeScheduledTask(task.number, false) }
    wait(for: .scheduledTask(task.request.identifier), limit: settings.callLimit) {
      .expireTask($0, task.number)
    }
  }

  var scheduledTaskDeadlines: [HostTime] {
    scheduledTasks.map { $0.isWarned ? $0.deadline : warningTime(of: $0) }
  }

  private func warningTime(of task: ScheduledTask) -> HostTime {
    max(task.since, task.deadline.advanced(bySeconds: -settings.expirationWarning))
  }

  /// Marks tasks as warned when their time is nearly over. Terminates the application if a warned task has
  /// passed its deadline.
  mutating func checkScheduledTasks() {
    for (index, task) in scheduledTasks.enumerated() {
      if task.isWarned, now >= task.deadline {
        return kill(
          .backgroundTask, .scheduledTask(task.request.identifier), since: task.since,
          allowed: task.deadline.seconds(since: task.since))
      }
      if !task.isWarned, now >= warningTime(of: task) {
        scheduledTasks[index].isWarned = true
        // No application is terminated without a warning, however late this check comes.
        if now >= task.deadline {
          scheduledTasks[index].deadline = now.advanced(bySeconds: settings.expirationWarning)
        }
      }
    }
  }
}
