import Synchronization

/// The state of a value that is read at most once, for all requests.
enum LoadState<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, AVError>

  /// The value has not been requested.
  case initial
  /// The value is being read, and these completions wait for it.
  case loading([@Sendable (Outcome) -> Void])
  /// Reading was cancelled, and the value has not been requested again.
  case cancelled
  /// The value was read, or reading failed.
  case done(Outcome)

  /// The value or the error; nil before the value was read.
  var outcome: Outcome? { if case .done(let outcome) = self { outcome } else { nil } }

  /// Whether the value is being read.
  var isLoading: Bool { if case .loading = self { true } else { false } }

  /// Whether reading the value was cancelled.
  var isCancelled: Bool { if case .cancelled = self { true } else { false } }

  /// The status for applications, and the error if reading failed.
  var status: (AVKeyValueStatus, AVError?) {
    switch self {
    case .initial: (.unknown, nil)
    case .loading: (.loading, nil)
    case .cancelled: (.cancelled, nil)
    case .done(.success): (.loaded, nil)
    case .done(.failure(let error)): (.failed, error)
    }
  }

  /// Cancels the reading in progress. Returns the completions to call.
  mutating func cancel() -> [@Sendable (Outcome) -> Void] {
    guard case .loading(let waiting) = self else { return [] }
    self = .cancelled
    return waiting
  }

  /// Adds a completion. Returns the outcome if known, and whether this request is the first. The caller of
  /// the first one has to read the value.
  mutating func ask(_ completion: @escaping @Sendable (Outcome) -> Void) -> (known: Outcome?, isFirst: Bool) {
    switch self {
    case .done(let outcome): return (outcome, false)
    case .loading(let others):
      self = .loading(others + [completion])
      return (nil, false)
    case .initial, .cancelled:
      self = .loading([completion])
      return (nil, true)
    }
  }

  /// Stores the first outcome. With `unlessCancelled`, does not store it after a cancellation. Returns the
  /// outcome, and the completions to call with it.
  mutating func finish(_ new: Outcome, unlessCancelled: Bool = false) -> (
    outcome: Outcome, waiting: [@Sendable (Outcome) -> Void]
  ) {
    switch self {
    case .done(let outcome): return (outcome, [])
    case .cancelled where unlessCancelled: return (new, [])
    case .initial, .cancelled:
      self = .done(new)
      return (new, [])
    case .loading(let waiting):
      self = .done(new)
      return (new, waiting)
    }
  }
}
