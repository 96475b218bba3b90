/// The time limits of an application, in seconds.
///
/// Apple documents few of them; the other defaults are what people have observed. A value that is negative or
/// not a number is stored as 0, one above `longest` as `longest`.
public struct LifecycleSettings: Hashable, Sendable {
  /// Time for background tasks after the application enters the background. 180 s from iOS 7 to 12, 30 s
  /// since.
  public var backgroundTime = 180.0 { didSet { backgroundTime = Self.legal(backgroundTime) } }
  /// How much of `backgroundTime` is left when the expiration handlers run. Observed.
  public var expirationWarning = 5.0 { didSet { expirationWarning = Self.legal(expirationWarning) } }
  /// For each call into an application that leaves the front or is in the background: `willResignActive`,
  /// `didEnterBackground`, `willTerminate`, a memory warning, an expiration handler. Apple says
  /// "approximately five seconds" of `applicationDidEnterBackground(_:)` and `applicationWillTerminate(_:)`.
  public var callLimit = 5.0 { didSet { callLimit = Self.legal(callLimit) } }
  /// For each call into an application that launches or comes to the front. Watchdog reports show 19.97 s.
  public var foregroundCallLimit = 20.0 { didSet { foregroundCallLimit = Self.legal(foregroundCallLimit) } }
  /// For a background fetch, from the call to its completion. Apple says "up to 30 seconds".
  public var fetchLimit = 30.0 { didSet { fetchLimit = Self.legal(fetchLimit) } }
  /// How long suspension waits until the main queue is free. After that the application is suspended anyway.
  public var suspensionLimit = 5.0 { didSet { suspensionLimit = Self.legal(suspensionLimit) } }
  /// How long an application may take to begin to play after it was woken for that, by a control of the lock
  /// screen or by the end of an interruption; and how long it runs after it was woken by a change of location.
  public var wakeGrace = 5.0 { didSet { wakeGrace = Self.legal(wakeGrace) } }

  /// The defaults.
  public init() {}

  /// The longest time that can be set: ten years, far below the range of `HostTime`.
  public static let longest = 315_360_000.0

  private static func legal(_ seconds: Double) -> Double { seconds > 0 ? min(seconds, longest) : 0 }
}
