/// The rules for an application: its time limits, in seconds, which tasks it may schedule, and what becomes of its sockets.
///
/// Apple documents few of the limits; the other defaults are what people have observed. A limit that is negative or
/// not a number is stored as 0, one above `longest` as `longest`.
public struct LifecycleSettings: Hashable, Sendable {
  /// Time for background tasks after the application enters the background. 180 s from iOS 7 to 12, 30 s
  /// since.
  public var backgroundTime = 180.0 { didSet { backgroundTime = Self.legal(backgroundTime) } }
  /// How much of `backgroundTime` is left when the expiration handlers run. Observed.
  public var expirationWarning = 5.0 {
    didSet { expirationWarning = Self.legal(expirationWarning) }
  }
  /// For each call into an application that leaves the front or is in the background: `willResignActive`,
  /// `didEnterBackground`, `willTerminate`, a memory warning, an expiration handler. Apple says
  /// "approximately five seconds" of `applicationDidEnterBackground(_:)` and `applicationWillTerminate(_:)`.
  public var callLimit = 5.0 { didSet { callLimit = Self.legal(callLimit) } }
  /// For each call into an application that launches or comes to the front. Watchdog reports show 19.97 s.
  public var foregroundCallLimit = 20.0 {
    didSet { foregroundCallLimit = Self.legal(foregroundCallLimit) }
  }
  /// For the events of a background session, from the call to its completion handler. As for a fetch.
  public var sessionEventsLimit = 30.0 { didSet { sessionEventsLimit = Self.legal(sessionEventsLimit) } }
  /// How much later a transfer of a background session begins whose time the device chooses, unless there is power. Apple
  /// does not tell.
  public var discretionaryDelay = 600.0 { didSet { discretionaryDelay = Self.legal(discretionaryDelay) } }
  /// For a background fetch, from the call to its completion. Apple says "up to 30 seconds".
  public var fetchLimit = 30.0 { didSet { fetchLimit = Self.legal(fetchLimit) } }
  /// How long suspension waits until the main queue is free. After that the application is suspended anyway.
  public var suspensionLimit = 5.0 { didSet { suspensionLimit = Self.legal(suspensionLimit) } }
  /// How long after the return of `didEnterBackground` a suspended application may still begin a background task, which
  /// takes the suspension back. A thread that the call has started needs that time to come to its request: on a busy machine
  /// a suspension is faster. Apple gives no figure for "shortly after that method returns"; as long as the call itself.
  public var suspensionGrace = 5.0 { didSet { suspensionGrace = Self.legal(suspensionGrace) } }
  /// How long an application may take to begin to play after it was woken for that, by a control of the lock
  /// screen or by the end of an interruption; and how long it runs after it was woken by a change of location.
  public var wakeGrace = 5.0 { didSet { wakeGrace = Self.legal(wakeGrace) } }
  /// How long an application runs after data came for one of its VoIP sockets, or after it was called to keep a connection
  /// alive; and how long that call may take. Apple says "a maximum of 10 seconds" of the call.
  public var voipTime = 10.0 { didSet { voipTime = Self.legal(voipTime) } }
  /// For a refresh task of the scheduler, until it is completed. Apple says "short"; observed as for a fetch.
  public var refreshTaskTime = 30.0 { didSet { refreshTaskTime = Self.legal(refreshTaskTime) } }
  /// For a processing task of the scheduler, until it is completed. Apple says "minutes".
  public var processingTaskTime = 300.0 {
    didSet { processingTaskTime = Self.legal(processingTaskTime) }
  }

  /// The identifiers of tasks that the application may schedule: `BGTaskSchedulerPermittedIdentifiers` in its property list.
  public var permittedTaskIdentifiers: Set<String> = []
  /// When the application loses its TCP sockets.
  public var socketReclaim = SocketReclaim.never

  /// The defaults.
  public init() {}

  /// The longest time that can be set: ten years, far below the range of `HostTime`.
  public static let longest = 315_360_000.0

  private static func legal(_ seconds: Double) -> Double { seconds > 0 ? min(seconds, longest) : 0 }
}

/// When the system takes the TCP sockets of a suspended application: those that listen and those with a connection, over
/// IPv4 and IPv6. Those of players, the sound server and the control socket are not the application's.
///
/// A reclaimed socket keeps its descriptor. What was not read is lost and the other end sees a reset. A thread that waits
/// for it wakes up. Then `recv` fails with ENOTCONN (the first time with what SO_ERROR holds, ECONNRESET, if nobody has asked
/// for that), `send` with EPIPE and `accept` with EINVAL; `close` works.
public enum SocketReclaim: String, Hashable, Sendable, CaseIterable {
  /// It keeps them. Clients of a socket that listens are accepted by the kernel, and then nobody answers.
  case never
  /// When it is suspended and the screen is locked, as up to iOS 4.3 (Technical Note TN2277).
  case whenLocked
  /// When it is suspended, as on present systems.
  case whenSuspended
}
