public import HostTime

/// A background task that was begun and not ended.
public struct BackgroundTask: Hashable, Sendable {
  /// Its identifier.
  public let id: UIBackgroundTaskIdentifier
  /// The name that the application gave it.
  public let name: String?
  /// Whether there is anything to call when time runs out.
  public let hasHandler: Bool
  /// When it was begun.
  public let beganAt: HostTime
  /// Whether its expiration handler was called, or is due.
  public internal(set) var isExpired = false

  /// The name in quotes, or the number if it has none.
  public var label: String { name.map { "\"\($0)\"" } ?? "number \(id.rawValue) (without a name)" }
}
