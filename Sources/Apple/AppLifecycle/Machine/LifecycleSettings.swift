/// The rules for an application: time limits in seconds, permitted scheduler tasks, and the treatment of its
/// sockets.
///
/// Apple documents few of the limits; the other defaults are observed values. A limit that is negative or not
/// a number is stored as 0, and a limit above `longest` as `longest`.
public struct LifecycleSettings: Hashable, Sendable {
  /// The time for background tasks after the application enters the background, in seconds. iOS 7 to 12 grant
  /// 180 s, later versions 30 s.
  public var backgroundTime = 180.0 { didSet { backgroundTime = Self.legal(backgroundTime) } }
  /// The share of `backgroundTime` that remains when the expiration handlers run, in seconds. Observed.
  public var expirationWarning = 5.0 {
    didSet { expirationWarning = Self.legal(expirationWarning) }
  }
  /// The time limit, in seconds, for each call into an application that leaves the foreground or is in the
  /// background. Applies to `willResignActive`, `didEnterBackground`, `willTerminate`, memory warnings and
  /// expiration handlers. Apple says "approximately five seconds" of `applicationDidEnterBackground(_:)` and
  /// `applicationWillTerminate(_:)`.
  public var callLimit = 5.0 { didSet { callLimit = Self.legal(callLimit) } }
  /// The time limit, in seconds, for each call into an application that launches or enters the foreground.
  /// Watchdog reports show 19.97 s.
  public var foregroundCallLimit = 20.0 {
    didSet { foregroundCallLimit = Self.legal(foregroundCallLimit) }
  }
  /// The time limit for handling the events of a background session, in seconds, from the call to its
  /// completion handler. Equal to that of a fetch.
  public var sessionEventsLimit = 30.0 { didSet { sessionEventsLimit = Self.legal(sessionEventsLimit) } }
  /// The start delay of a discretionary transfer of a background session, in seconds, unless external power
  /// is connected. Apple gives no figure.
  public var discretionaryDelay = 600.0 { didSet { discretionaryDelay = Self.legal(discretionaryDelay) } }
  /// The time limit for a background fetch, in seconds, from the call to its completion. Apple says "up to 30
  /// seconds".
  public var fetchLimit = 30.0 { didSet { fetchLimit = Self.legal(fetchLimit) } }
  /// The longest time, in seconds, for which suspension waits for a free main queue before it takes effect
  /// anyway.
  public var suspensionLimit = 5.0 { didSet { suspensionLimit = Self.legal(suspensionLimit) } }
  /// The time, in seconds, after `didEnterBackground` returns during which a new background task reverses the
  /// suspension. A thread started by that call may request its task only after the suspension, for example on
  /// a busy machine. Apple gives no figure for "shortly after that method returns"; the default equals the
  /// limit of the call itself.
  public var suspensionGrace = 5.0 { didSet { suspensionGrace = Self.legal(suspensionGrace) } }
  /// The time, in seconds, in which a woken application must start to play: after a remote-control command or
  /// the end of an interruption. Also the time for which it runs after a location change wakes it.
  public var wakeGrace = 5.0 { didSet { wakeGrace = Self.legal(wakeGrace) } }
  /// The time, in seconds, for which an application runs after data for one of its VoIP sockets or after a
  /// keep-alive call. Also the limit of that call. Apple says "a maximum of 10 seconds" of the call.
  public var voipTime = 10.0 { didSet { voipTime = Self.legal(voipTime) } }
  /// The time limit for a refresh task of the scheduler, in seconds. Apple says "short"; observed values
  /// equal those of a fetch.
  public var refreshTaskTime = 30.0 { didSet { refreshTaskTime = Self.legal(refreshTaskTime) } }
  /// The time limit for a processing task of the scheduler, in seconds. Apple says "minutes".
  public var processingTaskTime = 300.0 {
    didSet { processingTaskTime = Self.legal(processingTaskTime) }
  }

  /// The identifiers of tasks that the application may schedule: `BGTaskSchedulerPermittedIdentifiers` in its
  /// property list.
  public var permittedTaskIdentifiers: Set<String> = []
  /// The condition under which the system reclaims the application's TCP sockets.
  public var socketReclaim = SocketReclaim.never

  /// Creates settings with the default values.
  public init() {}

  /// The upper bound of every limit, in seconds: ten years, far below the range of `HostTime`.
  public static let longest = 315_360_000.0

  private static func legal(_ seconds: Double) -> Double { seconds > 0 ? min(seconds, longest) : 0 }
}

/// The condition under which the system reclaims the TCP sockets of a suspended application. Listening and
/// connected sockets over IPv4 and IPv6 are affected; those of players, the audio server and the control
/// socket are not.
///
/// A reclaimed socket keeps its descriptor. Unread data is lost, the peer sees a reset, and waiting threads
/// wake up. Afterwards `recv` fails with ENOTCONN (the first time with the pending SO_ERROR, ECONNRESET,
/// unless it was read), `send` with EPIPE and `accept` with EINVAL; `close` works.
public enum SocketReclaim: String, Hashable, Sendable, CaseIterable {
  /// Sockets are never reclaimed. The kernel still accepts clients of a listening socket, which then get no
  /// answer.
  case never
  /// Sockets are reclaimed when the application is suspended and the screen is locked, as up to iOS 4.3
  /// (Technical Note TN2277).
  case whenLocked
  /// Sockets are reclaimed on suspension, as on present systems.
  case whenSuspended
}
