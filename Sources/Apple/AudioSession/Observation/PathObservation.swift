import Foundation
import Synchronization

/// An observation of the value at a key path, which compares successive values.
///
/// The path is evaluated again after each change of the object, and the properties on it record that they are
/// read. Comparing key paths instead does not work: on Linux the same property has another key path in each
/// subclass (`\AVQueuePlayer.rate != \AVPlayer.rate`).
///
/// Unchecked: the key path is an immutable literal, the variables are only accessed under `lock`, and values
/// leave the object only through the handler.
final class PathObservation<Object: AnyObject, Value>: ObjectObservation, @unchecked Sendable {
  private weak var object: Object?
  private weak let list: ObservationList?
  private let keyPath: KeyPath<Object, Value>
  private let options: NSKeyValueObservingOptions
  private let handler: @Sendable (Object, NSKeyValueObservedChange<Value>) -> Void
  private let areEqual: (Value, Value) -> Bool

  private let lock = NSLock()
  /// The last value; nil before the first evaluation.
  private var last: Seen?
  /// The properties on the path at the last evaluation.
  private var properties: Set<ObservedProperty> = []
  /// Whether the handler was called with `.prior` for the next change.
  private var isPrepared = false
  private var isEnded = false

  private enum Seen {
    case value(Value)
    /// The path leads through nil.
    case missing

    var known: Value? {
      if case .value(let value) = self { value } else { nil }
    }
  }

  init(
    object: Object, keyPath: KeyPath<Object, Value>, options: NSKeyValueObservingOptions,
    list: ObservationList?,
    handler: @escaping @Sendable (Object, NSKeyValueObservedChange<Value>) -> Void
  ) {
    self.object = object
    self.list = list
    self.keyPath = keyPath
    self.options = options
    self.handler = handler
    areEqual = Self.comparison()
  }

  /// Evaluates the path for the first time.
  func begin() {
    guard let object else { return }
    let (seen, properties) = look(at: object)
    lock.withLock {
      guard last == nil else { return }
      last = seen
      self.properties = properties
    }
    if options.contains(.initial) { tell(object, old: nil, new: seen) }
  }

  func prepare(for changing: Set<ObservedProperty>) {
    guard options.contains(.prior), let object else { return }
    let old: Seen? = lock.withLock {
      guard !isEnded, !isPrepared, !properties.isDisjoint(with: changing) else { return nil }
      isPrepared = last != nil
      return last
    }
    if let old { tell(object, old: old, new: nil, isPrior: true) }
  }

  func check(_ changed: Set<ObservedProperty>) {
    guard let object else { return }
    let (new, newProperties) = look(at: object)
    let change: (old: Seen, isPrepared: Bool)? = lock.withLock {
      guard !isEnded else { return nil }
      defer {
        last = new
        properties = newProperties
      }
      guard let old = last, !properties.isDisjoint(with: changed) || isDifferent(old, new) else { return nil }
      defer { isPrepared = false }
      return (old, isPrepared)
    }
    guard let change else { return }
    if options.contains(.prior), !change.isPrepared {
      tell(object, old: change.old, new: nil, isPrior: true)
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

  private func look(at object: Object) -> (seen: Seen, properties: Set<ObservedProperty>) {
    let (value, properties) = PathEvaluation.value(of: object, at: keyPath)
    return (value.map(Seen.value) ?? .missing, properties)
  }

  private func tell(_ object: Object, old: Seen?, new: Seen?, isPrior: Bool = false) {
    handler(
      object,
      NSKeyValueObservedChange(
        kind: .setting, newValue: options.contains(.new) ? new?.known : nil,
        oldValue: options.contains(.old) ? old?.known : nil, indexes: nil, isPrior: isPrior))
  }

  private func isDifferent(_ old: Seen, _ new: Seen) -> Bool {
    switch (old, new) {
    case (.missing, .missing): false
    case (.value(let old), .value(let new)): !areEqual(old, new)
    default: true
    }
  }

  /// Returns the comparison of two values: `==` where it exists, and domain and code for errors. Values of
  /// other types count as changed whenever the object changed.
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
