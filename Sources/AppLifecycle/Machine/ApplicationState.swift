/// The state of the application, as the system sees it.
public enum ApplicationState: String, Hashable, Sendable, CaseIterable {
  /// There is no process, or it was terminated.
  case notRunning
  /// In front, but not receiving input: on the way to another state, or interrupted.
  case inactive
  /// In front and receiving input.
  case active
  /// Not visible, but running.
  case background
  /// Not visible and stopped: none of its code runs.
  case suspended

  /// The state that the application's own code sees. It never sees `suspended` or `notRunning`, since its
  /// code does not run then; code that reads the state just before it is stopped or just after it is resumed
  /// sees `background`.
  public var seenByApplication: ApplicationState {
    switch self {
    case .inactive, .active, .background: self
    case .suspended, .notRunning: .background
    }
  }
}
