/// What the application is doing, as the system sees it.
public enum ApplicationState: String, Hashable, Sendable, CaseIterable {
  /// There is no process, or it was terminated.
  case notRunning
  /// In front, but not taking input: on the way to another state, or interrupted.
  case inactive
  /// In front.
  case active
  /// Out of sight and running.
  case background
  /// Out of sight and stopped: none of its code runs.
  case suspended

  /// What the application's own code reads. It never sees that it is suspended or not running, since nothing of it
  /// runs then; code that reads the state in the instant before it is stopped or after it is resumed finds itself
  /// in the background.
  public var seenByApplication: ApplicationState {
    switch self {
    case .inactive, .active, .background: self
    case .suspended, .notRunning: .background
    }
  }
}
