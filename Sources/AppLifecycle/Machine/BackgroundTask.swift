public import HostTime

/// A background task that was begun and not ended.
public struct BackgroundTask: Hashable, Sendable {
  /// Its identifier.
  public let id: UIBackgroundTaskIdentifier
  /// The name that the application gave it.
  public let name: String?
  /// Whether it has an expiration handler.
  public let hasHandler: Bool
  /// When it was begun.
  public let beganAt: HostTime
  /// Whether its expiration handler was called, or is due.
  public internal(set) var isExpired = false

  /// The name in quotes, or the number if the task has no name.
  public var label: String { name.map { "\"\($0)\"" } ?? "number \(id.rawValue) (without a name)" }
}
