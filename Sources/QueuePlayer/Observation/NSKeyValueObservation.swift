public import Foundation
import Synchronization

// Linux Foundation has no key-value observing. These are its types with Apple's names, for the objects of
// this module.

/// What a change handler receives, and when it is called.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The option bits, with Apple's values.
  public let rawValue: UInt
  /// Options of these bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// `NSKeyValueObservedChange.newValue` is set.
  public static let new = NSKeyValueObservingOptions(rawValue: 1)
  /// `NSKeyValueObservedChange.oldValue` is set.
  public static let old = NSKeyValueObservingOptions(rawValue: 2)
  /// The handler is called once at once, before `observe` returns, on the caller's thread.
  public static let initial = NSKeyValueObservingOptions(rawValue: 4)
  /// The handler is called twice for each change: with `isPrior` before it, while the object still has the old
  /// value, and afterwards. Where a property such as `AVPlayer.volume` is set on another thread than the main one
  /// both calls come afterwards.
  public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// What happened to a value. Only `setting` occurs: no collection of this module changes piece by piece.
public enum NSKeyValueChange: UInt, Sendable {
  /// It was set.
  case setting = 1
  /// Something was inserted into it.
  case insertion = 2
  /// Something was removed from it.
  case removal = 3
  /// Something in it was replaced.
  case replacement = 4
}

/// What a change handler is told.
public struct NSKeyValueObservedChange<Value> {
  /// What happened to a value.
  public typealias Kind = NSKeyValueChange

  /// The kind of change: `setting`, the only one that occurs.
  public let kind: Kind
  /// The new value, if `.new` was asked for; nil also where the path leads through nil now.
  public let newValue: Value?
  /// The value before, if `.old` was asked for; nil also where the path led through nil, and for `.initial`.
  public let oldValue: Value?
  /// The indexes of changed elements: nil, since no collection changes piece by piece.
  public let indexes: IndexSet?
  /// Whether this is the first of two calls, by `.prior`.
  public let isPrior: Bool
}

extension NSKeyValueObservedChange: Sendable where Value: Sendable {}

/// Keeps an observation alive. It ends with `invalidate()` or when this object is released.
public final class NSKeyValueObservation: NSObject, Sendable {
  private let observation: any ObjectObservation

  init(_ observation: any ObjectObservation) {
    self.observation = observation
    super.init()
  }

  /// Ends the observation; no new call of the handler begins after the return. Any thread; idempotent.
  public func invalidate() { observation.end() }

  deinit { observation.end() }
}

/// The objects whose properties can be observed: players, items, their tracks, loopers, the audio session.
///
/// Handlers are called on the main queue, in order and without leaving out a change. If a handler changes the
/// player again, the remaining observers are told of the first change before the second one is made.
public protocol KeyValueObserving: AnyObject {}

extension KeyValueObserving {
  /// Calls `changeHandler` whenever the value at `keyPath` changed. The path may lead through other objects
  /// of this module (`\.currentItem?.status`, `\.currentItem!.duration`); `self` may be of a subclass. Any
  /// thread.
  ///
  /// As with Apple's automatic notification, setting a property is a change, even to the value that it has:
  /// `rate` (also by `play()`, `pause()` and `playImmediately(atRate:)`), `defaultRate`, `volume`, `isMuted`,
  /// `actionAtItemEnd`, `automaticallyWaitsToMinimizeStalling`; an item's `forwardPlaybackEndTime`, `audioMix` and
  /// `preferredForwardBufferDuration`. So is another object on the path, even if the value at its end is the
  /// same. Properties that only the player sets are announced when they differ; `timeControlStatus` also when `rate` is
  /// set to the value that it has.
  ///
  /// - Returns: what must be kept as long as the handler is to be called.
  @preconcurrency
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let list = (self as? any ObservedObject)?.observations
    let observation = PathObservation(
      object: self, keyPath: keyPath, options: options, list: list, handler: changeHandler)
    // Added to the list before the first value is read, so that no change in between is missed.
    list?.add(observation)
    observation.begin()
    return NSKeyValueObservation(observation)
  }
}
