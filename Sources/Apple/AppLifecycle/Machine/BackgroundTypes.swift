public import Clocks

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

/// The permission to wake an application for background fetches and refresh tasks.
public enum UIBackgroundRefreshStatus: Int, Hashable, Sendable, CaseIterable {
  /// Background fetches are not allowed, and the user cannot change that.
  case restricted = 0
  /// Background fetches are not allowed because the user turned them off.
  case denied = 1
  /// Background fetches are allowed.
  case available = 2
}

/// A background task that has begun and not ended.
public struct BackgroundTask: Hashable, Sendable {
  /// The identifier of the task.
  public let id: UIBackgroundTaskIdentifier
  /// The name given by the application; nil if none.
  public let name: String?
  /// Whether the task has an expiration handler.
  public let hasHandler: Bool
  /// The time at which the task began, on the device's clock.
  public let beganAt: HostTime
  /// Whether the expiration handler was called or is about to be called; always false without a handler.
  public internal(set) var isExpired = false

  /// The name in quotes, or the number if the task has no name.
  public var label: String { name.map { "\"\($0)\"" } ?? "number \(id.rawValue) (without a name)" }
}

/// A reason that lets an application run in the background.
public enum BackgroundKeeper: String, Hashable, Sendable, CaseIterable {
  /// Audio playback in progress, or a wake-up to start playback. Requires the background mode `audio`.
  case audio
  /// Location updates, which require the background mode `location`, or a wake-up by a location change.
  case location
  /// An unfinished background task. Requires no mode. Tracked by the device.
  case task
  /// A background fetch in progress. Requires the background mode `fetch`. Tracked by the device.
  case fetch
  /// Data for a VoIP socket, or a keep-alive call. Requires the mode `voip`. Tracked by the device.
  case voip
  /// A running scheduler task. Tracked by the device.
  case scheduledTask
  /// Unhandled events of a background session. Tracked by the device.
  case backgroundSession

  /// The required background mode; nil for the reasons tracked by the device.
  var mode: BackgroundMode? {
    switch self {
    case .audio: .audio
    case .location: .location
    case .task, .fetch, .voip, .scheduledTask, .backgroundSession: nil
    }
  }
}
