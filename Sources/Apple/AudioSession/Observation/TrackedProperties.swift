import Observation
import Synchronization

/// Reports reads and changes of one object's properties to Swift Observation.
///
/// A member of the object's list of observations, so that tracking callbacks occur in order with other
/// observers, and not while the application is suspended.
package final class TrackedProperties: ObjectObservation, Observable {
  private let registrar = ObservationRegistrar()

  /// Represents a property as a key path, which Swift Observation requires.
  private subscript(property: ObservedProperty) -> Void { () }

  func note(_ property: ObservedProperty) { registrar.access(self, keyPath: \.[property]) }

  func prepare(for changing: [ObservedProperty]) {
    for property in changing { registrar.willSet(self, keyPath: \.[property]) }
  }

  func check(_ changed: [ObservedProperty]) {
    // A client that began to track between `prepare` and the change has read the old value, but missed
    // `willSet`.
    prepare(for: changed)
    for property in changed { registrar.didSet(self, keyPath: \.[property]) }
  }

  func end() {}

  private struct Choice {
    var isEnabled = false
    /// Whether a player or item was made, which fixes the choice.
    var isMade = false
  }

  private static let choice = Mutex(Choice())

  /// Whether new players and items are tracked by Swift Observation; false by default. A change after the first player
  /// or item was made stops the program.
  package static var isEnabled: Bool {
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

  /// Returns the tracking of a new player or item; nil if tracking is disabled.
  package static func ofNewObject() -> TrackedProperties? {
    let isEnabled = choice.withLock { choice in
      choice.isMade = true
      return choice.isEnabled
    }
    return isEnabled ? TrackedProperties() : nil
  }
}
