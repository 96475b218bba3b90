/// Names a background task. Never used a second time in a process.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: Int

  /// The identifier with this number.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// No task: what is returned when none can be had.
  public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// What came of a background fetch.
public enum UIBackgroundFetchResult: UInt, Hashable, Sendable, CaseIterable {
  /// There was something new.
  case newData = 0
  /// There was nothing new.
  case noData = 1
  /// It did not work.
  case failed = 2
}

/// Whether an application may be woken for background fetches.
public enum UIBackgroundRefreshStatus: Int, Hashable, Sendable, CaseIterable {
  /// No, and the person cannot change that.
  case restricted = 0
  /// No: the person said so.
  case denied = 1
  /// Yes.
  case available = 2
}
