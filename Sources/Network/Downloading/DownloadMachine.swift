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

/// The state of an unfinished download, sufficient to resume it later in another process. It has no
/// credentials and no request header fields. The query of its URL may itself be secret.
package struct DownloadRecord: Hashable, Sendable {
  package let url: WebURL
  /// The number of bytes written. Those of a saved record are on the disk and survive a power cut.
  package internal(set) var length: Int64 = 0
  /// The total length in bytes, if the server reported it.
  package internal(set) var total: Int64?
  /// Whether the last successful response was a requested range.
  package internal(set) var hasRanges = false
  /// `ETag`, `Last-Modified` and `Date` of the last response with stored bytes, if present and not encoded.
  package internal(set) var version = HTTPFields()

  package init(url: WebURL) { self.url = url }

  /// Whether another process can fetch just the remaining bytes, from a server that behaves as before.
  package var isResumable: Bool {
    length > 0 && hasRanges && (version["ETag"] != nil || version["Last-Modified"] != nil)
  }

  private static let heading = "continuo download 1"
  private static let fields = ["ETag", "Last-Modified", "Date"]

  /// The record as lines of text, which `init(bytes:)` parses.
  package var bytes: [UInt8] {
    var lines = [Self.heading, "url: \(url.text)", "length: \(length)"]
    if let total { lines.append("total: \(total)") }
    if hasRanges { lines.append("ranges: yes") }
    lines += version.all.map { "\($0.name): \($0.value)" }
    return Array((lines.joined(separator: "\n") + "\nend\n").utf8)
  }

  /// Parses a record; nil if the bytes are not a record, or have the format of a later program version.
  package init?(bytes: [UInt8]) {
    guard bytes.count <= NetworkLimits.record else { return nil }
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard lines.first == Self.heading, lines.suffix(2) == ["end", ""] else { return nil }
    lines = lines.dropFirst().dropLast(2)
    var values: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      guard values.updateValue(String(value), forKey: String(line[..<colon])) == nil else { return nil }
    }
    guard let text = values["url"], let (url, credentials) = try? WebURL.read(text), credentials == nil,
      let length = values["length"].flatMap(Int64.init), length >= 0
    else { return nil }
    self.url = url
    self.length = length
    if let text = values["total"] {
      guard let total = Int64(text), total >= length else { return nil }
      self.total = total
    }
    hasRanges = values["ranges"] == "yes"
    for name in Self.fields {
      guard let value = values[name] else { continue }
      guard HTTPFields.allows(name, value) else { return nil }
      version.add(name, value)
    }
  }

  /// The validator of the stored bytes.
  var validator: Validator? {
    var head = ResponseHead(status: 200)
    head.fields = version
    return length > 0 ? head.validator : nil
  }

  mutating func take(_ head: ResponseHead) {
    version = HTTPFields()
    guard !head.isEncoded else { return }
    for name in Self.fields {
      // A value that is not valid in a request is useless.
      if let value = head.fields[name], HTTPFields.allows(name, value) { version.add(name, value) }
    }
  }

  /// Returns whether the response to a range request belongs to another version than the stored bytes.
  /// Compares tags and dates, even those too weak for a conditional request.
  func differs(from head: ResponseHead) -> Bool {
    ["ETag", "Last-Modified"].contains { name in
      guard let known = version[name], let other = head.fields[name] else { return false }
      return known != other
    }
  }
}
