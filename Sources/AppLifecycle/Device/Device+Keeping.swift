import HostTime
import Synchronization

/// What keeps the application running, and what is suspended with it.
extension Device {
  /// Reports that the reason `keeper` holds from now on, or no longer. Whether it counts depends on the
  /// modes.
  ///
  /// The caller decides what counts as stopping. For audio: pausing and the end of the queue do, going from
  /// one item to the next does not, and a player that starves, has lost its server or has not begun yet passes a `grace`,
  /// so that a short gap does not get it suspended for good.
  ///
  /// - Parameters:
  ///   - keeper: the reason. Reasons are not counted: reporting the same twice changes nothing. Only `audio`
  ///     and `location` are reported here; the others have no effect.
  ///   - isKeeping: whether it holds.
  ///   - grace: seconds for which a reason that does not hold counts all the same. It ends early when the reason
  ///     holds, or when the caller reports without grace that it does not. Until then another report never makes
  ///     it longer, also when it has passed. At 0 or less, and NaN, the reason stops counting at once.
  ///
  /// Any thread; does not block. A suspension that follows never runs inside this call.
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

  /// The part of the application of that type which another module has added to this device; `make` makes it at first
  /// use. Any thread; `make` must not block, and what it has made is dropped if another thread was faster.
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

  /// Suspends, resumes and terminates `suspendable` with the application, in the order in which they were
  /// added. If the application is suspended or terminated now, `suspendable` is told at once. Retained until
  /// it is removed. Any thread.
  public func add(_ suspendable: any Suspendable) {
    perform(as: .application) { state, now in state.steps.append((now, .add(suspendable))) }
  }

  /// Makes no further calls to `suspendable`, which stays in its present state, and releases it. Any thread.
  public func remove(_ suspendable: any Suspendable) {
    perform(as: .application) { state, now in state.steps.append((now, .remove(suspendable))) }
  }

  // MARK: VoIP

  /// Has `handler` called on the main queue every so many seconds, also while the application is suspended, in place of the
  /// handler before; nil: no longer. False if that is refused, in which case nothing changes.
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
    // Releasing it may run foreign code (a deinit), so it must not happen under the lock.
    withExtendedLifetime(old) {}
    return isGranted
  }

  /// Writes down that a descriptor was not registered.
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

  /// Ends a task; its handler is released and not called any more.
  func endTask(_ id: UIBackgroundTaskIdentifier) {
    // Releasing the handler may run foreign code (a deinit), so it must not happen under the lock.
    let handler = perform(as: .application) { state, now in
      state.handle(.taskEnded(id), at: now)
      return state.handlers.removeValue(forKey: id)
    }
    withExtendedLifetime(handler) {}
  }
}
