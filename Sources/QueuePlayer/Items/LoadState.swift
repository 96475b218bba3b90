import Synchronization

/// How far a value is that is read at most once, for all who ask.
enum LoadState<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, AVError>

  /// Nobody has asked.
  case initial
  /// It is being read, and these wait for it.
  case loading([@Sendable (Outcome) -> Void])
  /// Reading it was cancelled, and nobody has asked again.
  case cancelled
  /// It was read.
  case done(Outcome)

  /// The value or the error; nil before it was read.
  var outcome: Outcome? { if case .done(let outcome) = self { outcome } else { nil } }

  /// Whether it is being read.
  var isLoading: Bool { if case .loading = self { true } else { false } }

  /// Whether reading it was cancelled.
  var isCancelled: Bool { if case .cancelled = self { true } else { false } }

  /// The status for applications, and why the value could not be read.
  var status: (AVKeyValueStatus, AVError?) {
    switch self {
    case .initial: (.unknown, nil)
    case .loading: (.loading, nil)
    case .cancelled: (.cancelled, nil)
    case .done(.success): (.loaded, nil)
    case .done(.failure(let error)): (.failed, error)
    }
  }

  /// Cancels the reading that is under way. Returns the completions to call.
  mutating func cancel() -> [@Sendable (Outcome) -> Void] {
    guard case .loading(let waiting) = self else { return [] }
    self = .cancelled
    return waiting
  }

  /// Adds a completion. Returns the outcome if it is known, and whether nobody waits for it: then the
  /// caller has to read the value.
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

  /// Stores the first outcome, `unlessCancelled` only while somebody waits for it. Returns it, and the completions to
  /// call with it.
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
