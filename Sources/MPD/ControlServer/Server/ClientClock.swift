internal import NIOCore

/// Detects clients that exceed a time limit, and heartbeats that are due. A value: events come in with their
/// times, and `due` returns the action.
struct ClientClock {
  /// The state of the connection.
  struct Situation {
    /// Whether the client watches, and is not about to be closed. If so, no time limit applies.
    var isWatching = false
    /// Whether the client is expected to send a line.
    var mayTimeOut = false
    /// Whether a command is in progress.
    var isPerforming = false
    /// The bytes that the channel still holds, out of all `sent` bytes.
    var pending = 0
    var sent = 0
  }
  enum Due: Equatable {
    case nothing
    /// A watcher must get a record that shows that the server is alive.
    case heartbeat
    /// A time limit of the client has expired.
    case end
  }

  private let silence: TimeAmount
  private let stall: TimeAmount
  private let heartbeat: TimeAmount
  private var lastLine: NIODeadline
  private var lastRecord: NIODeadline
  private var lastProgress: NIODeadline
  /// Whether bytes were unread at the last check.
  private(set) var isStalled = false
  private var read = 0

  init(limits: ServerLimits, now: NIODeadline) {
    silence = TimeAmount(seconds: limits.silence)
    stall = TimeAmount(seconds: limits.stall)
    heartbeat = TimeAmount(seconds: limits.heartbeat)
    (lastLine, lastRecord, lastProgress) = (now, now, now)
  }

  /// Restarts the time limit for the next line after the client sent a line or got an answer.
  mutating func lineTaken(at now: NIODeadline) { lastLine = now }

  /// Restarts the heartbeat interval after a watcher got a record.
  mutating func recordSent(at time: NIODeadline) { lastRecord = max(lastRecord, time) }

  /// Starts the stall limit if bytes are unread after sending and it does not run yet; clears it if none are.
  mutating func flushed(_ situation: Situation, at now: @autoclosure () -> NIODeadline) {
    guard situation.pending > 0 else {
      isStalled = false
      return
    }
    guard !isStalled else { return }
    isStalled = true
    lastProgress = now()
    read = situation.sent - situation.pending
  }

  /// Returns the action that is due at `now`.
  mutating func due(_ situation: Situation, at now: NIODeadline) -> Due {
    let read = situation.sent - situation.pending
    if read > self.read || situation.pending == 0 {
      self.read = read
      isStalled = situation.pending > 0
      lastProgress = now
    }
    if situation.isWatching {
      guard now >= lastRecord + heartbeat else { return .nothing }
      // Set even if the record cannot be sent, so that the next one is due after another interval.
      lastRecord = now
      return .heartbeat
    }
    // The limits below do not apply to watchers, because the memory for a watcher is bounded and the newest
    // time step is kept for it.
    if situation.pending > 0 { return now >= lastProgress + stall ? .end : .nothing }
    return situation.mayTimeOut && now >= lastLine + silence ? .end : .nothing
  }

  /// The time of the next check. Later than `now` if `due` was called at `now` and did not return `end`.
  func next(_ situation: Situation, at now: NIODeadline) -> NIODeadline {
    if situation.isWatching { return lastRecord + heartbeat }
    if situation.pending > 0 { return lastProgress + stall }
    if situation.mayTimeOut { return lastLine + silence }
    return situation.isPerforming ? now + silence : .distantFuture
  }
}

extension TimeAmount {
  init(seconds: Double) { self = .nanoseconds(Int64(seconds * 1e9)) }
}
