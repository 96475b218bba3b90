import Foundation
import Synchronization

/// An observation as the observed object sees it.
protocol ObjectObservation: AnyObject, Sendable {
  /// Some properties are about to change. With `.prior`, calls the handler if the observed path leads through one of
  /// them. Main queue.
  func prepare(for changing: Set<ObservedProperty>)
  /// Calls the handler if the observed path leads through one of the properties that `changed`, even to the same value;
  /// or if its value differs. Main queue.
  func check(_ changed: Set<ObservedProperty>)
  /// Ends the observation: the handler is not called again.
  func end()
}

/// An object of this module that can be observed.
protocol ObservedObject: AnyObject {
  var observations: ObservationList { get }
}

/// The observations of one object.
final class ObservationList: Sendable {
  private let entries: Mutex<[any ObjectObservation]>
  /// For Swift Observation, if it is to know of the object.
  let tracked: TrackedProperties?

  init(tracked: TrackedProperties? = nil) {
    self.tracked = tracked
    entries = Mutex(tracked.map { [$0] } ?? [])
  }

  /// All observations, in the order in which they were added.
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

/// Tells observers of changes, one change after the other.
///
/// A handler may call the player, which then changes again before the handler returns. Observers that were
/// not told of the first change must be told before the second one is made, or they would miss it.
final class ChangeAnnouncer: Sendable {
  private struct State {
    /// The observations that have not yet checked for the last change.
    var waiting: [(observation: any ObjectObservation, changed: Set<ObservedProperty>)] = []
    /// How many changes are about to be made, one inside a handler that is told of the other.
    var preparing = 0
  }

  /// Used on the main queue only; the lock is for `Sendable`.
  private let state = Mutex(State())
  private let mayCall: @Sendable () -> Bool

  /// No handler is called while `mayCall` returns false.
  init(mayCall: @escaping @Sendable () -> Bool) { self.mayCall = mayCall }

  /// Lets all waiting observations check. To be called before the next change.
  func settle() {
    while mayCall(), let next = state.withLock({ $0.waiting.popLast() }) {
      next.observation.check(next.changed)
    }
  }

  /// Whether observations still wait, because a handler suspended the players.
  var isWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Whether handlers are being told that a change is about to be made: another one has to wait for it.
  var isPreparing: Bool { state.withLock { $0.preparing > 0 } }

  /// Tells those observations of `lists` that want to know before. To be called before a change.
  func prepare(_ lists: [ObservationList], for changing: Set<ObservedProperty>) {
    settle()
    state.withLock { $0.preparing += 1 }
    defer { state.withLock { $0.preparing -= 1 } }
    for list in lists {
      for observation in list.all where mayCall() { observation.prepare(for: changing) }
    }
  }

  /// Lets all observations of `lists` check. To be called after a change of the properties `changed`, or of others that
  /// nobody names.
  func announce(_ lists: [ObservationList], changed: Set<ObservedProperty> = []) {
    state.withLock { state in
      for list in lists.reversed() { state.waiting += list.all.reversed().map { ($0, changed) } }
    }
    settle()
  }
}

/// How a key path is followed for an observation.
///
/// While one is followed, the properties on its way say what the observers were told last, on any thread; and
/// a `currentItem` that a path unwraps with `!` is a stand-in where there is none, because following the path
/// would stop the program.
final class PathEvaluation: Sendable {
  @TaskLocal static var current: PathEvaluation?

  /// Unsafe: key paths do not change, and of this one only the description is asked.
  private nonisolated(unsafe) let keyPath: AnyKeyPath
  private let didUseStandIn = Atomic<Bool>(false)
  private let properties = Mutex<Set<ObservedProperty>>([])

  private init(_ keyPath: AnyKeyPath) { self.keyPath = keyPath }

  /// The value at `keyPath`, nil if the path unwraps an item that is not there; and the properties that it leads through.
  static func value<Root, Value>(
    of root: Root, at keyPath: KeyPath<Root, Value>
  ) -> (value: Value?, properties: Set<ObservedProperty>) {
    let evaluation = PathEvaluation(keyPath)
    let value = $current.withValue(evaluation) { root[keyPath: keyPath] }
    let isMissing = evaluation.didUseStandIn.load(ordering: .relaxed)
    return (isMissing ? nil : value, evaluation.properties.withLock { $0 })
  }

  /// The path leads through `property`.
  func note(_ property: ObservedProperty) { properties.withLock { _ = $0.insert(property) } }

  private static let standIn = AVPlayerItem(asset: AVURLAsset(url: URL(fileURLWithPath: "/")))

  /// What `currentItem` is where there is none.
  ///
  /// Only a description tells whether a path unwraps. The first one costs a program a millisecond, so that none is made
  /// for a path that needs no item or ends with it.
  var missingItem: AVPlayerItem? {
    guard type(of: keyPath).valueType != AVPlayerItem?.self, keyPath.debugDescription.contains("!") else {
      return nil
    }
    didUseStandIn.store(true, ordering: .relaxed)
    return Self.standIn
  }
}
