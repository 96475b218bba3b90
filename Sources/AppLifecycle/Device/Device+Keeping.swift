import HostTime
import Synchronization

/// What keeps the application running, and what stands still.
extension Device {
  /// Says that `keeper` holds from now on, or no longer. Whether it counts is the system's decision.
  ///
  /// The caller decides what counts as stopping. For audio: pausing and the end of the queue do, going from one
  /// item to the next does not, and a player that starves or has lost its server passes a `grace`, so that a short
  /// gap does not get it suspended for good.
  ///
  /// - Parameters:
  ///   - keeper: the reason. Each has one holder: saying the same twice changes nothing. Only `audio` is asked for
  ///     in this way; the others are without effect here.
  ///   - isKeeping: whether it holds.
  ///   - grace: seconds for which a reason that no longer holds still counts. It ends early when the reason holds
  ///     again, or when the caller says without grace that it does not. Saying it again never makes it longer.
  ///     0 or less, and NaN: it stops counting at once.
  ///
  /// Any thread; does not block. A suspension that follows does not run on the caller's stack.
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

  /// Has `suspendable` stopped, resumed and ended with the application, in the order of adding. If the application is
  /// stopped or was terminated already, it is so at once. It is kept alive until it is removed.
  public func add(_ suspendable: any Suspendable) {
    perform(as: .application) { state, now in state.steps.append((now, .add(suspendable))) }
  }

  /// Leaves `suspendable` alone from now on, in the state it is in.
  public func remove(_ suspendable: any Suspendable) {
    perform(as: .application) { state, now in state.steps.append((now, .remove(suspendable))) }
  }

  // MARK: The application's tasks

  private static let lastTask = Atomic<Int>(0)

  /// Begins a task. `handler` is called on the main queue. Returns `.invalid` if none can be had.
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

  /// Ends a task.
  func endTask(_ id: UIBackgroundTaskIdentifier) {
    // What the handler holds may call back when it goes: not under the lock.
    let handler = perform(as: .application) { state, now in
      state.handle(.taskEnded(id), at: now)
      return state.handlers.removeValue(forKey: id)
    }
    withExtendedLifetime(handler) {}
  }
}
