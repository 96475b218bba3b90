import Clocks

extension LifecycleMachine {
  /// Returns the steps caused by an event in the present state. No call may be pending.
  mutating func steps(for happening: LifecycleHappening) -> [Step] {
    switch happening {
    case .launch: launch()
    case .home: isLocked ? [] : leaveFront()
    case .foreground: foreground()
    case .lock: lock()
    case .unlock: unlock()
    case .interruptionBegan: beginInterruption()
    case .interruptionEnded(let shouldResume): endInterruption(shouldResume: shouldResume)
    case .terminate: terminate()
    case .memoryWarning: isRunning ? [.call(.didReceiveMemoryWarning)] : []
    case .touch: touch(happening)
    case .fetch: beginFetch()
    case .backgroundSession(let session): wakeForSession(session)
    case .quit: quit()
    case .remoteControl: modes.contains(.audio) ? receiveRemoteControl() : []
    case .launchTask(let identifier): beginScheduledTask(identifier)
    case .expireTask(let identifier): expireScheduledTask(identifier)
    case .voipData: wakeForVoIPData()
    case .keepAlive: callKeepAlive()
    case .locationChanged: wakeForLocation()
    case .refreshStatusChanged(let status): changeRefreshStatus(to: status)
    }
  }

  /// Whether application code can run. Also true during `willEnterForeground` after a suspension.
  var isRunning: Bool { state != .notRunning && (!isStopped || pending != nil) }

  var isInFront: Bool { state == .active || state == .inactive }

  private mutating func touch(_ happening: LifecycleHappening) -> [Step] {
    note(.happened(happening))
    return []
  }

  // MARK: Foreground and background

  private mutating func launch() -> [Step] {
    guard state == .notRunning else { return [] }
    openLock()
    return start() + [.call(.didBecomeActive), .enter(.active)]
  }

  /// Returns the first steps of a launch. An interruption in progress prevents audio from the beginning; the
  /// application is notified of it after `didFinishLaunching`, when its observers exist.
  mutating func start() -> [Step] {
    defer { (wasTerminated, hasRun) = (false, true) }
    return [.enter(.inactive)] + (wasTerminated ? [.action(.launch)] : [])
      + (isInterrupted ? [.action(.expectInterruption)] : []) + [.call(.didFinishLaunching)]
      + (isInterrupted ? [.beginInterruption] : [])
  }

  private func leaveFront() -> [Step] {
    switch state {
    case .active: [.call(.willResignActive), .enter(.inactive)] + toBackground
    // An interrupted application has already received `willResignActive`.
    case .inactive: toBackground
    case .background, .suspended, .notRunning: []
    }
  }

  var toBackground: [Step] { [.call(.didEnterBackground), .enter(.background), .action(.enterBackground)] }

  private mutating func foreground() -> [Step] {
    if state != .notRunning { openLock() }
    return comeToFront()
  }

  /// Returns the steps that bring the application to the foreground. An interruption in progress prevents
  /// audio playback, but not the state `active`.
  private mutating func comeToFront() -> [Step] {
    let becomeActive: [Step] = [.call(.didBecomeActive), .enter(.active)]
    switch state {
    case .background, .suspended:
      // From here on the application counts as in the foreground, where tasks and fetches have no limit.
      isInBackground = false
      awakeUntil = nil
      graceEnd = nil
      abandonFetch()
      abandonScheduledTasks()
      abandonSessionEvents()
      return [.action(.enterForeground), .call(.willEnterForeground), .enter(.inactive)] + resumption()
        + becomeActive
    case .inactive: return becomeActive
    case .active, .notRunning: return []
    }
  }

  private mutating func lock() -> [Step] {
    guard !isLocked else { return [] }
    isLocked = true
    returnsOnUnlock = isInFront
    if state == .suspended, settings.socketReclaim == .whenLocked { return [.action(.reclaimSockets)] }
    return leaveFront()
  }

  private mutating func unlock() -> [Step] {
    let returns = isLocked && returnsOnUnlock
    openLock()
    return returns ? comeToFront() : []
  }

  private mutating func openLock() {
    isLocked = false
    returnsOnUnlock = false
  }

  /// Returns the steps of a force-quit. They cancel the background transfers right before the termination, so
  /// that the next launch reports the cancellations.
  private mutating func quit() -> [Step] {
    let steps = terminate()
    return steps.dropLast() + [.action(.quit)] + steps.suffix(1)
  }

  private mutating func terminate() -> [Step] {
    switch state {
    case .notRunning: []
    case .suspended: [.end]
    case .inactive, .active, .background: [.call(.willTerminate), .end]
    }
  }

  // MARK: Wake-ups

  /// Returns the steps that resume an application that has just left the state `suspended`, including missed
  /// notifications. Returns no steps if the application was not suspended.
  mutating func resumption() -> [Step] {
    guard isStopped else { return [] }
    // Interruptions precede `resume`; otherwise audio would play briefly during a phone call. Their
    // notifications are posted after `resume`.
    var steps: [Step] = missedEnd.map { [.endInterruption(shouldResume: $0)] } ?? []
    if isInterrupted, !knowsInterruption || missedEnd != nil { steps.append(.beginInterruption) }
    steps.append(.action(.resume))
    if missedRefreshChange { steps.append(.call(.backgroundRefreshStatusDidChange)) }
    missedRefreshChange = false
    return steps
  }

  /// Returns the steps that resume a suspended application in the background for the given reason.
  mutating func wake(for reason: BackgroundKeeper) -> [Step] {
    stayAwake(for: reason)
    return [.enter(.background)] + resumption()
  }

  /// Keeps the application running for the time of `reason`, and at least as long as an earlier wake-up.
  mutating func stayAwake(for reason: BackgroundKeeper) {
    let end = now.advanced(bySeconds: reason == .voip ? settings.voipTime : settings.wakeGrace)
    awakeUntil = awakeUntil.map { max($0, end) } ?? end
    awakeFor = reason
    updateBudget()
  }

  private mutating func receiveRemoteControl() -> [Step] {
    switch state {
    case .suspended: return wake(for: .audio)
    case .background:
      // Otherwise a suspension could precede the command's effect.
      stayAwake(for: .audio)
      return []
    case .active, .inactive, .notRunning: return []
    }
  }

  private mutating func wakeForLocation() -> [Step] {
    switch state {
    case .suspended: return wake(for: .location)
    case .notRunning:
      stayAwake(for: .location)
      return start() + toBackground
    case .background, .active, .inactive: return []
    }
  }

  // MARK: Interruptions

  /// A second interruption during an interruption is part of the first, but an active application becomes
  /// inactive again.
  private mutating func beginInterruption() -> [Step] {
    isInterrupted = true
    let tell: [Step] = knowsInterruption ? [] : [.beginInterruption]
    switch state {
    case .active: return [.call(.willResignActive), .enter(.inactive)] + tell
    case .background, .inactive: return tell
    // The application is notified when it is resumed or launched during the interruption.
    case .suspended, .notRunning: return []
    }
  }

  private mutating func endInterruption(shouldResume: Bool) -> [Step] {
    guard isInterrupted else { return [] }
    isInterrupted = false
    let tell: [Step] = knowsInterruption ? [.endInterruption(shouldResume: shouldResume)] : []
    switch state {
    case .active, .background: return tell
    case .inactive: return tell + [.call(.didBecomeActive), .enter(.active)]
    case .suspended:
      // Only the end of an interruption known to the application is reported.
      guard knowsInterruption, missedEnd == nil else { return [] }
      missedEnd = shouldResume
      return shouldResume && modes.contains(.audio) ? wake(for: .audio) : []
    case .notRunning: return []
    }
  }

  // MARK: Fetches

  private mutating func beginFetch() -> [Step] {
    if let refusal = fetchRefusal {
      note(.refused(refusal))
      return []
    }
    return isInFront ? leaveFront() + [.call(.performFetch)] : inBackground(.call(.performFetch))
  }

  private var fetchRefusal: LifecycleRefusal? {
    if !modes.contains(.fetch) { return .fetchNeedsMode }
    if refreshStatus != .available { return .fetchNotAllowed }
    // An application sets its interval during its launch, so one that never ran is not refused.
    if hasRun, !fetchInterval.isFinite { return .fetchNotAskedFor }
    if fetch != nil { return .fetchNotNow }
    guard let lastFetch else { return nil }
    let wait = fetchInterval - now.seconds(since: lastFetch)
    return wait > 0 ? .fetchTooEarly(seconds: wait) : nil
  }

  /// Returns `step`, after those that resume or launch the application in the background if necessary.
  mutating func inBackground(_ step: Step) -> [Step] {
    switch state {
    case .suspended: [.enter(.background)] + resumption() + [.call(.didEnterBackground), step]
    case .notRunning: start() + toBackground + [step]
    case .background, .active, .inactive: [step]
    }
  }

  mutating func completeFetch(_ id: CallID, _ result: UIBackgroundFetchResult) {
    guard fetch?.id == id else { return note(.refused(.noSuchFetch)) }
    fetch = nil
    note(.fetchEnded(result))
    updateBudget()
  }

  /// Removes the limit of a fetch, because a fetch in the foreground uses no background time.
  private mutating func abandonFetch() {
    guard fetch != nil else { return }
    fetch = nil
    note(.fetchEnded(nil))
  }

  private mutating func changeRefreshStatus(to status: UIBackgroundRefreshStatus) -> [Step] {
    guard status != refreshStatus else { return [] }
    refreshStatus = status
    missedRefreshChange = isStopped
    return isRunning ? [.call(.backgroundRefreshStatusDidChange)] : []
  }
}
