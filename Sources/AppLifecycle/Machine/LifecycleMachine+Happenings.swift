import HostTime

extension LifecycleMachine {
  /// What follows from a happening in the present state, which no call into the application is changing.
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
    case .fetch: beginFetch()
    case .remoteControl: state == .suspended && modes.contains(.audio) ? wakeToPlay() : []
    case .refreshStatusChanged(let status): changeRefreshStatus(to: status)
    }
  }

  /// Whether any of the application's code can run: also in the call that brings a suspended one to the front.
  var isRunning: Bool { state != .notRunning && (!isStopped || pending != nil) }

  // MARK: To the front and away from it

  private mutating func launch() -> [Step] {
    guard state == .notRunning else { return [] }
    openLock()
    return start() + [.call(.didBecomeActive), .enter(.active)]
  }

  /// The beginning of every launch. A call that goes on does not keep the application from the front, but it is told,
  /// and so it will be told of the end.
  private mutating func start() -> [Step] {
    defer { wasTerminated = false }
    return [.enter(.inactive)] + (wasTerminated ? [.action(.launch)] : []) + [.call(.didFinishLaunching)]
      + (isInterrupted ? [.beginInterruption] : [])
  }

  private func leaveFront() -> [Step] {
    switch state {
    case .active: [.call(.willResignActive), .enter(.inactive)] + toBackground
    // Interrupted: it has resigned before.
    case .inactive: toBackground
    case .background, .suspended, .notRunning: []
    }
  }

  private var toBackground: [Step] {
    [.call(.didEnterBackground), .enter(.background), .action(.enterBackground)]
  }

  private mutating func foreground() -> [Step] {
    guard state != .notRunning else { return [] }
    openLock()
    return comeToFront()
  }

  /// A call that goes on does not keep it from the front; only the sound stays the call's.
  private mutating func comeToFront() -> [Step] {
    let becomeActive: [Step] = [.call(.didBecomeActive), .enter(.active)]
    switch state {
    case .background, .suspended:
      // From here on it counts as in front: tasks and fetches have no limit there.
      isInBackground = false
      awakeUntil = nil
      abandonFetch()
      return [.action(.enterForeground), .call(.willEnterForeground), .enter(.inactive)] + resumption()
        + becomeActive
    case .inactive: return becomeActive
    case .active, .notRunning: return []
    }
  }

  private mutating func lock() -> [Step] {
    guard !isLocked else { return [] }
    isLocked = true
    returnsOnUnlock = state == .active || state == .inactive
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

  private mutating func terminate() -> [Step] {
    switch state {
    case .notRunning: []
    case .suspended: [.end]
    case .inactive, .active, .background: [.call(.willTerminate), .end]
    }
  }

  // MARK: Waking

  /// What resumes an application that has just left the state `suspended`, and tells it what it missed. Nothing for one
  /// that runs.
  private mutating func resumption() -> [Step] {
    guard isStopped else { return [] }
    // The interruptions first, or there would be a moment of sound during a call; they are posted after `resume`.
    var steps: [Step] = missedEnd.map { [.endInterruption(shouldResume: $0)] } ?? []
    if isInterrupted, !knowsInterruption || missedEnd != nil { steps.append(.beginInterruption) }
    steps.append(.action(.resume))
    if missedRefreshChange { steps.append(.call(.backgroundRefreshStatusDidChange)) }
    missedRefreshChange = false
    return steps
  }

  /// Resumes a suspended application in the background so that it can begin to play.
  private mutating func wakeToPlay() -> [Step] {
    awakeUntil = now.advanced(bySeconds: settings.wakeGrace)
    return [.enter(.background)] + resumption()
  }

  // MARK: Interruptions

  /// One that begins before another has ended is part of that, but it takes the screen again.
  private mutating func beginInterruption() -> [Step] {
    isInterrupted = true
    let tell: [Step] = knowsInterruption ? [] : [.beginInterruption]
    switch state {
    case .active: return [.call(.willResignActive), .enter(.inactive)] + tell
    case .background, .inactive: return tell
    // It hears of it when it is resumed or launched, if it lasts so long.
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
      // The application hears of the end of the one that it knows, and nothing of one that came and went since.
      guard knowsInterruption, missedEnd == nil else { return [] }
      missedEnd = shouldResume
      return shouldResume && modes.contains(.audio) ? wakeToPlay() : []
    case .notRunning: return []
    }
  }

  // MARK: Fetches

  private mutating func beginFetch() -> [Step] {
    let refusal: LifecycleRefusal? =
      if !modes.contains(.fetch) {
        .fetchNeedsMode
      } else if refreshStatus != .available {
        .fetchNotAllowed
      } else if !fetchInterval.isFinite {
        .fetchNotAskedFor
      } else if state == .active || state == .inactive || fetch != nil {
        .fetchNotNow
      } else {
        nil
      }
    if let refusal {
      note(.refused(refusal))
      return []
    }
    switch state {
    case .suspended:
      return [.enter(.background)] + resumption() + [.call(.didEnterBackground), .call(.performFetch)]
    case .notRunning: return start() + toBackground + [.call(.performFetch)]
    case .background, .active, .inactive: return [.call(.performFetch)]
    }
  }

  mutating func completeFetch(_ id: CallID, _ result: UIBackgroundFetchResult) {
    guard fetch?.id == id else { return note(.refused(.noSuchFetch)) }
    fetch = nil
    note(.fetchEnded(result))
    updateBudget()
  }

  /// Lets a fetch go on without a limit: what it asks for is no longer background time.
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
