import Synchronization

/// Returns a handler that forwards its first call to `handler` and ignores all others. An application may call
/// a completion handler more than once, even after the task has continued.
func once<each Answer>(
  _ handler: @escaping @Sendable (repeat each Answer) -> Void
) -> @Sendable (repeat each Answer) -> Void {
  let wasCalled = Atomic(false)
  return { (answer: repeat each Answer) in
    guard !wasCalled.exchange(true, ordering: .relaxed) else { return }
    handler(repeat each answer)
  }
}
