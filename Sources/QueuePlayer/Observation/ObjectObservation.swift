import Foundation
import Synchronization

/// An observation as the observed object sees it.
protocol ObjectObservation: AnyObject, Sendable {
  /// Something about the object changed: looks whether it is what is observed, and tells. Main queue.
  func check()
  /// Tells nothing any more.
  func end()
}

/// An object of this module that can be observed.
protocol ObservedObject: AnyObject {
  var observations: ObservationList { get }
}

/// The observations of one object.
final class ObservationList: Sendable {
  private let entries = Mutex<[any ObjectObservation]>([])

  /// Those there are, in the order of their making.
  var all: [any ObjectObservation] { entries.withLock { $0 } }

  func add(_ observation: any ObjectObservation) { entries.withLock { $0.append(observation) } }

  func remove(_ observation: any ObjectObservation) {
    let removed = entries.withLock { entries in
      entries.firstIndex { $0 === observation }.map { entries.remove(at: $0) }
    }
    // What the handler holds goes outside of the lock.
    withExtendedLifetime(removed) {}
  }
}

/// Tells observers of changes, one change after the other.
///
/// A handler may call the player, which changes and tells again before it returns. Whoever was not told of the first
/// change yet must be told before the second one is made, or would miss it.
final class ChangeAnnouncer: Sendable {
  /// Who is still to look at the last change. Main queue only, but for the lock's sake of proof.
  private let waiting = Mutex<[any ObjectObservation]>([])
  private let mayCall: @Sendable () -> Bool

  /// Nobody is served while `mayCall` says no.
  init(mayCall: @escaping @Sendable () -> Bool) { self.mayCall = mayCall }

  /// Serves everybody who waits. To be called before anything changes.
  func settle() {
    while mayCall(), let next = waiting.withLock({ $0.popLast() }) { next.check() }
  }

  /// Whether somebody waits still: what he is served with ended calling.
  var isWaiting: Bool { waiting.withLock { !$0.isEmpty } }

  /// Has all observations of `lists` look. To be called after a change.
  func announce(_ lists: [ObservationList]) {
    waiting.withLock { waiting in
      for list in lists.reversed() { waiting += list.all.reversed() }
    }
    settle()
  }
}

/// How a key path is followed for an observation.
///
/// While one is followed, the properties on its way say what the observers were told last, on any thread; and a
/// `currentItem` that a path unwraps with `!` is a stand-in where there is none, because following the path would
/// stop the program.
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
