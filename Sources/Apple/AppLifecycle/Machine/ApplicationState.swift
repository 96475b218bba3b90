/// The state of the application, as the system sees it.
public enum ApplicationState: String, Hashable, Sendable, CaseIterable {
  /// The application was not launched yet, or it was terminated.
  case notRunning
  /// The application is in the foreground without receiving input: in transition to another state, or
  /// interrupted.
  case inactive
  /// The application is in the foreground and receives input.
  case active
  /// The application runs while it is not visible.
  case background
  /// The application is not visible and is stopped: none of its code runs.
  case suspended

  /// The state visible to the application's own code, which never sees `suspended` or `notRunning` because it
  /// does not run then. Code that reads the state just before suspension or just after resumption sees
  /// `background`.
  public var seenByApplication: ApplicationState {
    switch self {
    case .inactive, .active, .background: self
    case .suspended, .notRunning: .background
    }
  }
}
