import Foundation
import Synchronization

/// An observation of the value at a key path, which compares successive values.
///
/// The path is evaluated again after each change of the object, and the properties on the path record that
/// they are read. Comparing key paths instead does not work, because on Linux the same property has another
/// key path in each subclass (`\AVQueuePlayer.rate != \AVPlayer.rate`).
///
/// Unchecked: key paths are immutable, `object` is only set in `init`, the other variables are only accessed
/// under `lock` after that, and values leave the object only through the handler.
final class PathObservation<Object: AnyObject, Value>: ObjectObservation, @unchecked Sendable {
  private weak var object: Object?
  private weak let list: ObservationList?
  private let keyPath: KeyPath<Object, Value>
  private let options: NSKeyValueObservingOptions
  private let handler: @Sendable (Object, NSKeyValueObservedChange<Value>) -> Void
  /// The comparison of two values. Made at the first comparison, unless the caller provides it.
  private lazy var areEqual = Self.comparison()

  private let lock = NSLock()
  /// The last value, which is itself nil if the path unwrapped nil with `!`; nil before the first evaluation.
  private var last: Value??
  /// The properties on the path at the last evaluation.
  private var properties: [ObservedProperty] = []
  /// Whether the handler was called with `.prior` for the next change.
  private var isPrepared = false
  private var isEnded = false

  init(
    object: Object, keyPath: KeyPath<Object, Value>, options: NSKeyValueObservingOptions,
    list: ObservationList?, areEqual: ((Value, Value) -> Bool)?,
    handler: @escaping @Sendable (Object, NSKeyValueObservedChange<Value>) -> Void
  ) {
    self.object = object
    self.list = list
    self.keyPath = keyPath
    self.options = options
    self.handler = handler
    if let areEqual { self.areEqual = areEqual }
  }

  func begin() {
    guard let object else { return }
    let (value, properties) = PathEvaluation.value(of: object, at: keyPath)
    let initial = lock.withLock {
      // A check on another thread may have stored a newer value.
      if let last { return last }
      last = .some(value)
      self.properties = properties
      return value
    }
    if options.contains(.initial) { tell(object, old: nil, new: initial) }
  }

  func prepare(for changing: [ObservedProperty]) {
    guard options.contains(.prior), let object else { return }
    let old: Value?? = lock.withLock {
      guard !isEnded, !isPrepared, properties.contains(where: changing.contains) else { return nil }
      isPrepared = last != nil
      return last
    }
    if let old { tell(object, old: old, new: nil, isPrior: true) }
  }

  func check(_ changed: [ObservedProperty]) {
    guard let object else { return }
    let (new, newProperties) = PathEvaluation.value(of: object, at: keyPath)
    let change: (old: Value?, isPrepared: Bool)? = lock.withLock {
      guard !isEnded else { return nil }
      defer {
        last = .some(new)
        properties = newProperties
      }
      guard let old = last, properties.contains(where: changed.contains) || isDifferent(old, new) else {
        return nil
      }
      defer { isPrepared = false }
      return (old, isPrepared)
    }
    guard let change else { return }
    if options.contains(.prior), !change.isPrepared {
      tell(object, old: change.old, new: nil, isPrior: true)
      // The handler may have ended the observation.
      if lock.withLock({ isEnded }) { return }
    }
    tell(object, old: change.old, new: new)
  }

  func end() {
    let wasEnded = lock.withLock {
      defer { isEnded = true }
      return isEnded
    }
    if !wasEnded { list?.remove(self) }
  }

  private func tell(_ object: Object, old: Value?, new: Value?, isPrior: Bool = false) {
    handler(
      object,
      NSKeyValueObservedChange(
        kind: .setting, newValue: options.contains(.new) ? new : nil,
        oldValue: options.contains(.old) ? old : nil, indexes: nil, isPrior: isPrior))
  }

  private func isDifferent(_ old: Value?, _ new: Value?) -> Bool {
    guard let old, let new else { return (old == nil) != (new == nil) }
    return !areEqual(old, new)
  }

  /// Returns the comparison of two values: `==` where it exists, and domain and code for errors. Values of
  /// other types count as changed whenever the object changed. Searches all conformances of the program.
  private static func comparison() -> (Value, Value) -> Bool {
    if let type = Value.self as? any Equatable.Type { return equatableComparison(type) }
    if Value.self == (any Error)?.self {
      return { left, right in
        let (left, right) = (left as? any Error, right as? any Error)
        guard let left, let right else { return left == nil && right == nil }
        return (left as NSError).domain == (right as NSError).domain
          && (left as NSError).code == (right as NSError).code
      }
    }
    return { _, _ in false }
  }

  private static func equatableComparison<E: Equatable>(_: E.Type) -> (Value, Value) -> Bool {
    { left, right in
      guard let left = left as? E, let right = right as? E else { return false }
      return left == right
    }
  }
}
