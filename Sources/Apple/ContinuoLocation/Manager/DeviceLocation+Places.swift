import AppLifecycle
import Clocks
import Synchronization

// The path of locations from the source to the managers.
extension DeviceLocation {
  // MARK: The source

  /// Starts or stops the source as the subscriptions require, and reports to the device whether updates keep
  /// the application running.
  func settle(signalsWorker: Bool = true) {
    transition.withLock { _ in
      let (source, run, starts) = state.withLock { state -> ((any PlaceSource)?, Int, Bool?) in
        let wants = wantsPlaces(state)
        guard wants != state.isSourceOn else { return (nil, 0, nil) }
        // The newest location is outdated when the source starts again.
        state.endRun()
        state.isSourceOn = wants
        if wants { state.anchor = nil }
        return (state.source, state.run, wants)
      }
      guard let starts, let source else { return }
      if starts { source.start { [weak self] in self?.take($0, run) } } else { source.stop() }
    }
    let isWithout = state.withLock { $0.isSourceOn && $0.source == nil && $0.phase == .running }
    if isWithout { fail("no location source is set") }
    tellKeeper()
    if signalsWorker { timer.signal { makeWorker() } }
  }

  private func wantsPlaces(_ state: borrowing State) -> Bool {
    // A suspended or terminated application is woken only for significant changes, with this permission.
    let wakes = state.authorization == .authorizedAlways
    switch state.phase {
    case .running:
      let (authorization, isInBackground) = (state.authorization, state.backgroundSince != nil)
      return state.entries.values.contains { entry in
        entry.subscription.isActive
          && entry.subscription.isAllowed(authorization, isInBackground: isInBackground, hasMode: hasMode)
      }
    case .suspended: return wakes && state.entries.values.contains { $0.subscription.isMonitoring }
    case .terminated: return wakes && state.afterEnd != nil
    }
  }

  /// Handles a report from the given run of a source.
  private func take(_ report: PlaceReport, _ run: Int) {
    guard state.withLock({ $0.run == run && $0.isSourceOn }) else { return }
    switch report {
    case .place(let place):
      let diagnostic = state.withLock { state -> (@Sendable (String) -> Void)? in
        defer { state.trouble = nil }
        state.newest = place
        state.lastKnown = place
        return state.trouble == nil ? nil : state.onDiagnostic
      }
      diagnostic?("locations arrive again")
      notice(place)
      offerNewest()
    case .unavailable(let reason): fail(reason)
    }
  }

  private func fail(_ reason: String) {
    let diagnostic = state.withLock { state -> (@Sendable (String) -> Void)? in
      state.changeEntries { if $0.subscription.isActive { $0.tellOfTrouble() } }
      defer { state.trouble = reason }
      return state.trouble == reason ? nil : state.onDiagnostic
    }
    diagnostic?("no location: \(reason)")
    schedule()
  }

  // MARK: The managers

  private func notice(_ place: Place) {
    let now = clock.now
    state.withLock { state in
      let still = max(Self.stillDistance, place.horizontalAccuracy)
      // A new anchor postpones the pause. The worker needs no signal, because it wakes at the earlier deadline
      // and then computes the new one.
      if let anchor = state.anchor, anchor.place.distance(to: place) < still { return }
      state.anchor = (place, now)
    }
  }

  /// Passes the newest location to the managers that want it, or only to the given one. If the application is suspended
  /// or terminated, wakes it instead, provided that the change is significant.
  func offerNewest(to only: ManagerID? = nil) {
    let now = clock.now
    let wakes = state.withLock { state -> Bool in
      guard let place = state.newest else { return false }
      switch state.phase {
      case .suspended: return state.entries.values.contains { $0.subscription.wouldWake(place, at: now) }
      case .terminated: return state.afterEnd?.wouldWake(place, at: now) ?? false
      case .running:
        let (authorization, isInBackground) = (state.authorization, state.backgroundSince != nil)
        state.changeEntries(of: only) { entry in
          guard entry.subscription.isActive,
            entry.subscription.isAllowed(authorization, isInBackground: isInBackground, hasMode: hasMode),
            let seen = entry.subscription.take(place, at: now)
          else { return }
          entry.pending.append(.location(CLLocation(seen)))
          if entry.pending.count > Self.pendingLimit { entry.pending.removeFirst() }
        }
        return false
      }
    }
    if wakes { device?.wakeForLocation() }
    schedule()
    // After a fulfilled request the source may not be needed any more.
    settle()
  }

  /// Enqueues the pending calls, unless the application is suspended or terminated.
  func schedule() {
    let ids = state.withLock { state -> [ManagerID] in
      guard state.phase == .running else { return [] }
      let ids = state.entries.keys.sorted().filter { id in
        state.entries[id].map { !$0.pending.isEmpty && !$0.isScheduled } ?? false
      }
      for id in ids { state.entries[id]?.isScheduled = true }
      return ids
    }
    for id in ids { mainQueue.enqueue { [weak self] in self?.deliver(id) } }
  }

  /// Makes the pending calls of a manager. What these calls add is scheduled for a later turn of the main queue, so that the
  /// queue is not held up. Must be called on the main queue.
  private func deliver(_ id: ManagerID) {
    var remaining = state.withLock { state in
      state.entries[id]?.isScheduled = false
      return state.entries[id]?.pending.count ?? 0
    }
    while let (reference, deliveries, observer) = takePending(id, limit: remaining) {
      guard let manager = reference.manager else { return }
      remaining -= deliveries.count
      manager.receive(deliveries, observer)
    }
  }

  /// Removes and returns the next call, with at most `limit` consecutive locations combined; nil if none may be made.
  private func takePending(
    _ id: ManagerID, limit: Int
  ) -> (ManagerReference, [Delivery], (@Sendable (CLLocation) -> Void)?)? {
    state.withLock { state in
      guard state.phase == .running, let entry = state.entries[id], !entry.pending.isEmpty, limit > 0 else {
        return nil
      }
      let count = max(1, entry.pending.prefix(limit).prefix(while: \.isLocation).count)
      state.entries[id]?.pending.removeFirst(count)
      return (entry.manager, Array(entry.pending.prefix(count)), state.onUpdate)
    }
  }

  // MARK: Background execution

  private func tellKeeper() {
    while true {
      let keeps = state.withLock { state -> Bool? in
        let authorization = state.authorization
        let keeps = state.entries.values.map(\.subscription).contains { wanted in
          wanted.hasRunningUpdates && wanted.allowsBackground
            && wanted.isAllowed(authorization, isInBackground: true, hasMode: hasMode)
        }
        // The thread that is already reporting checks the state again afterwards.
        guard keeps != state.isToldToKeep, !state.isTelling else { return nil }
        state.isToldToKeep = keeps
        state.isTelling = true
        return keeps
      }
      guard let keeps else { return }
      device?.setKeeping(.location, keeps)
      state.withLock { $0.isTelling = false }
    }
  }

  // MARK: Deadlines

  /// Creates the worker for deadlines; nil if there is no deadline.
  private func makeWorker() -> (any Worker)? {
    guard state.withLock({ nextDeadline($0) != nil }) else { return nil }
    return clock.makeWorker("location-time") { [weak self] in self?.watch() ?? .whenSignalled }
  }

  /// Returns the time at which updates pause if the device does not move. Returns nil in the foreground, without a
  /// location, or if no updates may pause.
  private func pauseTime(_ state: borrowing State) -> HostTime? {
    guard state.phase == .running, let since = state.backgroundSince, let anchor = state.anchor,
      state.entries.values.contains(where: { $0.subscription.mayPause })
    else { return nil }
    return max(since, anchor.at).advanced(bySeconds: Self.stillLimit)
  }

  private func nextDeadline(_ state: borrowing State) -> HostTime? {
    guard state.phase == .running else { return nil }
    let requests = state.entries.values.compactMap(\.subscription.requestDeadline)
    return (requests + [pauseTime(state)].compactMap { $0 }).min()
  }

  /// The worker's body: handles expired requests and the pause time.
  private func watch() -> WorkerNext {
    let now = clock.now
    state.withLock { state in
      guard state.phase == .running else { return }
      let pauses = pauseTime(state).map { $0 <= now } ?? false
      state.changeEntries { entry in
        if let deadline = entry.subscription.requestDeadline, deadline <= now {
          entry.subscription.requestDeadline = nil
          entry.pending.append(.failure(CLError(.locationUnknown)))
        }
        if pauses, entry.subscription.mayPause {
          entry.subscription.isPaused = true
          entry.pending.append(.paused)
        }
      }
    }
    // The delegate is called before the application may be suspended.
    schedule()
    settle(signalsWorker: false)
    return state.withLock { nextDeadline($0) }.map(WorkerNext.at) ?? .whenSignalled
  }
}
