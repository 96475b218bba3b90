/// The rules for an application: time limits in seconds, permitted scheduler tasks, and when sockets are
/// reclaimed.
///
/// Apple documents few of the limits. The other defaults are observed or chosen values. A limit that is
/// negative or not a number is stored as 0, and a limit above `longest` as `longest`.
public struct LifecycleSettings: Hashable, Sendable {
  /// The time for background tasks after the application enters the background. iOS 7 to 12 grant 180 s,
  /// later versions 30 s.
  public var backgroundTime = 180.0 { didSet { backgroundTime = Self.legal(backgroundTime) } }
  /// The time that remains for a background or scheduler task when its expiration handler is called. The
  /// default is an observed value.
  public var expirationWarning = 5.0 { didSet { expirationWarning = Self.legal(expirationWarning) } }
  /// The limit of each call that has no limit of its own, such as `didEnterBackground`, `willTerminate` and
  /// expiration handlers. Apple says "approximately five seconds" of `applicationDidEnterBackground(_:)` and
  /// `applicationWillTerminate(_:)`.
  public var callLimit = 5.0 { didSet { callLimit = Self.legal(callLimit) } }
  /// The limit of each of the calls `didFinishLaunching`, `willEnterForeground` and `didBecomeActive`.
  /// Watchdog reports show 19.97 s.
  public var foregroundCallLimit = 20.0 { didSet { foregroundCallLimit = Self.legal(foregroundCallLimit) } }
  /// The limit for handling the events of a background session, from the call to its completion handler. The
  /// default is that of `fetchLimit`.
  public var sessionEventsLimit = 30.0 { didSet { sessionEventsLimit = Self.legal(sessionEventsLimit) } }
  /// The delay, without external power, of a background session's transfer that is discretionary or is first
  /// resumed in the background. Apple gives no figure.
  public var discretionaryDelay = 600.0 { didSet { discretionaryDelay = Self.legal(discretionaryDelay) } }
  /// The limit of a background fetch, from the call to its completion. Apple says "up to 30 seconds".
  public var fetchLimit = 30.0 { didSet { fetchLimit = Self.legal(fetchLimit) } }
  /// The longest time for which suspension waits for a free main queue before it takes effect anyway.
  public var suspensionLimit = 5.0 { didSet { suspensionLimit = Self.legal(suspensionLimit) } }
  /// The time after the delegate's `applicationDidEnterBackground(_:)` returns during which a new background
  /// task reverses the suspension.
  /// The grace exists because a thread started by that call may request its task late on a busy machine.
  /// Apple gives no figure for "shortly after that method returns"; the default equals the limit of the call
  /// itself.
  public var suspensionGrace = 5.0 { didSet { suspensionGrace = Self.legal(suspensionGrace) } }
  /// The time for which an application runs in the background after a location change or the end of an interruption has
  /// woken it. Also applies after a remote-control command. After a command or an interruption the application must
  /// start to play within this time.
  public var wakeGrace = 5.0 { didSet { wakeGrace = Self.legal(wakeGrace) } }
  /// The time for which data for a VoIP socket or a keep-alive call keeps an application running. Also the
  /// limit of a keep-alive call, of which Apple says "a maximum of 10 seconds".
  public var voipTime = 10.0 { didSet { voipTime = Self.legal(voipTime) } }
  /// The limit of a refresh task of the scheduler. Apple says "short"; observed values equal a fetch's.
  public var refreshTaskTime = 30.0 { didSet { refreshTaskTime = Self.legal(refreshTaskTime) } }
  /// The limit of a processing task of the scheduler. Apple says "minutes".
  public var processingTaskTime = 300.0 { didSet { processingTaskTime = Self.legal(processingTaskTime) } }

  /// The identifiers of tasks that the application may schedule (`BGTaskSchedulerPermittedIdentifiers`).
  public var permittedTaskIdentifiers: Set<String> = []
  /// The condition under which the system reclaims the application's TCP sockets.
  public var socketReclaim = SocketReclaim.never

  /// Creates settings with the default values.
  public init() {}

  /// The upper bound of every limit, in seconds: ten years, far below the range of `HostTime`.
  public static let longest = 315_360_000.0

  private static func legal(_ seconds: Double) -> Double { seconds > 0 ? min(seconds, longest) : 0 }
}

/// The condition under which the system reclaims the TCP sockets of a suspended application. Listening,
/// connecting and connected sockets over IPv4 and IPv6 are affected. Exceptions are the sockets of players, of the
/// audio server and of the location service, the control socket, and registered VoIP sockets.
///
/// A reclaimed socket keeps its descriptor. Unread data is lost, the peer sees a reset, and waiting threads
/// wake up. Afterwards `recv` fails with ENOTCONN (the first time with the pending SO_ERROR, ECONNRESET,
/// unless it was read), `send` with EPIPE and `accept` with EINVAL; `close` works.
public enum SocketReclaim: String, Hashable, Sendable, CaseIterable {
  /// Never. The kernel still accepts clients of a listening socket, which then get no answer.
  case never
  /// When the application is suspended and the screen is locked, as up to iOS 4.3 (Technical Note TN2277).
  case whenLocked = "when-locked"
  /// On suspension, as on present systems.
  case whenSuspended = "when-suspended"
}
