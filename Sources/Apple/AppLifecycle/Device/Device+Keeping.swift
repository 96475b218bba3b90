import HostTime
import Synchronization

/// Reasons to keep the application running, and the parts that are suspended with it.
extension Device {
  /// Reports that the reason `keeper` now holds or no longer holds. The background modes decide whether it
  /// counts.
  ///
  /// The caller decides what counts as stopping. Audio stops when it is paused or the queue ends, but not at
  /// the transition between items. A player passes a `grace` while it has an underrun, has lost its server or
  /// has yet to begin. A short gap then does not cause a permanent suspension.
  ///
  /// - Parameters:
  ///   - keeper: the reason. Reasons are not counted: repeated reports have no effect. Only `audio` and
  ///     `location` are reported here; the others have no effect.
  ///   - isKeeping: whether the reason holds.
  ///   - grace: the time, in seconds, for which a reason that no longer holds still counts. The grace ends
  ///     early when the reason holds again, or when the caller reports without grace that it does not. Until
  ///     then no further report extends the grace, even after it has expired. At 0 or less, and NaN, the
  ///     reason stops counting immediately.
  ///
  /// Any thread; does not block. A resulting suspension never runs inside this call.
  package func setKeeping(_ keeper: BackgroundKeeper, _ isKeeping: Bool, grace: Double = 0) {
    perform(as: .application) { state, now in
      if isKeeping {
        state.keepers.hold(keeper)
      } else if grace > 0 {
        state.keepers.release(keeper, at: now.advanced(bySeconds: grace))
      } else {
        state.keepers.release(keeper)
      }
      state.handle(.keepersChanged(state.keepers.counting), at: now)
    }
  }

  /// Returns the part of the application with the given type, which another module has added to this device.
  /// Creates it with `make` on first use. Any thread; `make` must not block. Its result is dropped if another
  /// thread was faster.
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
  /// If the application is suspended or terminated now, `suspendable` is notified immediately. Retained until
  /// it is removed. Any thread.
  public func add(_ suspendable: any Suspendable) {
    perform(as: .application) { state, now in state.steps.append((now, .add(suspendable))) }
  }

  /// Stops all calls to `suspendable`, which keeps its present state, and releases it. Any thread.
  public func remove(_ suspendable: any Suspendable) {
    perform(as: .application) { state, now in state.steps.append((now, .remove(suspendable))) }
  }

  // MARK: VoIP

  /// Replaces the handler that is called on the main queue every `interval` seconds, also while the
  /// application is suspended. A nil `handler` ends the calls. Returns false, without any effect, if the
  /// request is refused.
  func setKeepAlive(_ interval: Double, handler: (@Sendable () -> Void)?) -> Bool {
    let (isGranted, old) = perform(as: .application) { state, now in
      state.handle(.keepAliveChanged(handler == nil ? nil : interval), at: now)
      guard handler == nil || state.machine.keepAlive?.interval == interval else {
        return (false, handler)
      }
      let old = state.keepAliveHandler
      state.keepAliveHandler = handler
      return (true, old)
    }
    // Releasing the old handler may run foreign code (a deinit), so it must not happen under the lock.
    withExtendedLifetime(old) {}
    return isGranted
  }

  /// Records that the registration of a descriptor was refused.
  func refuseVoIPSocket(_ refusal: LifecycleRefusal) {
    perform(as: .application) { state, now in
      state.steps.append((now, .action(.note(.refused(refusal)))))
    }
  }

  // MARK: The application's tasks

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

  /// Ends a task and releases its handler, which is no longer called.
  func endTask(_ id: UIBackgroundTaskIdentifier) {
    // Releasing the handler may run foreign code (a deinit), so it must not happen under the lock.
    let handler = perform(as: .application) { state, now in
      state.handle(.taskEnded(id), at: now)
      return state.handlers.removeValue(forKey: id)
    }
    withExtendedLifetime(handler) {}
  }
}
