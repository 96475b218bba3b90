import Foundation
import Synchronization

/// An observation as the observed object sees it.
protocol ObjectObservation: AnyObject, Sendable {
  /// Calls the handler if the observed value has changed. Main queue.
  func check()
  /// Ends the observation: the handler is not called again.
  func end()
}

/// An object of this module that can be observed.
protocol ObservedObject: AnyObject {
  var observations: ObservationList { get }
}

/// The observations of one object.
final class ObservationList: Sendable {
  private let entries = Mutex<[any ObjectObservation]>([])

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
  /// The observations that have not yet checked for the last change. Used on the main queue only; the lock is
  /// for `Sendable`.
  private let waiting = Mutex<[any ObjectObservation]>([])
  private let mayCall: @Sendable () -> Bool

  /// No handler is called while `mayCall` returns false.
  init(mayCall: @escaping @Sendable () -> Bool) { self.mayCall = mayCall }

  /// Lets all waiting observations check. To be called before the next change.
  func settle() {
    while mayCall(), let next = waiting.withLock({ $0.popLast() }) { next.check() }
  }

  /// Whether observations still wait, because a handler suspended the players.
  var isWaiting: Bool { waiting.withLock { !$0.isEmpty } }

  /// Lets all observations of `lists` check. To be called after a change.
  func announce(_ lists: [ObservationList]) {
    waiting.withLock { waiting in
      for list in lists.reversed() { waiting += list.all.reversed() }
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

  private let unwraps: Bool
  private let didUseStandIn = Atomic<Bool>(false)

  private init(unwraps: Bool) { self.unwraps = unwraps }

  /// The value at `keyPath`; nil if the path unwraps an item that is not there.
  static func value<Root, Value>(of root: Root, at keyPath: KeyPath<Root, Value>, unwraps: Bool) -> Value? {
    let evaluation = PathEvaluation(unwraps: unwraps)
    let value = $current.withValue(evaluation) { root[keyPath: keyPath] }
    return evaluation.didUseStandIn.load(ordering: .relaxed) ? nil : value
  }

  private static let standIn = AVPlayerItem(asset: AVURLAsset(url: URL(fileURLWithPath: "/")))

  /// What `currentItem` is where there is none.
  var missingItem: AVPlayerItem? {
    guard unwraps else { return nil }
    didUseStandIn.store(true, ordering: .relaxed)
    return Self.standIn
  }
}
