public import Foundation

// Linux Foundation has no key-value observing. These types have Apple's names and work with players, items,
// their tracks, loopers and the audio session.

/// Options for the values that a change handler receives, and for the times of its calls.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The option bits, with Apple's values.
  public let rawValue: UInt
  /// Creates options from their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Sets `NSKeyValueObservedChange.newValue`.
  public static let new = NSKeyValueObservingOptions(rawValue: 1)
  /// Sets `NSKeyValueObservedChange.oldValue`.
  public static let old = NSKeyValueObservingOptions(rawValue: 2)
  /// Calls the handler once before `observe` returns, on the caller's thread.
  public static let initial = NSKeyValueObservingOptions(rawValue: 4)
  /// Calls the handler twice for each change: with `isPrior` before it, and after it. If a thread other than
  /// the main thread sets a property such as `AVPlayer.volume`, both calls follow the change.
  public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The keys of the dictionary that `observeValue(forKeyPath:of:change:context:)` receives on Apple's systems.
/// Never used: Linux does not call that method.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
  /// The text of the key.
  public let rawValue: String
  /// Creates a key from its text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The kind of the change.
  public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
  /// The new value.
  public static let newKey = NSKeyValueChangeKey(rawValue: "new")
  /// The old value.
  public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
  /// The indexes of changed elements.
  public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
  /// Whether the call precedes the change.
  public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// The kind of a change. Only `setting` occurs, because no observable collection changes element by element.
public enum NSKeyValueChange: UInt, Sendable {
  /// The value was set.
  case setting = 1
  /// Elements were inserted. Does not occur.
  case insertion = 2
  /// Elements were removed. Does not occur.
  case removal = 3
  /// Elements were replaced. Does not occur.
  case replacement = 4
}

/// The change that a handler receives.
public struct NSKeyValueObservedChange<Value> {
  /// The kind of a change.
  public typealias Kind = NSKeyValueChange

  /// The kind of change. Always `setting`.
  public let kind: Kind
  /// The new value, with `.new` only; nil also if the path now unwraps nil with `!`, and if `isPrior` is true.
  public let newValue: Value?
  /// The old value, with `.old` only; nil also if the path unwrapped nil with `!`, and for `.initial`.
  public let oldValue: Value?
  /// The indexes of changed elements. Always nil, because no collection changes element by element.
  public let indexes: IndexSet?
  /// Whether this call is the first of the two that `.prior` requests for a change.
  public let isPrior: Bool
}

extension NSKeyValueObservedChange: Sendable where Value: Sendable {}

/// A handle of an observation, which ends with `invalidate()` or when the handle is released.
public final class NSKeyValueObservation: NSObject, Sendable {
  private let observation: any ObjectObservation

  init(_ observation: any ObjectObservation) {
    self.observation = observation
    super.init()
  }

  /// Ends the observation. After the return the handler is not called for further changes; only the calls for
  /// a change in progress may still come. Any thread; idempotent.
  public func invalidate() { observation.end() }

  deinit { observation.end() }
}

/// An object whose properties can be observed: players, items, their tracks, loopers, the audio session.
///
/// Handlers are called on the main queue, in order; only the call of `.initial` is on the caller's thread.
/// Successive changes of a property by another thread may be combined into one call. If a handler changes the
/// player again, the remaining observers are notified of the first change before the second one is made.
public protocol KeyValueObserving: AnyObject, SendableMetatype {}

extension KeyValueObserving {
  /// Calls `changeHandler` after each change of the value at `keyPath`, until the returned handle is released or
  /// invalidated.
  /// The path may lead through other observable objects (`\.currentItem?.status`, `\.currentItem!.duration`);
  /// `self` may be of a subclass. May be called on any thread.
  ///
  /// As in Apple's automatic notification, setting a property is a change, even to its current value. For
  /// `rate` this also holds for `play()`, `pause()` and `playImmediately(atRate:)`. A new object on the path
  /// is a change, even if the value at the end of the path is the same. Properties that only the player sets
  /// change when their values differ. `timeControlStatus` also changes when `rate` is set to its current
  /// value.
  @preconcurrency
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation { observe(keyPath, options, in: list, areEqual: nil, changeHandler) }

  /// Calls `changeHandler` as the general `observe(_:options:changeHandler:)` does. Values are compared with
  /// `==`, without a search for a conformance to `Equatable` at run time.
  @preconcurrency
  public func observe<Value: Equatable>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation { observe(keyPath, options, in: list, areEqual: { $0 == $1 }, changeHandler) }

  private var list: ObservationList? { (self as? any ObservedObject)?.observations }

  private func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, _ options: NSKeyValueObservingOptions, in list: ObservationList?,
    areEqual: ((Value, Value) -> Bool)?,
    _ changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let observation = PathObservation(
      object: self, keyPath: keyPath, options: options, list: list, areEqual: areEqual, handler: changeHandler
    )
    // Added to the list before the first value is read, so that no change in between is missed.
    list?.add(observation)
    observation.begin()
    return NSKeyValueObservation(observation)
  }
}

extension KeyValueObserving where Self: ObservedObject {
  /// Calls `changeHandler` as the public method does, which searches for a conformance at run time.
  package func observe<Value: Equatable>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    observe(keyPath, options, in: observations, areEqual: { $0 == $1 }, changeHandler)
  }
}
