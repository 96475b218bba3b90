import Clocks
import Synchronization

/// Reasons to keep the application running, and the parts that are suspended with it.
extension Device {
  /// Reports whether the reason `keeper` holds. The background modes decide whether it counts.
  ///
  /// The caller decides what counts as stopping. Audio stops when it is paused or the queue ends, but not at
  /// the transition between items. A player passes a `grace` while it has an underrun, has lost its server or
  /// has yet to begin, so that a short gap causes no permanent suspension.
  ///
  /// - Parameters:
  ///   - keeper: the reason, `audio` or `location`; others have no effect.
  ///   - isKeeping: whether the reason holds. Repeated reports have no effect.
  ///   - grace: the time, in seconds, for which a reason that no longer holds still counts. With 0 or less
  ///     and with NaN there is no grace. The grace ends early when the reason holds again, or when the caller
  ///     reports without grace that it does not. Until one of the two is reported, no report extends or
  ///     restarts the grace.
  ///
  /// Any thread; does not block. A resulting suspension never runs inside this call.
  package func setKeeping(_ keeper: BackgroundKeeper, _ isKeeping: Bool, grace: Double = 0) {
    perform(as: .application) { state, now in
      if isKeeping || !(grace > 0) {
        state.keepers.set(keeper, holds: isKeeping)
      } else {
        state.keepers.release(keeper, at: now.advanced(bySeconds: grace))
      }
      state.handle(.keepersChanged(state.keepers.counting), at: now)
    }
  }

  /// Returns the part of the given type, created with `make` and added to this device on first use. Any
  /// thread; `make` must not block. The result of `make` is dropped if another thread was faster.
  package func part<Part: Suspendable>(_ make: (Device) -> Part) -> Part {
    let key = ObjectIdentifier(Part.self)
    if let present = shared.withLock({ $0.parts[key] }) as? Part { return present }
    let made = make(self)
    let other = shared.withLock { state -> (any Suspendable)? in
      if let other = state.parts[key] { return other }
      state.parts[key] = made
      return nil
    }
    if let other = other as? Part { return other }
    add(made)
    return made
  }

  /// Adds an object that is suspended, resumed and terminated with the application, in the order of addition.
  /// If the application is already in the background, suspended or terminated, notifies `suspendable`. The device
  /// retains the object until it is removed. Any thread.
  public func add(_ suspendable: any Suspendable) {
    perform(as: .application) { state, now in state.steps.append((now, .add(suspendable))) }
  }

  /// Removes and releases `suspendable` after the transitions already requested. It then receives no calls
  /// and keeps its present state. Any thread.
  public func remove(_ suspendable: any Suspendable) {
    perform(as: .application) { state, now in state.steps.append((now, .remove(suspendable))) }
  }

  // MARK: VoIP

  /// Replaces the handler that is called on the main queue every `interval` seconds, also during suspension;
  /// nil ends the calls. Returns false, without any effect, if the request is refused.
  func setKeepAlive(_ interval: Double, handler: (@Sendable () -> Void)?) -> Bool {
    let (isGranted, old) = perform(as: .application) { state, now in
      state.handle(.keepAliveChanged(handler == nil ? nil : interval), at: now)
      guard handler == nil || state.machine.keepAlive?.interval == interval else { return (false, handler) }
      defer { state.keepAliveHandler = handler }
      return (true, state.keepAliveHandler)
    }
    // Releasing the old handler may run foreign code (a deinit), so it must not happen under the lock.
    withExtendedLifetime(old) {}
    return isGranted
  }

  func refuseVoIPSocket(_ refusal: LifecycleRefusal) {
    perform(as: .application) { state, now in state.steps.append((now, .action(.note(.refused(refusal))))) }
  }

  // MARK: Background tasks

  private static let lastTask = Atomic<Int>(0)

  /// Begins a task. `handler` is called on the main queue. Returns `.invalid` if the task is refused.
  func beginTask(_ name: String?, handler: (@Sendable () -> Void)?) -> UIBackgroundTaskIdentifier {
    let number = Self.lastTask.add(1, ordering: .relaxed).newValue
    let id = UIBackgroundTaskIdentifier(rawValue: number)
    return perform(as: .application) { state, now in
      state.handle(.taskBegan(id, name: name, hasHandler: handler != nil), at: now)
      guard state.machine.tasks.contains(where: { $0.id == id }) else { return .invalid }
      state.handlers[id] = handler
      return id
    }
  }

  /// Ends a task and releases its handler without calling it.
  func endTask(_ id: UIBackgroundTaskIdentifier) {
    // Releasing the handler may run foreign code (a deinit), so it must not happen under the lock.
    let handler = perform(as: .application) { state, now in
      state.handle(.taskEnded(id), at: now)
      return state.handlers.removeValue(forKey: id)
    }
    withExtendedLifetime(handler) {}
  }
}
