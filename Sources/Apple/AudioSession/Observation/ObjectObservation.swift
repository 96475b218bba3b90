import Synchronization

/// The interface of an observation to the observed object.
protocol ObjectObservation: AnyObject, Sendable {
  /// Prepares for a change of the properties in `changing`. With `.prior`, calls the handler if the observed
  /// path leads through one of them. Main queue.
  func prepare(for changing: [ObservedProperty])
  /// Completes a change of the properties in `changed`. Calls the handler if the value at the observed path
  /// differs. Also calls it, even for an equal value, if the path leads through one of these properties. Main
  /// queue.
  func check(_ changed: [ObservedProperty])
  func end()
}

package protocol ObservedObject: AnyObject {
  var observations: ObservationList { get }
}

/// The observations of one object.
package final class ObservationList: Sendable {
  private let entries: Mutex<[any ObjectObservation]>
  /// The bridge to Swift Observation; nil if the object is not tracked.
  let tracked: TrackedProperties?

  package init(tracked: TrackedProperties? = nil) {
    self.tracked = tracked
    entries = Mutex(tracked.map { [$0] } ?? [])
  }

  /// The observations in the order in which they were added.
  var all: [any ObjectObservation] { entries.withLock { $0 } }

  func add(_ observation: any ObjectObservation) { entries.withLock { $0.append(observation) } }

  func remove(_ observation: any ObjectObservation) {
    let removed = entries.withLock { entries in
      entries.firstIndex { $0 === observation }.map { entries.remove(at: $0) }
    }
    // Releasing the handler may run foreign code (a deinit), so it must not happen under the lock.
    withExtendedLifetime(removed) {}
  }
}

/// Notifies observers of changes, one change after the other.
///
/// A handler may call the player, which then changes again before the handler returns. Observers that do not
/// know the first change must be notified before the second change is made. Otherwise they would miss the
/// first one.
package final class ChangeAnnouncer: Sendable {
  private struct State {
    /// The observations whose `check` was not yet called for the last change.
    var waiting: [(observation: any ObjectObservation, changed: [ObservedProperty])] = []
    /// The number of changes in preparation. Nested changes occur when a handler of one makes another.
    var preparing = 0
  }

  /// Used on the main queue only. The lock exists for `Sendable`.
  private let state = Mutex(State())
  /// No handler is called while this returns false.
  private let mayCall: @Sendable () -> Bool

  package init(mayCall: @escaping @Sendable () -> Bool) { self.mayCall = mayCall }

  /// Calls `check` on the waiting observations, as far as `mayCall` permits. Must be called before the next
  /// change.
  package func settle() {
    while mayCall(), let next = state.withLock({ $0.waiting.popLast() }) {
      next.observation.check(next.changed)
    }
  }

  /// Whether observations still wait, because `mayCall` has returned false meanwhile.
  package var isWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Whether `.prior` handlers are running. Another change has to wait for them.
  package var isPreparing: Bool { state.withLock { $0.preparing > 0 } }

  /// Completes earlier changes as `settle` does, then calls `prepare` on the observations in `lists`, as far as `mayCall`
  /// permits. Must be called before a change.
  package func prepare(_ lists: [ObservationList], for changing: [ObservedProperty]) {
    settle()
    state.withLock { $0.preparing += 1 }
    defer { state.withLock { $0.preparing -= 1 } }
    for list in lists {
      for observation in list.all where mayCall() { observation.prepare(for: changing) }
    }
  }

  /// Calls `check` on all observations in `lists`, deferred until `mayCall` permits. Must be called after a
  /// change of the properties in `changed`; empty means unspecified properties.
  package func announce(_ lists: [ObservationList], changed: [ObservedProperty] = []) {
    state.withLock { state in
      for list in lists.reversed() { state.waiting += list.all.reversed().map { ($0, changed) } }
    }
    settle()
  }
}

/// The evaluation of a key path for an observation.
///
/// During an evaluation, properties return the values last reported to observers, on any thread. If no
/// current item exists and the path unwraps `currentItem` with `!`, the property returns a placeholder.
/// Without the placeholder, evaluating the path would stop the program.
package final class PathEvaluation: Sendable {
  /// The key-path evaluation in progress in the current task; nil if none.
  @TaskLocal package static var current: PathEvaluation?

  /// `nonisolated(unsafe)` is safe here, because key paths are immutable and only the type and the
  /// description are read.
  private nonisolated(unsafe) let keyPath: AnyKeyPath
  private let didUseStandIn = Atomic<Bool>(false)
  /// An array, because the elements are few, and a set would cost a search through all conformances of the
  /// program at startup.
  private let properties = Mutex<[ObservedProperty]>([])

  private init(_ keyPath: AnyKeyPath) { self.keyPath = keyPath }

  /// Returns the value at `keyPath` and the properties on the path. The value is nil if the path unwraps a
  /// missing item.
  static func value<Root, Value>(
    of root: Root, at keyPath: KeyPath<Root, Value>
  ) -> (value: Value?, properties: [ObservedProperty]) {
    let evaluation = PathEvaluation(keyPath)
    let value = $current.withValue(evaluation) { root[keyPath: keyPath] }
    let isMissing = evaluation.didUseStandIn.load(ordering: .relaxed)
    return (isMissing ? nil : value, evaluation.properties.withLock { $0 })
  }

  func note(_ property: ObservedProperty) {
    properties.withLock { if !$0.contains(property) { $0.append(property) } }
  }

  /// Returns the value of a property whose object is missing: nil if the path ends with the object or contains no `!`,
  /// otherwise a placeholder.
  ///
  /// Only the description of a key path shows whether it unwraps. The first description in a program takes a
  /// millisecond, so none is made for a path that ends with the object.
  package func missing<Object: AnyObject>(_ placeholder: @autoclosure () -> Object) -> Object? {
    guard type(of: keyPath).valueType != Optional<Object>.self, keyPath.debugDescription.contains("!") else {
      return nil
    }
    didUseStandIn.store(true, ordering: .relaxed)
    return placeholder()
  }
}
