import Synchronization

/// Returns a handler that passes on its first call and ignores all others: an application may call a
/// completion handler more than once, even after the task has continued.
func once<each Answer>(
  _ handler: @escaping @Sendable (repeat each Answer) -> Void
) -> @Sendable (repeat each Answer) -> Void {
  let wasCalled = Atomic(false)
  return { (answer: repeat each Answer) in
    guard !wasCalled.exchange(true, ordering: .relaxed) else { return }
    handler(repeat each answer)
  }
}
