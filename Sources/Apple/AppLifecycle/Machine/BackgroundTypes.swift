/// The identifier of a background task, unique in the process.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  /// The number of the task.
  public let rawValue: Int

  /// Creates the identifier with the given number.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The value returned when a task is refused.
  public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// The result of a background fetch.
public enum UIBackgroundFetchResult: UInt, Hashable, Sendable, CaseIterable {
  /// New content was fetched.
  case newData = 0
  /// No new content was available.
  case noData = 1
  /// The fetch failed.
  case failed = 2
}

/// Indicates whether the system may wake an application for background fetches.
public enum UIBackgroundRefreshStatus: Int, Hashable, Sendable, CaseIterable {
  /// Background fetches are not allowed, and the user cannot change that.
  case restricted = 0
  /// Background fetches are not allowed because the user turned them off.
  case denied = 1
  /// Background fetches are allowed.
  case available = 2
}
