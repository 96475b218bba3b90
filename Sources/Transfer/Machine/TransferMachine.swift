package import HostTime

/// Gets the bytes of one version of one medium, from one URL, over connections that may end at any time.
///
/// A value: wishes, what happens to transfers and the time go in, commands and notes come out. There is at most one
/// transfer at a time. Bytes that arrive and are stored already are compared, so that two versions never mix.
package struct TransferMachine: Sendable {
  /// How a medium's transfers end for good.
  package enum Outcome: Hashable, Sendable {
    /// The server has another version.
    case changed
    /// No more bytes come.
    case failed(TransferFailure)
  }

  /// What is known of the server's ranges.
  package enum Ranges: Sendable {
    /// Nothing yet.
    case unknown
    /// They work.
    case working
    /// It answered a request for a range with the whole.
    case ignored
    /// It answered with what was not asked for: no range is asked for any more.
    case broken
  }

  /// What was asked for at first.
  package let url: WebURL
  let settings: RequestSettings
  let times: TransferTimes

  /// The length in bytes, once it is known.
  package internal(set) var total: Int64?
  /// Whether a place can be asked for.
  package internal(set) var ranges = Ranges.unknown
  /// Whether it is a live stream: it has no end and no places.
  package internal(set) var isLive = false
  /// How it ended for good; nil while more bytes may come.
  package internal(set) var outcome: Outcome?
  /// Whether no more bytes are asked for now, because there are enough ahead of the reader, or all.
  package private(set) var isFull = false
  /// When the machine wants to be told the time; nil: not before something else happens.
  package private(set) var wake: HostTime?

  var commands: [TransferCommand] = []
  /// What is stored when the commands so far are carried out.
  var stored = IntervalSet()
  var connection: TransferConnection?
  var lastAttempt = 0
  var validator: Validator?
  /// Whether an answer was once as it should be.
  var hasSucceeded = false
  /// Refusals such as 404 in a row after that.
  var refusals = 0
  var schedule: RetrySchedule
  /// When the next connection may begin.
  var nextStart: HostTime
  var lastFailure: TransferFailure?

  /// Where the reader is.
  package private(set) var readingPlace: Int64 = 0
  private var readAhead = ReadAhead.disk
  /// Since when there is no byte at the reader's place, or since the last progress towards one.
  var dryProgress: HostTime?
  /// How far known bytes were compared since there was the last new one.
  var comparedTo: Int64 = 0
  var overlap = OverlapRule()
  var expectedTotal: Int64?
  /// Whether nothing is asked for until further notice.
  private var isSuspended = false
  /// Whether bytes behind the announced end were asked for.
  var asksForRest = false
  private var toldComplete = false
  /// How often a validator did not hold although the bytes were the same.
  var emptyValidators = 0

  // Live streams.
  /// Where the next byte of a live stream is stored.
  var liveEnd: Int64 = 0
  var wantsMetadata = true
  var brokenBlocks = 0
  var lastMetadata = ICYMetadata()
  private var heldSince: HostTime?
  /// Whether the player stands still, so that a live stream is not read.
  package var isHeld: Bool { heldSince != nil }
  private var isClosedByHold = false

  /// A machine that has done nothing yet; the first `handle` begins.
  ///
  /// - Parameters:
  ///   - seed: for what is random: delays differ by a tenth.
  ///   - stored: what is known of the version whose bytes are stored already, by a machine of another process.
  ///   - attempt: the number of the last attempt of the machine before this one, if it follows one.
  package init(
    url: WebURL, settings: RequestSettings, times: TransferTimes = TransferTimes(), seed: UInt64,
    now: HostTime, stored: StoredVersion = StoredVersion(), after attempt: Int = 0
  ) {
    validator = stored.validator
    total = stored.total
    lastAttempt = attempt
    self.url = url
    self.settings = settings
    self.times = times
    schedule = RetrySchedule(seed: seed)
    nextStart = now
  }

  /// Whether bytes at `offset` can be had, now or later.
  package func canReach(_ offset: Int64, store: some StoredBytes) -> Bool {
    if store.intervals.range(at: offset) != nil { return true }
    if isLive || outcome != nil { return false }
    if let total, offset >= total { return false }
    if ranges == .working || ranges == .unknown { return true }
    let position = connection?.position ?? 0
    return offset <= max(position, store.intervals.end(from: 0)) + NetworkLimits.skipWithoutRanges
  }

  /// Takes an input and returns what is to be done.
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
      self.isSuspended = isSuspended
      if !isSuspended { nextStart = min(nextStart, now.advanced(bySeconds: schedule.pause(at: now))) }
    case .treatAsLive: becomeLive()
    case .withoutMetadata:
      guard isLive, wantsMetadata else { break }
      // The reader has given up what is stored: it is not ahead of it any more.
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

  // MARK: What to do next

  /// The first byte that is missing from the reader's place on.
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
    if let since = heldSince, isLive, connection != nil {
      wakeUp(at: since.advanced(bySeconds: NetworkLimits.livePause))
    }
  }

  /// Lets a transfer end that has brought all its bytes, so that its connection serves the next one; ends any other.
  private mutating func settle(at now: HostTime) {
    guard let present = connection else { return }
    if present.isAtEnd, let limit = limit(present), limit.moment > now {
      wakeUp(at: limit.moment)
    } else {
      dropConnection()
    }
  }

  private mutating func wakeUp(at moment: HostTime) { wake = wake.map { min($0, moment) } ?? moment }

  /// Whether a running transfer will bring the byte at `edge` soon enough.
  private func isUseful(_ connection: TransferConnection, for edge: Int64) -> Bool {
    if isLive { return true }
    let begin =
      connection.phase == .body ? connection.joint?.offset ?? connection.position : connection.first ?? 0
    let isPatient = connection.phase == .body ? ranges != .working : connection.first == nil
    // At the very beginning a jump is one over a tag, whose pictures nobody has asked for.
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

  /// Whether the server has another validator at each request: with them a connection that is always cut at the same byte would
  /// never bring another one. The overlap alone then tells the versions apart.
  var distrustsValidators: Bool { emptyValidators >= 2 }

  /// Ends the transfer that runs, if any.
  mutating func dropConnection() {
    guard let present = connection else { return }
    connection = nil
    commands.append(.cancel(attempt: present.attempt))
  }

  // MARK: Time

  private func limit(_ connection: TransferConnection) -> (moment: HostTime, what: String)? {
    guard !connection.isPaused, !isSuspended else { return nil }
    let (seconds, what) =
      switch connection.phase {
      case .connecting: (times.connect, "takes no connection")
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
    guard isDry, !isLive, !isSuspended else {
      dryProgress = nil
      return
    }
    let since = dryProgress ?? now
    dryProgress = since
    if now.seconds(since: since) >= times.giveUp {
      fail(lastFailure ?? TransferFailure(.timedOut, "\(url.host) sends nothing"))
    }
  }

  // MARK: Ends

  /// Takes the loss of a connection: it is `connection` no more. Either the next one is planned or the medium fails.
  mutating func lose(
    _ lost: TransferConnection, _ failure: TransferFailure, asked: Double?, at now: HostTime
  ) {
    lastFailure = failure
    if lost.phase == .body { overlap.note(lost.brought) }
    // A name that was known a while ago is one that will be known again: the machine has come to another network.
    let isForgotten = failure.kind == .hostNotFound && hasSucceeded
    if !failure.mayPass, !isForgotten, !isLive || failure.kind == .badAnswer {
      refusals += 1
      let isLasting = if case .status = failure.kind { false } else { true }
      if !hasSucceeded || isLasting || refusals >= NetworkLimits.refusalsAfterSuccess { return fail(failure) }
    }
    // Of what the server ended while nobody wanted more, nobody is told.
    let isSilent = lost.isPaused || lost.wasPaused
    let delay =
      isSilent ? schedule.pause(at: now) : schedule.delay(afterNews: lost.news, asked: asked, at: now)
    nextStart = now.advanced(bySeconds: delay)
    if !isSilent { commands.append(note(.retry(after: delay, failure))) }
  }

  /// Plans another request without delay, since the one before was answered, only not as hoped for.
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

  /// Whether the medium says that it goes on behind the end that the server announced. Asked for once.
  private mutating func wantsRest(at now: HostTime) -> Bool {
    guard let expectedTotal, let present = total, expectedTotal > present, !asksForRest, !isLive,
      ranges != .broken
    else { return false }
    asksForRest = true
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

  /// Closes a live stream that stood still for long; true while it is closed. What was stored of it is not played later.
  private mutating func closeHeld(at now: HostTime) -> Bool {
    guard isLive, let since = heldSince else { return false }
    if !isClosedByHold, now.seconds(since: since) >= NetworkLimits.livePause {
      isClosedByHold = true
      dropConnection()
      readingPlace = liveEnd
      // Nobody was told of those whose bytes are gone.
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

  /// Opens the stream anew without metadata.
  mutating func dropMetadata(at now: HostTime) {
    wantsMetadata = false
    askAgain(at: now)
  }
}
