public import Observation
import Synchronization

/// Tells Swift Observation of one object's properties: that they are read, and that they change.
///
/// One of the object's observations, so that what it calls comes in order with the rest, and not while the application is
/// suspended.
final class TrackedProperties: ObjectObservation, Observable {
  private let registrar = ObservationRegistrar()

  /// Stands for a property in key paths: Swift Observation knows properties by these.
  private subscript(property: ObservedProperty) -> Void { () }

  func note(_ property: ObservedProperty) { registrar.access(self, keyPath: \.[property]) }

  func prepare(for changing: Set<ObservedProperty>) {
    for property in changing { registrar.willSet(self, keyPath: \.[property]) }
  }

  func check(_ changed: Set<ObservedProperty>) {
    // Who began to track between `prepare` and the change has read the old value.
    prepare(for: changed)
    for property in changed { registrar.didSet(self, keyPath: \.[property]) }
  }

  func end() {}
}

extension TrackedProperties {
  private struct Choice {
    var isEnabled = false
    /// There is, or was, an object that the choice is about.
    var isMade = false
  }

  private static let choice = Mutex(Choice())

  static var isEnabled: Bool {
    get { choice.withLock { $0.isEnabled } }
    set {
      choice.withLock { choice in
        precondition(
          choice.isEnabled == newValue || !choice.isMade,
          "AVPlayer.isObservationEnabled cannot be changed once there was a player or an item.")
        choice.isEnabled = newValue
      }
    }
  }

  /// Those of a new player or item; nil if they are not to be tracked.
  static func ofNewObject() -> TrackedProperties? {
    let isEnabled = choice.withLock { choice in
      choice.isMade = true
      return choice.isEnabled
    }
    return isEnabled ? TrackedProperties() : nil
  }
}

extension AVPlayer: Observable {
  /// Whether players and items tell Swift Observation of the properties that can be observed, so that
  /// `withObservationTracking` and what is built on it (`Observations`) follow them; false. Players, items and their
  /// tracks are tracked either all or not at all: stops the program if it is changed after the first of them was made.
  ///
  /// What is tracked is called on the main queue just before the property changes. A property that is set on another
  /// thread calls it there afterwards.
  public static var isObservationEnabled: Bool {
    get { TrackedProperties.isEnabled }
    set { TrackedProperties.isEnabled = newValue }
  }
}

extension AVPlayerItem: Observable {}
extension AVPlayerItemTrack: Observable {}
