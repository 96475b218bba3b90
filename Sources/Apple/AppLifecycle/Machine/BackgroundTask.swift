public import HostTime

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
  /// Whether the expiration handler was called or is due.
  public internal(set) var isExpired = false

  /// The name in quotes, or the number if the task has no name.
  public var label: String { name.map { "\"\($0)\"" } ?? "number \(id.rawValue) (without a name)" }
}
