import Clocks

extension TransferServiceMachine {
  /// The conditions of a task, set when it is first resumed.
  struct Wishes: Hashable, Sendable {
    /// The earliest start; nil if none, or once the task has started.
    var earliest: HostTime?
    var isDiscretionary = false
    /// The time at which the task fails if it is unfinished.
    var deadline = HostTime.distantFuture
  }

  struct Item: Hashable, Sendable {
    var isReady = true
    var wishes: Wishes?
    var isHeld = false
    var isRunning = false
    var isDone = false
    var isDelivered = false
    /// Whether the task waits for the application's answer. The task then counts as done.
    var isAsking = false
    /// Whether the task's end or question has requested a wake, or requests none because the user has quit the
    /// application.
    var hasWoken = false
    /// The start time that the device has chosen; nil if none.
    var chosen: HostTime?
    var waitsForLimiter = false

    /// Whether the task has ended.
    var isOver: Bool { isDone && !isAsking }
    /// Whether the task waits for the application's answer about its delay, and not about a challenge.
    var isDelayed: Bool { isAsking && wishes?.earliest != nil }

    func moment(isPowered: Bool) -> HostTime? {
      [wishes?.earliest, isPowered ? nil : chosen].compactMap { $0 }.max()
    }
  }

  struct Session: Hashable, Sendable {
    var isConnected = false
    var sendsLaunchEvents = true
    /// Whether delayed tasks start without a question, except while the application runs and the session is
    /// connected.
    var startsUnasked = false
    /// Whether a task has ended, become due or met a challenge without a wake or a notification of the application.
    /// Also set if the application was suspended or ended before it received a notification.
    var hasNews = false
    var wake = Wake.none
  }

  enum Wake: Hashable, Sendable {
    case none
    /// The wake was requested; the application was not notified yet.
    case asked
    /// The application was notified; `finishEvents` is pending.
    case told
  }

  /// The start delay of tasks that are first resumed in the background.
  struct Limiter: Hashable, Sendable {
    /// The delay in seconds; 0 if none is in effect.
    var delay = 0.0
    /// The end of the delay; nil if none is in effect.
    var end: HostTime?
  }
}
