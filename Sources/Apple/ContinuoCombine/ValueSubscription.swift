import Foundation
import OpenCombine

/// Starts a source, which calls the closure with each value, and returns a function that ends the source.
typealias ValueSource<Value> = (_ send: @escaping @Sendable (Value) -> Void) -> () -> Void

/// The subscription of one subscriber to the values of a source.
///
/// Sends values in order, one at a time. Drops values without demand, or keeps the latest one of them for the next
/// demand. The subscriber owns the subscription, whose release ends the source too.
///
/// Unchecked: the variables are only accessed under `lock`, and a value leaves the object only to the
/// subscriber, which is called by one thread at a time.
final class ValueSubscription<Value>: Subscription, @unchecked Sendable {
  private let lock = NSLock()
  private let keepsLatest: Bool
  private var subscriber: AnySubscriber<Value, Never>?
  private var end: (() -> Void)?
  private var demand = Subscribers.Demand.none
  /// Values within the demand, waiting for the subscriber to return. Empty unless a call of the subscriber is
  /// in progress.
  private var due: [Value] = []
  /// The latest value without demand.
  private var latest: Value?
  private var isSending = false

  private init(_ subscriber: AnySubscriber<Value, Never>, keepsLatest: Bool) {
    self.subscriber = subscriber
    self.keepsLatest = keepsLatest
  }

  deinit { end?() }

  /// Starts `source` and hands its subscription to `subscriber`.
  static func begin(
    _ subscriber: some Subscriber<Value, Never>, keepsLatest: Bool = false, source: ValueSource<Value>
  ) {
    let subscription = ValueSubscription(AnySubscriber(subscriber), keepsLatest: keepsLatest)
    let end = source { [weak subscription] in subscription?.send($0) }
    subscription.lock.withLock { subscription.end = end }
    subscriber.receive(subscription: subscription)
  }

  func request(_ demand: Subscribers.Demand) {
    lock.withLock { raise(demand) }
    deliver()
  }

  func cancel() {
    // These objects are released outside the lock, because their `deinit` may be the application's code.
    let dropped = lock.withLock {
      defer { (subscriber, end, latest, due) = (nil, nil, nil, []) }
      return (subscriber, end, latest, due)
    }
    dropped.1?()
  }

  private func send(_ value: Value) {
    var replaced: Value? = value
    lock.withLock {
      if subscriber == nil { return }
      swap(&latest, &replaced)
      raise(.none)
      if !keepsLatest, latest != nil { swap(&latest, &replaced) }
    }
    deliver()
  }

  /// Adds to the demand, and makes the latest value due if there is demand for it.
  private func raise(_ more: Subscribers.Demand) {
    demand += more
    guard demand > .none, let value = latest else { return }
    latest = nil
    demand -= 1
    due.append(value)
  }

  private func deliver() {
    while let (subscriber, value) = next() {
      let more = subscriber.receive(value)
      lock.withLock {
        isSending = false
        raise(more)
      }
    }
  }

  private func next() -> (AnySubscriber<Value, Never>, Value)? {
    lock.withLock {
      guard !isSending, !due.isEmpty, let subscriber else { return nil }
      isSending = true
      return (subscriber, due.removeFirst())
    }
  }
}
