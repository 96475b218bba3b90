package import Clocks
package import Transfer

/// Downloads the complete content of one URL in a single version, over any number of connections and
/// processes. Restarts if the server's version changes. A value that wraps a `TransferMachine` and decides
/// what to write to disk, and when.
package struct DownloadMachine: Sendable {
  /// An action that the driver must carry out, in the order given.
  package enum Command: Sendable {
    case transfer(TransferCommand)
    case write(ArraySlice<UInt8>, at: Int64)
    /// Synchronize the written bytes, then replace the record.
    case save(DownloadRecord)
    case discard
    /// Synchronize the written bytes, then rename the partial file to the target. Ends with the event
    /// `finished`, or with `failed` if this is not possible. The last command.
    case finish
    /// Deliver an event. A final event is the last command; the partial file is then deleted if the record
    /// has no bytes.
    case tell(DownloadEvent)
  }

  package private(set) var record: DownloadRecord
  package private(set) var isEnded = false

  private let settings: RequestSettings
  private let policy: DownloadPolicy
  private let seed: UInt64
  private var transfer: TransferMachine
  private var lastAttempt = 0
  private var changes = 0
  private var commands: [Command] = []

  /// The number of bytes of an earlier download that are not yet confirmed to belong to the server's version.
  private var unproven: Int64
  /// The head of the current response, recorded once its bytes are known to continue the stored ones.
  private var answer: ResponseHead?
  private var savedLength: Int64
  /// The deadline for the next save; nil if nothing is pending.
  private var saveMoment: HostTime?
  /// The deadline for the next progress event, and the time of the last one.
  private var progressMoment: HostTime?
  private var lastProgress: HostTime?

  /// Creates a machine that the first `handle` starts. `record` is the record of the partial file, and has
  /// the length of the file. `seed` seeds the retry jitter.
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
      url: record.url, settings: settings, times: policy.times, seed: seed, now: now,
      validator: record.validator, total: record.length > 0 ? record.total : nil)
  }

  /// The next timer deadline; nil if none.
  package var wake: HostTime? {
    isEnded ? nil : [transfer.wake, saveMoment, progressMoment].compactMap { $0 }.min()
  }

  /// Handles a transfer event, the time or a suspension, and returns the commands to carry out.
  package mutating func handle(
    _ input: TransferInput, at now: HostTime, store: some StoredBytes
  ) -> [Command] {
    commands = []
    defer { commands = [] }
    // The reading position is always at the end of the stored bytes, so that the read-ahead never pauses the
    // download.
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

  package mutating func stop() -> [Command] {
    commands = []
    defer { commands = [] }
    if !isEnded { end(.stopped(record)) }
    return commands
  }

  private mutating func take(_ transferCommands: [TransferCommand], at now: HostTime) {
    let version = changes
    // Commands after a change concern the previous version.
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
    case .request(let first, _): commands.append(.tell(.requested(after: first ?? 0 > 0 ? record.length : 0)))
    case .response(let head, let url, _, _):
      commands.append(.tell(.response(head, url: url)))
      guard (200..<300).contains(head.status) else { return }
      // The servers behind a load balancer may each send another tag. Once the machine distrusts validators,
      // only the comparison of bytes detects another version.
      let mayDiffer = record.length > 0 && head.status == 206 && !transfer.distrustsValidators
      if mayDiffer, record.differs(from: head) { return beginAnew(at: now) }
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
    case .progress, .entered, .rejoined, .keptInMemory, .metadata: break
    }
  }

  /// Records that the arriving bytes continue the stored ones.
  private mutating func prove() {
    if unproven > 0 { commands.append(.tell(.resumed(at: unproven))) }
    unproven = 0
    guard let answer else { return }
    record.take(answer)
    record.hasRanges = transfer.ranges == .working
    self.answer = nil
  }

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
    // The record is saved first, because it must never describe bytes of the previous version that are
    // deleted.
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

/// The empty store of a new version.
private struct NoBytes: StoredBytes {
  let intervals = IntervalSet()

  func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool { false }
}
