/// Identifies a background task. Unique in the process.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: Int

  /// The identifier with this number.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// No task: returned when a task is refused.
  public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// The result of a background fetch.
public enum UIBackgroundFetchResult: UInt, Hashable, Sendable, CaseIterable {
  /// There was something new.
  case newData = 0
  /// There was nothing new.
  case noData = 1
  /// The fetch failed.
  case failed = 2
}

/// Whether an application may be woken for background fetches.
public enum UIBackgroundRefreshStatus: Int, Hashable, Sendable, CaseIterable {
  /// It may not, and the user cannot change that.
  case restricted = 0
  /// It may not, because the user has turned it off.
  case denied = 1
  /// It may be woken.
  case available = 2
}
