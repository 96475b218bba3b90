package import HostTime
package import Transfer

/// Downloads one URL, whole and of one version, however often connections, versions and processes end in between.
///
/// A value around a `TransferMachine`: it adds what has to be on the disk, and when.
package struct DownloadMachine: Sendable {
  /// What it wants done, in this order.
  package enum Command: Sendable {
    /// About a transfer: start, cancel or pause it.
    case transfer(TransferCommand)
    /// Write bytes behind those that are there.
    case write(ArraySlice<UInt8>, at: Int64)
    /// Make durable what is written, then put this in the place of the record.
    case save(DownloadRecord)
    /// Take all bytes out of the part.
    case discard
    /// Make durable what is written, then give it its name. Ends with `finished`, or with `failed` if that cannot be. The last one.
    case finish
    /// Tell this. If the download ended, the last one; a part without bytes and its record go then.
    case tell(DownloadEvent)
  }

  /// What would be in the record if it was written now.
  package private(set) var record: DownloadRecord
  /// Whether it has ended.
  package private(set) var isEnded = false

  private let settings: RequestSettings
  private let policy: DownloadPolicy
  private let seed: UInt64
  private var transfer: TransferMachine
  private var lastAttempt = 0
  /// How many versions there were before this one.
  private var changes = 0
  private var commands: [Command] = []

  /// How many bytes of earlier processes there are, of which is not known yet if they fit.
  private var unproven: Int64
  /// The answer that brings bytes now; noted when the first one has turned out to fit.
  private var answer: ResponseHead?
  private var savedLength: Int64
  /// When what is written is to be saved.
  private var saveMoment: HostTime?
  /// When progress is to be told, and when it was told last.
  private var progressMoment: HostTime?
  private var lastProgress: HostTime?

  /// A machine that has done nothing yet; the first `handle` begins.
  ///
  /// - Parameters:
  ///   - record: what is there; its length is that of the part.
  ///   - seed: for what is random.
  package init(
    _ record: DownloadRecord, settings: RequestSettings, policy: DownloadPolicy, seed: UInt64, now: HostTime
  ) {
    self.record = record
    self.settings = settings
    self.policy = policy
    self.seed = seed
    unproven = record.length
    savedLength = record.length
    transfer = TransferMachine(
      url: record.url, settings: settings, times: policy.times, seed: seed, now: now, stored: record.stored)
  }

  /// When it wants to be told the time; nil: not before something else happens.
  package var wake: HostTime? {
    isEnded ? nil : [transfer.wake, saveMoment, progressMoment].compactMap { $0 }.min()
  }

  /// Takes an event, the time or a wish to stand still, and returns what is to be done.
  package mutating func handle(_ input: TransferInput, at now: HostTime, store: some StoredBytes) -> [Command]
  {
    commands = []
    defer { commands = [] }
    // Everything is read as soon as it is there: only a byte that is missing keeps it waiting.
    let place = TransferInput.read(from: record.length)
    if !isEnded { take(transfer.handle(place, at: now, store: store), at: now) }
    if !isEnded { take(transfer.handle(input, at: now, store: store), at: now) }
    guard !isEnded else { return commands }
    if let saveMoment, saveMoment <= now || record.length - savedLength >= NetworkLimits.recordEvery {
      save()
    }
    if let progressMoment, progressMoment <= now { tellProgress(at: now) }
    return commands
  }

  /// Ends it, to be gone on with later.
  package mutating func stop() -> [Command] {
    commands = []
    defer { commands = [] }
    if !isEnded { end(.stopped(record)) }
    return commands
  }

  // MARK: What the transfer says

  private mutating func take(_ transferCommands: [TransferCommand], at now: HostTime) {
    let version = changes
    // What comes behind a change is about the version before.
    for command in transferCommands where !isEnded && changes == version {
      switch command {
      case .start(_, let attempt):
        lastAttempt = attempt
        commands.append(.transfer(command))
      case .cancel, .setPaused: commands.append(.transfer(command))
      case .store(let bytes, let offset):
        prove()
        commands.append(.write(bytes, at: offset))
        record.length = offset + Int64(bytes.count)
        record.total = transfer.total
        saveMoment = saveMoment ?? now.advanced(bySeconds: NetworkLimits.recordInterval)
        let due = lastProgress.map { max(now, $0.advanced(bySeconds: policy.progressInterval)) }
        progressMoment = progressMoment ?? due ?? now
      case .note(let note): take(note, at: now)
      case .forget: break
      }
    }
  }

  private mutating func take(_ note: TransferNote, at now: HostTime) {
    switch note {
    case .response(let head, let url, _, _):
      commands.append(.tell(.response(head, url: url)))
      guard (200..<300).contains(head.status) else { return }
      if record.length > 0, head.status == 206, record.differs(from: head) { return beginAnew(at: now) }
      answer = head
    case .retry(let delay, let failure): commands.append(.tell(.retry(after: delay, failure)))
    case .complete(let total):
      prove()
      record.total = total
      tellProgress(at: now)
      commands.append(.finish)
      isEnded = true
    case .changed: beginAnew(at: now)
    case .failed(let failure): end(.failed(.transfer(failure), record))
    case .live:
      let message = "\(record.url.host) sends a live stream, which has no end"
      end(.failed(.transfer(TransferFailure(.badAnswer, message)), record))
    case .request, .progress, .entered, .rejoined, .keptInMemory, .metadata: break
    }
  }

  /// What comes now fits what is there.
  private mutating func prove() {
    if unproven > 0 { commands.append(.tell(.resumed(at: unproven))) }
    unproven = 0
    guard let answer else { return }
    record.take(answer)
    record.hasRanges = transfer.ranges == .working
    self.answer = nil
  }

  // MARK: What has to be done

  private mutating func beginAnew(at now: HostTime) {
    cancel()
    changes += 1
    guard changes <= NetworkLimits.versions else {
      let message = "\(record.url.host) has another version of it each time"
      return end(.failed(.transfer(TransferFailure(.badAnswer, message)), record))
    }
    record = DownloadRecord(url: record.url)
    unproven = 0
    answer = nil
    // First the record: it must never tell of bytes of the version before that are not there any more.
    save()
    commands += [.discard, .tell(.changed)]
    tellProgress(at: now)
    transfer = TransferMachine(
      url: record.url, settings: settings, times: policy.times, seed: seed &+ UInt64(changes), now: now,
      after: lastAttempt)
    take(transfer.handle(.time, at: now, store: NoBytes()), at: now)
  }

  private mutating func cancel() { commands.append(.transfer(.cancel(attempt: lastAttempt))) }

  private mutating func save() {
    commands.append(.save(record))
    savedLength = record.length
    saveMoment = nil
  }

  private mutating func tellProgress(at now: HostTime) {
    commands.append(.tell(.progress(record.length, total: record.total)))
    lastProgress = now
    progressMoment = nil
  }

  private mutating func end(_ event: DownloadEvent) {
    cancel()
    if record.length > savedLength { save() }
    commands.append(.tell(event))
    isEnded = true
  }
}

/// The store of a version that has just begun.
private struct NoBytes: StoredBytes {
  let intervals = IntervalSet()

  func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool { false }
}
