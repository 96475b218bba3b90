package import Dispatch

/// A serial queue that runs what it is given in order: a dispatch queue, or in virtual time the test itself.
package protocol DeliveryQueue: AnyObject, Sendable {
  /// Runs `work` later, after what was given before. Any thread; never blocks; never runs it on the caller's stack
  /// while the caller is inside the module it was given to.
  func enqueue(_ work: @escaping @Sendable () -> Void)
}

/// `DispatchQueue.main` as a queue to deliver to.
package final class MainDispatchQueue: DeliveryQueue {
  /// The only one.
  package static let shared = MainDispatchQueue()

  private init() {}

  /// Runs `work` on the main queue, later.
  package func enqueue(_ work: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: work) }

  /// Marks the main queue. Asking the queue and not the thread, because after `dispatchMain()` Linux runs the main
  /// queue on a thread that is not the main one.
  private static let mark: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Whether the caller runs on the main queue: from the start of the main thread on, without any run loop.
  package static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }

  /// Whether `queue` is the main queue. On Linux `DispatchQueue.main` is another object each time, so identity says
  /// nothing.
  package static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: mark) != nil }
}
