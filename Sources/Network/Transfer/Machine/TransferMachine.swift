package import Clocks

/// Transfers the bytes of one version of one medium, from one URL, over connections that may end at any time.
/// A value: inputs and the time go in, commands and notes come out. At most one transfer is in progress.
/// Bytes that arrive again are compared with the stored ones, to detect another version.
package struct TransferMachine: Sendable {
  package enum Outcome: Hashable, Sendable {
    case changed
    /// No more bytes arrive.
    case failed(TransferFailure)
  }

  package enum Ranges: Sendable {
    case unknown
    case working
    /// A request for a range was answered with the whole body.
    case ignored
    /// Ranges do not work, so no more ranges are requested.
    case broken
  }

  /// The requested URL, before redirects.
  package let url: WebURL
  let settings: RequestSettings
  let times: TransferTimes

  /// The length in bytes; nil while unknown.
  package internal(set) var total: Int64?
  /// The observed support for range requests, which seeks need.
  package internal(set) var ranges = Ranges.unknown
  /// Whether the medium is a live stream, which has no end and cannot seek.
  package internal(set) var isLive = false
  package internal(set) var outcome: Outcome?
  /// Whether no more bytes are read now: enough or all bytes ahead of the reader are stored, or the transfer
  /// in progress is paused.
  package private(set) var isFull = false
  /// The next timer deadline; nil if none.
  package private(set) var wake: HostTime?

  var commands: [TransferCommand] = []
  /// The stored ranges after the commands so far are carried out.
  var stored = IntervalSet()
  var connection: TransferConnection?
  var lastAttempt = 0
  var validator: Validator?
  /// Whether the server has sent an expected response at least once.
  var hasSucceeded = false
  /// The number of refusals such as 404 since the last expected response.
  var refusals = 0
  var schedule: RetrySchedule
  var nextStart: HostTime
  var lastFailure: TransferFailure?

  /// The reader's position in bytes.
  package private(set) var readingPlace: Int64 = 0
  private var readAhead = ReadAhead.disk
  /// The start of the starvation at the reader's position, or the time of the last progress since then. Nil if not
  /// starved, for live streams, and while the transfer is suspended or queued.
  var dryProgress: HostTime?
  /// The end of the stored bytes that were compared since the last new byte.
  var comparedTo: Int64 = 0
  var overlap = OverlapRule()
  var expectedTotal: Int64?
  private var isSuspended = false
  /// The announced end after which more bytes were requested; nil if none were.
  var restStart: Int64?
  private var toldComplete = false
  /// The number of times that a whole response to a request with `If-Range` has repeated a stored range
  /// unchanged; see `distrustsValidators`.
  var emptyValidators = 0

  // Live streams.
  /// The offset at which the next byte of the live stream is stored.
  var liveEnd: Int64 = 0
  /// Whether requests may ask for ICY metadata.
  package internal(set) var wantsMetadata = true
  var brokenBlocks = 0
  var lastMetadata = ICYMetadata()
  private var heldSince: HostTime?
  /// Whether the player is paused, so that a live stream is not read.
  package var isHeld: Bool { heldSince != nil }
  private var isClosedByHold = false

  /// Creates a machine that the first `handle` starts. `seed` seeds the retry jitter (±10 %). `validator` and `total`
  /// describe the version whose bytes an earlier machine has stored; nil if unknown. `attempt` is the last attempt
  /// number of the preceding machine.
  package init(
    url: WebURL, settings: RequestSettings, times: TransferTimes = TransferTimes(), seed: UInt64,
    now: HostTime, validator: Validator? = nil, total: Int64? = nil, after attempt: Int = 0
  ) {
    self.validator = validator
    self.total = total
    lastAttempt = attempt
    self.url = url
    self.settings = settings
    self.times = times
    schedule = RetrySchedule(seed: seed)
    nextStart = now
  }

  package mutating func handle(_ input: TransferInput, at now: HostTime, store: some StoredBytes)
    -> [TransferCommand]
  {
    commands = []
    stored = store.intervals
    defer {
      commands = []
      stored = IntervalSet()
    }
    guard outcome == nil else {
      if case .event(_, let attempt) = input, connection?.attempt == attempt { connection = nil }
      wake = nil
      return []
    }
    switch input {
    case .read(let offset): readingPlace = max(0, offset)
    case .readAhead(let value): readAhead = value
    case .expect(let total): if total > 0 { expectedTotal = total }
    case .hold(let isHeld): hold(isHeld, at: now)
    case .suspend(let isSuspended):
      // No timeout runs during a suspension, so the timeout begins anew.
      if self.isSuspended, !isSuspended { connection?.needsFreshLimit = true }
      self.isSuspended = isSuspended
      if !isSuspended { nextStart = min(nextStart, now.advanced(bySeconds: schedule.pause(at: now))) }
    case .treatAsLive: becomeLive()
    case .withoutMetadata:
      guard isLive, wantsMetadata else { break }
      // The reader has discarded the stored bytes, so they do not count as read ahead.
      readingPlace = max(readingPlace, liveEnd)
      dropMetadata(at: now)
    case .event(let event, let attempt):
      if connection?.attempt == attempt { take(event, at: now, store: store) }
    case .time: break
    }
    steer(at: now)
    return commands
  }

  func note(_ note: TransferNote) -> TransferCommand { .note(note) }

  // MARK: Next action

  /// The offset of the first missing byte from the reader's position on.
  var edge: Int64 { stored.end(from: readingPlace) }

  private mutating func steer(at now: HostTime) {
    wake = nil
    guard outcome == nil else { return }
    let edge = edge
    isFull = false
    if let total, edge >= total, !wantsRest(at: now) {
      isFull = true
      dryProgress = nil
      if !toldComplete {
        toldComplete = true
        commands.append(note(.complete(total: total)))
      }
      settle(at: now)
      return
    }
    toldComplete = false
    guard !closeHeld(at: now) else { return }
    watchDryness(at: now, isDry: edge <= readingPlace)
    guard outcome == nil else { return }
    watchLimits(at: now)
    guard outcome == nil else { return }
    if let connection, !isUseful(connection, for: edge) { askAgain(at: now) }
    pauseOrGoOn(ahead: edge - readingPlace)
    isFull = connection?.isPaused ?? (edge - readingPlace >= readAhead.enough)
    if connection == nil, heldSince == nil, !isSuspended, !isLive || !isClosedByHold,
      edge - readingPlace < readAhead.enough
    {
      if nextStart <= now {
        start(from: edge, at: now)
      } else {
        wakeUp(at: nextStart)
      }
    }
    if let limit = connection.flatMap(limit) { wakeUp(at: limit.moment) }
    if let since = dryProgress, !isLive { wakeUp(at: since.advanced(bySeconds: times.giveUp)) }
    if let since = heldSince, isLive {
      wakeUp(at: since.advanced(bySeconds: NetworkLimits.livePause))
    }
  }

  /// Cancels the transfer in progress. A transfer whose whole body has arrived may instead end by itself until
  /// its timeout, so that its connection can be reused.
  private mutating func settle(at now: HostTime) {
    guard let present = connection else { return }
    if present.isAtEnd, let limit = limit(present), limit.moment > now {
      wakeUp(at: limit.moment)
    } else {
      dropConnection()
    }
  }

  private mutating func wakeUp(at moment: HostTime) { wake = wake.map { min($0, moment) } ?? moment }

  /// Returns whether a transfer in progress will bring the byte at `edge` soon enough.
  private func isUseful(_ connection: TransferConnection, for edge: Int64) -> Bool {
    if isLive { return true }
    let begin =
      connection.phase == .body ? connection.joint?.offset ?? connection.position : connection.first ?? 0
    let isPatient = connection.phase == .body ? ranges != .working : connection.first == nil
    // A seek near the beginning skips a tag whose pictures are not needed, so fewer bytes are read through
    // there.
    let patience = begin < NetworkLimits.tagSkip ? NetworkLimits.tagSkip : NetworkLimits.waitAhead
    return edge >= begin && (isPatient || edge - begin <= patience)
  }

  private mutating func pauseOrGoOn(ahead: Int64) {
    guard let present = connection, present.phase == .body else { return }
    let isHeld = isSuspended || isLive && heldSince != nil
    let wantsPause = isHeld || ahead >= (present.isPaused ? readAhead.tooFew + 1 : readAhead.enough)
    guard wantsPause != present.isPaused else { return }
    connection?.isPaused = wantsPause
    connection?.needsFreshLimit = true
    if wantsPause { connection?.wasPaused = true }
    commands.append(.setPaused(wantsPause, attempt: present.attempt))
  }

  private mutating func start(from edge: Int64, at now: HostTime) {
    let before = edge - stored.start(ofRangeBefore: edge)
    let overlap = min(overlap.length, before)
    let first = isLive || ranges == .broken ? nil : edge - overlap
    lastAttempt += 1
    let request = settings.request(
      for: url, first: url, from: first, if: edge > 0 && !distrustsValidators ? validator : nil,
      wantsMetadata: wantsMetadata && (isLive || edge == 0))
    connection = TransferConnection(
      attempt: lastAttempt, request: request, first: first, wanted: edge, since: now)
    schedule.noteStart(at: now)
    commands.append(note(.request(from: first, attempt: lastAttempt)))
    commands.append(.start(request, attempt: lastAttempt))
  }

  /// Whether validators are ignored because they seem to change although the bytes stay the same. With such
  /// validators, connections that are always cut at the same byte would never bring a new byte. Without
  /// validators, only the overlap distinguishes versions.
  package var distrustsValidators: Bool { emptyValidators >= 2 }

  mutating func dropConnection() {
    guard let present = connection else { return }
    connection = nil
    commands.append(.cancel(attempt: present.attempt))
  }

  // MARK: Timeouts

  private func limit(_ connection: TransferConnection) -> (moment: HostTime, what: String)? {
    guard !connection.isPaused, !connection.isQueued, !isSuspended else { return nil }
    let (seconds, what) =
      switch connection.phase {
      case .connecting: (times.connect, "does not accept the connection")
      case .asking: (times.firstByte, "does not answer")
      case .body: (times.stall, "has stopped sending")
      }
    return (connection.since.advanced(bySeconds: seconds), what)
  }

  private mutating func watchLimits(at now: HostTime) {
    if connection?.needsFreshLimit == true {
      connection?.needsFreshLimit = false
      connection?.since = now
    }
    guard let present = connection, let limit = limit(present), limit.moment <= now else { return }
    dropConnection()
    lose(
      present, TransferFailure(.timedOut, "\(present.request.url.host) \(limit.what)"), asked: nil, at: now)
  }

  private mutating func watchDryness(at now: HostTime, isDry: Bool) {
    guard isDry, !isLive, !isSuspended, connection?.isQueued != true else {
      dryProgress = nil
      return
    }
    let since = dryProgress ?? now
    dryProgress = since
    if now.seconds(since: since) >= times.giveUp {
      fail(lastFailure ?? TransferFailure(.timedOut, "\(url.host) sends nothing"))
    }
  }

  // MARK: Failures and retries

  /// Handles the loss of a connection no longer in `connection`: schedules a retry or fails the medium.
  mutating func lose(
    _ lost: TransferConnection, _ failure: TransferFailure, asked: Double?, at now: HostTime
  ) {
    lastFailure = failure
    if lost.phase == .body { overlap.note(lost.brought) }
    // A host name that was resolved before may be resolved again, for example after a change of networks.
    let isForgotten = failure.kind == .hostNotFound && hasSucceeded
    if !failure.mayPass, !isForgotten, !isLive || failure.kind == .badAnswer {
      refusals += 1
      let isLasting = if case .status = failure.kind { false } else { true }
      if !hasSucceeded || isLasting || refusals >= NetworkLimits.refusalsAfterSuccess { return fail(failure) }
    }
    // The loss of a connection that was paused after its last byte is not reported.
    let isSilent = lost.isPaused || lost.wasPaused
    let delay =
      isSilent ? schedule.pause(at: now) : schedule.delay(afterNews: lost.news, asked: asked, at: now)
    nextStart = now.advanced(bySeconds: delay)
    if !isSilent { commands.append(note(.retry(after: delay, failure))) }
  }

  /// Cancels the transfer in progress, if any, and schedules another request without back-off.
  mutating func askAgain(at now: HostTime) {
    dropConnection()
    nextStart = now.advanced(bySeconds: schedule.pause(at: now))
  }

  mutating func fail(_ failure: TransferFailure) {
    dropConnection()
    outcome = .failed(failure)
    commands.append(note(.failed(failure)))
  }

  mutating func change() {
    dropConnection()
    outcome = .changed
    commands.append(note(.changed))
  }

  /// Requests bytes after the announced end, once, if the medium's own length is greater. Returns whether it
  /// did.
  private mutating func wantsRest(at now: HostTime) -> Bool {
    guard let expectedTotal, let present = total, expectedTotal > present, restStart == nil, !isLive,
      ranges != .broken
    else { return false }
    restStart = present
    total = expectedTotal
    askAgain(at: now)
    return true
  }

  // MARK: Live streams

  private mutating func hold(_ isHeld: Bool, at now: HostTime) {
    if isHeld {
      heldSince = heldSince ?? now
    } else {
      heldSince = nil
      if isClosedByHold {
        isClosedByHold = false
        nextStart = now
      }
    }
  }

  /// Closes a live stream that was paused for too long, and discards its stored bytes. Returns true while the
  /// stream is closed.
  private mutating func closeHeld(at now: HostTime) -> Bool {
    guard isLive, let since = heldSince else { return false }
    if !isClosedByHold, now.seconds(since: since) >= NetworkLimits.livePause {
      isClosedByHold = true
      dropConnection()
      readingPlace = liveEnd
      // The reader may not have reached the metadata of the discarded bytes, so they are reported again.
      lastMetadata = ICYMetadata()
      commands.append(.forget)
      stored = IntervalSet()
    }
    return isClosedByHold
  }

  private mutating func becomeLive() {
    guard !isLive else { return }
    isLive = true
    total = nil
    ranges = .broken
    liveEnd = max(stored.ranges.last?.upperBound ?? 0, connection?.position ?? 0)
    connection?.position = liveEnd
    commands.append(note(.live(nil)))
  }

  mutating func dropMetadata(at now: HostTime) {
    wantsMetadata = false
    askAgain(at: now)
  }
}
