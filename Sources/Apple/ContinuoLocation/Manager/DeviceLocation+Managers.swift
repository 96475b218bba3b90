import Clocks
import Synchronization

// The requests of managers.
extension DeviceLocation {
  /// Adds a manager and returns its identifier. A manager of a terminated application receives nothing.
  func add(_ manager: CLLocationManager) -> ManagerID {
    state.withLock { state in
      state.lastID += 1
      if state.phase != .terminated {
        var entry = Entry(manager: ManagerReference(manager))
        entry.subscription.allowsBackground = state.isLinkedBeforeIOS9 && hasMode
        state.entries[state.lastID] = entry
      }
      return state.lastID
    }
  }

  func remove(_ id: ManagerID) {
    let old = state.withLock { $0.entries.removeValue(forKey: id) }
    withExtendedLifetime(old) {}
    settle()
  }

  /// Returns a manager's subscription; the default after its application has terminated.
  func subscription(_ id: ManagerID) -> Subscription {
    state.withLock { $0.entries[id]?.subscription } ?? Subscription()
  }

  func change(_ id: ManagerID, _ change: (inout Subscription) -> Void) {
    state.withLock { state in state.changeEntries(of: id) { change(&$0.subscription) } }
    settle()
  }

  /// Stops a manager's updates and discards locations pending for a busy main queue.
  func stopUpdating(_ id: ManagerID) {
    state.withLock { state in
      state.entries[id]?.subscription.stopUpdating()
      state.entries[id]?.dropPlaces()
    }
    settle()
  }

  /// Begins updates, monitoring or a request. If permission is refused, each call delivers the error `denied`. Otherwise a
  /// repeated call has no effect. If the source is already on, delivers the newest location that it has reported.
  /// Delivers the error `locationUnknown` if the source has failed.
  func begin(_ id: ManagerID, _ change: (inout Subscription, _ inFront: Bool) -> Void) {
    let now = clock.now
    let offers = state.withLock { state in
      guard var entry = state.entries[id] else { return false }
      let old = entry.subscription
      change(&entry.subscription, state.backgroundSince == nil)
      // Updates that start now pause after a further `stillLimit`, however long the device was still before.
      if !old.hasRunningUpdates, entry.subscription.hasRunningUpdates { state.anchor?.at = now }
      let isNew = entry.subscription.hasBegun(since: old)
      if state.authorization.isRefused {
        entry.refuse()
      } else if isNew, state.trouble != nil {
        entry.tellOfTrouble()
      }
      state.entries[id] = entry
      return isNew && state.isSourceOn
    }
    settle()
    if offers { offerNewest(to: id) }
    schedule()
  }

  /// Reports the authorization to a manager's delegate, as to every new delegate.
  func tellAuthorization(_ id: ManagerID) {
    state.withLock { $0.entries[id]?.pending.append(.authorization) }
    schedule()
  }

  /// The newest known location, if the application is authorized to use it.
  var newestLocation: CLLocation? {
    let place = state.withLock { $0.authorization.isGranted ? $0.lastKnown : nil }
    return place.map { CLLocation($0) }
  }

  var hasSource: Bool { state.withLock { $0.source != nil } }

  // MARK: Permission

  /// Requests permission from the user, if `usage` contains the usage description.
  func requestAuthorization(always: Bool) {
    let (usage, diagnostic) = state.withLock { ($0.usage, $0.onDiagnostic) }
    guard let text = always ? usage.always : usage.whenInUse else {
      diagnostic?(
        "nobody is asked for permission: Info.plist lacks "
          + (always ? "NSLocationAlwaysAndWhenInUseUsageDescription" : "NSLocationWhenInUseUsageDescription"))
      return
    }
    mainQueue.enqueue { [weak self] in self?.ask(text, always: always) }
  }

  /// Asks the user, unless the application has the requested permission or was refused any use. Called on the main queue.
  private func ask(_ text: String, always: Bool) {
    let (present, answer, hasDeclined, handler) = state.withLock {
      ($0.authorization, $0.answer, $0.hasDeclinedAlways, $0.onPermissionRequest)
    }
    guard present == .notDetermined || (present == .authorizedWhenInUse && always && !hasDeclined) else {
      return
    }
    if always, answer == .authorizedWhenInUse { state.withLock { $0.hasDeclinedAlways = true } }
    handler?(text)
    let granted: CLAuthorizationStatus =
      always && answer == .authorizedAlways ? .authorizedAlways : .authorizedWhenInUse
    switch present {
    case .notDetermined where answer != .notDetermined: authorize(answer.isRefused ? answer : granted)
    case .authorizedWhenInUse where granted == .authorizedAlways: authorize(granted)
    default: break
    }
  }

  func authorize(_ status: CLAuthorizationStatus) {
    state.withLock { state in
      guard state.authorization != status else { return }
      state.authorization = status
      state.changeEntries { entry in
        entry.pending.removeAll { $0 == .authorization }
        entry.pending.append(.authorization)
        guard status.isRefused else { return }
        entry.dropPlaces()
        if entry.subscription.isActive { entry.refuse() }
      }
    }
    settle()
    offerNewest()
    schedule()
  }
}
