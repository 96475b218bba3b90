import Synchronization

/// A value that is read for all requests together, and whose first outcome is kept. Any thread; completions
/// are called outside the lock.
struct Load<Value: Sendable>: ~Copyable, Sendable {
  typealias Outcome = Result<Value, AVError>
  typealias Completion = @Sendable (Outcome) -> Void

  // Internal and not private, because the compiler of Swift 6.3.1 aborts with "Global is external" when
  // another file uses the layout of this type.
  enum State {
    case initial
    /// The value is being read, and these completions wait for it.
    case loading([Completion])
    /// Reading was cancelled, and the value has not been requested again.
    case cancelled
    case done(Outcome)
  }

  private let state = Mutex(State.initial)

  /// The value or the error; nil before the value was read.
  var outcome: Outcome? { state.withLock { if case .done(let outcome) = $0 { outcome } else { nil } } }

  var isLoading: Bool { state.withLock { if case .loading = $0 { true } else { false } } }

  /// The status for applications, and the error if reading failed.
  var status: (AVKeyValueStatus, AVError?) {
    switch state.withLock({ $0 }) {
    case .initial: (.unknown, nil)
    case .loading: (.loading, nil)
    case .cancelled: (.cancelled, nil)
    case .done(.success): (.loaded, nil)
    case .done(.failure(let error)): (.failed, error)
    }
  }

  /// Cancels the reading in progress: waiting completions receive the error `operationCancelled`.
  func cancel() {
    let waiting = state.withLock { state -> [Completion] in
      guard case .loading(let waiting) = state else { return [] }
      state = .cancelled
      return waiting
    }
    for completion in waiting { completion(.failure(AVError(.operationCancelled))) }
  }

  /// Calls `completion` with the outcome: at once if it is known, otherwise when reading ends or is cancelled.
  /// Returns whether the caller has to read the value.
  func request(_ completion: @escaping Completion) -> Bool {
    let (known, isFirst) = state.withLock { state -> (Outcome?, Bool) in
      switch state {
      case .done(let outcome): return (outcome, false)
      case .loading(let others):
        state = .loading(others + [completion])
        return (nil, false)
      case .initial, .cancelled:
        state = .loading([completion])
        return (nil, true)
      }
    }
    if let known { completion(known) }
    return isFirst
  }

  /// Stores the first outcome, passes it to the waiting completions and returns it. With `unlessCancelled`,
  /// does not store it after a cancellation.
  @discardableResult
  func finish(_ new: Outcome, unlessCancelled: Bool = false) -> Outcome {
    let (outcome, waiting) = state.withLock { state -> (Outcome, [Completion]) in
      if case .done(let outcome) = state { return (outcome, []) }
      if case .cancelled = state, unlessCancelled { return (new, []) }
      defer { state = .done(new) }
      if case .loading(let waiting) = state { return (new, waiting) }
      return (new, [])
    }
    for completion in waiting { completion(outcome) }
    return outcome
  }
}
