public import AudioSession
public import Foundation
public import OpenCombine

extension NSObject {
  /// A publisher of the values of an observed property.
  /// With the option `.initial`, sends the current value first. With `.prior`, also sends the old value
  /// before each change. Sends the changes that `observe(_:options:changeHandler:)` reports, on the same
  /// queue. A value that has waited for demand is sent on the thread that requests it. Never completes.
  ///
  /// Values without demand are dropped; with `.initial` the latest of them is sent on the next demand. Nothing is
  /// sent while the path unwraps a missing current item with `!`.
  public struct KeyValueObservingPublisher<Subject: KeyValueObserving, Value>: Publisher {
    /// The value at the path.
    public typealias Output = Value
    /// `Never`, because a property has no errors.
    public typealias Failure = Never

    /// The object whose property is observed.
    public let object: Subject
    /// The path from the object to the value.
    public let keyPath: KeyPath<Subject, Value>
    /// The options for the observation.
    public let options: NSKeyValueObservingOptions

    /// Creates a publisher of the values of `object` at `keyPath`.
    public init(object: Subject, keyPath: KeyPath<Subject, Value>, options: NSKeyValueObservingOptions) {
      self.object = object
      self.keyPath = keyPath
      self.options = options
    }

    /// Begins an observation for the subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      ValueSubscription.begin(subscriber, keepsLatest: options.contains(.initial)) { send in
        let observation = object.observe(keyPath, options: options.union([.new, .old])) { _, change in
          if let value = change.isPrior ? change.oldValue : change.newValue { send(value) }
        }
        return observation.invalidate
      }
    }
  }
}

extension NSObject.KeyValueObservingPublisher: Equatable {
  /// Returns whether both publishers observe the same path of the same object with the same options.
  public static func == (left: Self, right: Self) -> Bool {
    left.object === right.object && left.keyPath == right.keyPath && left.options == right.options
  }
}

extension KeyValueObserving {
  /// Returns a publisher of the values at `keyPath`, whose subscribers receive the current value first,
  /// unless `options` lacks `.initial`. Supports the paths that `observe(_:options:changeHandler:)` supports.
  public func publisher<Value>(
    for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
  ) -> NSObject.KeyValueObservingPublisher<Self, Value> {
    NSObject.KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
  }
}
