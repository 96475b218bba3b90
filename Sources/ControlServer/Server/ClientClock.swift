internal import NIOCore

/// When a client has been silent, unread or unheard of for too long. A value: time comes in, what is due comes out.
struct ClientClock {
  /// What the connection is at.
  struct Situation {
    /// Whether it watches; if so nothing else counts.
    var isWatching = false
    /// Whether the client is expected to send a line.
    var mayTimeOut = false
    /// Whether a command is under way.
    var isPerforming = false
    /// Bytes that the client has not read, of all those that were ever sent.
    var pending = 0
    var sent = 0
  }
  enum Due: Equatable {
    case nothing
    /// A watcher is to be told that the server lives.
    case heartbeat
    /// The client has used up its time.
    case end
  }

  private let silence: TimeAmount
  private let stall: TimeAmount
  private let heartbeat: TimeAmount
  private var lastLine: NIODeadline
  private var lastRecord: NIODeadline
  private var lastProgress: NIODeadline
  /// Whether bytes were unread when it was last looked.
  private(set) var isStalled = false
  private var read = 0

  init(limits: ServerLimits, now: NIODeadline) {
    silence = TimeAmount(seconds: limits.silence)
    stall = TimeAmount(seconds: limits.stall)
    heartbeat = TimeAmount(seconds: limits.heartbeat)
    (lastLine, lastRecord, lastProgress) = (now, now, now)
  }

  /// The client sent a line, or got what it waited for: its time begins anew.
  mutating func lineTaken(at now: NIODeadline) { lastLine = now }

  /// A watcher got a record.
  mutating func recordSent(at now: NIODeadline) { lastRecord = now }

  /// Something was sent, and this much of all is unread now.
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

  /// What is due.
  mutating func due(_ situation: Situation, at now: NIODeadline) -> Due {
    let read = situation.sent - situation.pending
    if read > self.read || situation.pending == 0 {
      self.read = read
      isStalled = situation.pending > 0
      lastProgress = now
    }
    if situation.isWatching {
      guard now >= lastRecord + heartbeat else { return .nothing }
      // Also if the record cannot be sent: the next one is due after as long again.
      lastRecord = now
      return .heartbeat
    }
    // Watchers are exempt: what they cost is bounded, and the newest step waits for them.
    if situation.pending > 0 { return now >= lastProgress + stall ? .end : .nothing }
    return situation.mayTimeOut && now >= lastLine + silence ? .end : .nothing
  }

  /// When to ask again; after `due` has said that the client may stay, always later than `now`.
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
