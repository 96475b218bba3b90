import Synchronization

/// How far a value is that is read at most once, for all who ask.
enum LoadState<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, AVError>

  /// Nobody has asked.
  case initial
  /// It is being read, and these wait for it.
  case loading([@Sendable (Outcome) -> Void])
  /// It was read.
  case done(Outcome)

  /// The value or the error; nil before it was read.
  var outcome: Outcome? { if case .done(let outcome) = self { outcome } else { nil } }

  /// Whether it is being read.
  var isLoading: Bool { if case .loading = self { true } else { false } }

  /// Adds a completion. Returns the outcome if it is known, and whether nobody has asked before: then the
  /// caller has to read the value.
  mutating func ask(_ completion: @escaping @Sendable (Outcome) -> Void) -> (known: Outcome?, isFirst: Bool) {
    switch self {
    case .done(let outcome): return (outcome, false)
    case .loading(let others):
      self = .loading(others + [completion])
      return (nil, false)
    case .initial:
      self = .loading([completion])
      return (nil, true)
    }
  }

  /// Stores the first outcome. Returns it, and the completions to call with it.
  mutating func finish(_ new: Outcome) -> (outcome: Outcome, waiting: [@Sendable (Outcome) -> Void]) {
    switch self {
    case .done(let outcome): return (outcome, [])
    case .initial:
      self = .done(new)
      return (new, [])
    case .loading(let waiting):
      self = .done(new)
      return (new, waiting)
    }
  }
}
