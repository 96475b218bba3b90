import Clocks
public import Foundation

// Foundation's own method takes an `Any?` and an `OperationQueue?`. The compiler prefers these two overloads,
// also in files that import Foundation, because their parameter types are more specific. It chooses
// Foundation's only for an object of static type `Any?` and a queue of static type `OperationQueue?`.

extension NotificationCenter {
  /// Replaces Foundation's `addObserver(forName:object:queue:using:)` for non-nil queues. With
  /// `OperationQueue.main` on Linux, Foundation deadlocks if a notification is posted on the main queue and
  /// the main thread does not run that queue itself, as in programs with `dispatchMain()` or an `async` main.
  ///
  /// With `OperationQueue.main`, `block` is called directly for notifications posted on the main queue. A
  /// post on another thread waits until `block` has run on the main queue, as with every queue.
  ///
  /// Any thread; does not block.
  ///
  /// - Parameters:
  ///   - name: the notification's name; nil matches every name.
  ///   - object: the object whose notifications are received; nil matches every object.
  ///   - queue: the queue on which `block` is called.
  ///   - block: called with each notification. It is retained until the observer is removed.
  /// - Returns: the observer, for `removeObserver(_:)`.
  public func addObserver(
    forName name: NSNotification.Name?, object: Any?, queue: OperationQueue,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol {
    guard queue === OperationQueue.main else {
      return addObserver(forName: name, object: object, queue: Optional(queue), using: block)
    }
    return addObserver(forName: name, object: object, queue: nil) { notification in
      if MainDispatchQueue.isCurrent { return block(notification) }
      // Foundation assumes that observers are Sendable and passes the same notification to each. This thread
      // waits for the block, so only one thread uses the notification at a time.
      nonisolated(unsafe) let notification = notification
      OperationQueue.main.addOperations([BlockOperation { block(notification) }], waitUntilFinished: true)
    }
  }

  /// Adds and returns an observer for notifications of `object`, a class instance; nil matches every object.
  /// `block` is called on `queue`; nil for the posting thread.
  public func addObserver(
    forName name: NSNotification.Name?, object: (any AnyObject)?, queue: OperationQueue?,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol {
    guard let queue else {
      return addObserver(forName: name, object: object as Any?, queue: nil, using: block)
    }
    return addObserver(forName: name, object: object as Any?, queue: queue, using: block)
  }
}
