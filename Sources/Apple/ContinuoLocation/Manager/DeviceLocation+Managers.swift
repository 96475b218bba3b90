import HostTime
import Synchronization

// The requests of managers.
extension DeviceLocation {
  /// Adds a manager. A manager of a terminated application receives nothing.
  func add(_ manager: CLLocationManager) -> ManagerID {
    state.withLock { state in
      state.lastID += 1
      if state.phase != .terminated {
        state.entries[state.lastID] = Entry(manager: ManagerReference(manager))
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

  /// Changes a manager's subscription.
  func change(_ id: ManagerID, _ change: (inout Subscription) -> Void) {
    state.withLock { state in
      guard var entry = state.entries[id] else { return }
      change(&entry.subscription)
      state.entries[id] = entry
    }
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

  /// Begins an update or request. Delivers the newest location, if known, or an error if none is available.
  func begin(_ id: ManagerID, _ change: (inout Subscription, _ inFront: Bool) -> Void) {
    let isRunning = state.withLock { state in
      guard var entry = state.entries[id] else { return false }
      change(&entry.subscription, state.backgroundSince == nil)
      switch state.authorization {
      case .denied, .restricted:
        entry.pending.append(.failure(CLError(.denied)))
        entry.subscription.requestDeadline = nil
      case .notDetermined, .authorizedAlways, .authorizedWhenInUse:
        if state.trouble != nil, !entry.subscription.isToldOfTrouble {
          entry.subscription.isToldOfTrouble = true
          entry.pending.append(.failure(CLError(.locationUnknown)))
        }
      }
      state.entries[id] = entry
      return state.isSourceOn
    }
    settle()
    if isRunning { offerNewest(to: id) }
    schedule()
  }

  /// Reports the authorization to a manager's delegate, as to every new delegate.
  func tellAuthorization(_ id: ManagerID) {
    state.withLock { $0.entries[id]?.pending.append(.authorization) }
    schedule()
  }

  /// The newest known location, if the application is authorized to use it.
  var newestLocation: CLLocation? {
    let place: Place? = state.withLock { state in
      switch state.authorization {
      case .authorizedAlways, .authorizedWhenInUse: state.lastKnown
      case .notDetermined, .restricted, .denied: nil
      }
    }
    return place.map { CLLocation($0) }
  }

  /// Whether the device has a source of locations.
  var hasSource: Bool { state.withLock { $0.source != nil } }

  // MARK: Permission

  /// Requests permission from the user, if the application has described the use.
  func requestAuthorization(always: Bool) {
    let (usage, diagnostic) = state.withLock { ($0.usage, $0.onDiagnostic) }
    guard usage.contains(always ? .always : .whenInUse) else {
      diagnostic?(
        "nobody is asked for permission: Info.plist lacks "
          + (always ? "NSLocationAlwaysAndWhenInUseUsageDescription" : "NSLocationWhenInUseUsageDescription"))
      return
    }
    mainQueue.enqueue { [weak self] in self?.answer(always: always) }
  }

  private func answer(always: Bool) {
    let (present, answer) = state.withLock { ($0.authorization, $0.answer) }
    switch (present, answer) {
    case (.notDetermined, .notDetermined): break
    case (.notDetermined, .denied), (.notDetermined, .restricted): authorize(answer)
    case (.notDetermined, _):
      authorize(always && answer == .authorizedAlways ? .authorizedAlways : .authorizedWhenInUse)
    case (.authorizedWhenInUse, .authorizedAlways): if always { authorize(.authorizedAlways) }
    default: break
    }
  }

  /// Sets the authorization and notifies the managers.
  func authorize(_ status: CLAuthorizationStatus) {
    state.withLock { state in
      guard state.authorization != status else { return }
      state.authorization = status
      let isRefused = status == .denied || status == .restricted
      for id in state.entries.keys.sorted() {
        guard var entry = state.entries[id] else { continue }
        entry.pending.removeAll { if case .authorization = $0 { true } else { false } }
        entry.pending.append(.authorization)
        if isRefused { entry.dropPlaces() }
        if isRefused, entry.subscription.isActive {
          entry.pending.append(.failure(CLError(.denied)))
          entry.subscription.requestDeadline = nil
        }
        state.entries[id] = entry
      }
    }
    settle()
    offerNewest()
    schedule()
  }
}
