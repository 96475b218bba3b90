/// A serial queue that runs what it is given in order: a dispatch queue, or in virtual time the test itself.
package protocol DeliveryQueue: AnyObject, Sendable {
  /// Runs `work` later, after what was given before. Any thread; never blocks; never runs it on the caller's stack
  /// while the caller is inside the module it was given to.
  func enqueue(_ work: @escaping @Sendable () -> Void)
}
