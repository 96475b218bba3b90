public import Foundation
import HostTime

// Foundation has one function, with `Any?` and `OperationQueue?`. The compiler prefers these two to it, also in files that
// import Foundation, because their parameters are closer to what is passed. Foundation's own is left for an object in
// a variable of the type `Any?` together with a queue in a variable of the type `OperationQueue?`.

extension NotificationCenter {
  /// `addObserver(forName:object:queue:using:)` of Foundation, for a queue that is not nil. The difference is in
  /// `OperationQueue.main`: Linux's Foundation waits there for ever if the notification is posted on the main queue
  /// and the main thread does not run that queue itself, as in a program with `dispatchMain()` or an `async` main.
  ///
  /// With `OperationQueue.main`, `block` is called at once for what is posted on the main queue. What is posted
  /// elsewhere waits until `block` has run on the main queue, as with every queue.
  ///
  /// Any thread; does not block.
  ///
  /// - Parameters:
  ///   - name: the notification's name; nil for every name.
  ///   - object: the object whose notifications are wanted; nil for every object's.
  ///   - queue: where `block` is called.
  ///   - block: called with each notification. It is kept until the observer is removed.
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
      // Foundation takes its observers for Sendable and hands each the same notification. This thread waits for the
      // block, so only one of the two uses it at a time.
      nonisolated(unsafe) let notification = notification
      OperationQueue.main.addOperations([BlockOperation { block(notification) }], waitUntilFinished: true)
    }
  }

  /// The same for an object of a class and a queue that may be nil, which stands for the thread that posts.
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
