import CThreads
package import Clocks
package import Glibc
import Synchronization
import SystemSupport
package import Transfer

/// A download of one URL into a file. If the download or its process ends early, a later download resumes it
/// if possible. Methods may be called on any thread and never block, except `end`. Releasing the object may
/// block too: the release ends the download without a record of the last bytes, which a later download
/// fetches again.
package final class FileDownload: Sendable {
  private struct Work: ~Copyable {
    var part: PartFile?
    var machine: DownloadMachine?
    var isEnded = false
  }

  private let url: WebURL
  private let place: DownloadPlace
  private let settings: RequestSettings
  private let policy: DownloadPolicy
  private let clock: any HostClock
  private let seed: UInt64
  private let onEvent: @Sendable (DownloadEvent) -> Void
  private let runner: TransferRunner
  private let wantsStop = Mutex(false)
  private let work = WorkerState(Work())
  private let hasEnded = Atomic(false)

  /// Starts the download immediately, resuming the partial file at `place` if it exists.
  /// `wantsSound` of the settings is ignored. `seed` seeds the retry jitter (±10 %). `onEvent` is called on
  /// the worker with each event, in order; it must return quickly and may call `stop`.
  package init(
    _ url: WebURL, to place: DownloadPlace, settings: RequestSettings,
    policy: DownloadPolicy = DownloadPolicy(),
    transport: any HTTPTransport, clock: any HostClock, seed: UInt64,
    onEvent: @escaping @Sendable (DownloadEvent) -> Void
  ) {
    self.url = url
    self.place = place
    var settings = settings
    settings.wantsSound = false
    self.settings = settings
    self.policy = policy
    self.clock = clock
    self.seed = seed
    self.onEvent = onEvent
    runner = TransferRunner(transport: transport)
    runner.begin("continuo-get", on: clock) { [weak self] in self?.step() ?? .whenSignalled }
  }

  deinit { runner.end() }

  /// Suspends or resumes the download. While suspended, no request is sent, except after a redirect, and no timeout
  /// runs.
  package func setSuspended(_ isSuspended: Bool) { runner.tell(.suspend(isSuspended)) }

  /// Stops the download so that it can be resumed later. The event `stopped` follows once all received bytes
  /// are recorded, unless the download ends before in another way.
  package func stop() {
    wantsStop.withLock { $0 = true }
    runner.signal()
  }

  /// Ends the download without an event, records the written bytes and closes the partial file. Waits for the
  /// worker's current step, unless the worker itself calls this method, and for the disk.
  package func end() {
    runner.end()
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    // The worker has ended, or calls this method, so no other thread uses `work`.
    work.use { work in
      if let record = work.machine?.record, record != work.part?.record { try? work.part?.save(record) }
      work.part = nil
    }
  }

  private func step() -> WorkerNext {
    let inputs = runner.takeInputs()
    let (wake, events) = work.use { work in
      var events: [DownloadEvent] = []
      do throws(FileFailure) {
        try run(inputs, &work, &events)
      } catch {
        // Bytes that could not be written are fetched again. The last record remains correct.
        events.append(.failed(.file(error), work.part?.record ?? DownloadRecord(url: url)))
        work.isEnded = true
      }
      if work.isEnded { close(&work) }
      return (work.machine?.wake, events)
    }
    for event in events { onEvent(event) }
    return wake.map { .at($0) } ?? .whenSignalled
  }

  private func run(
    _ inputs: [TransferInput], _ work: inout Work, _ events: inout [DownloadEvent]
  ) throws(FileFailure) {
    guard !work.isEnded else { return }
    if work.machine == nil {
      if !policy.replacesFile { try place.expectNoTarget() }
      let part = try PartFile.open(place, of: url)
      work.machine = DownloadMachine(
        part.record, settings: settings, policy: policy, seed: seed, now: clock.now)
      work.part = consume part
    }
    for input in inputs + [.time] { try tell(input, &work, &events) }
    if wantsStop.withLock({ $0 }) { try carryOut(work.machine?.stop() ?? [], &work, &events) }
    runner.goOn()
  }

  private func tell(
    _ input: TransferInput, _ work: inout Work, _ events: inout [DownloadEvent]
  ) throws(FileFailure) {
    guard !work.isEnded, let bytes = work.part?.bytes else { return }
    try carryOut(work.machine?.handle(input, at: clock.now, store: bytes) ?? [], &work, &events)
  }

  private func carryOut(
    _ commands: [DownloadMachine.Command], _ work: inout Work, _ events: inout [DownloadEvent]
  ) throws(FileFailure) {
    for command in commands {
      switch command {
      case .transfer(let command): _ = runner.carryOut(command)
      case .write(let bytes, let offset): try work.part?.write(bytes, at: offset)
      case .save(let record): try work.part?.save(record)
      case .discard: try work.part?.discard()
      case .finish:
        try work.part?.synchronize()
        do throws(FileFailure) {
          try work.part?.finish(replacing: policy.replacesFile)
        } catch {
          // The data is complete and only the rename failed.
          if let record = work.machine?.record { try? work.part?.save(record) }
          throw error
        }
        // Released, so that `close` does not remove files that another download has created by these names.
        work.part = nil
        events.append(.finished(work.machine?.record.length ?? 0))
      case .tell(let event): events.append(event)
      }
    }
    work.isEnded = work.machine?.isEnded ?? true
  }

  /// Closes the partial file, and removes it if no bytes are recorded. The last event is delivered after the
  /// removal.
  private func close(_ work: inout Work) {
    runner.cancelTransfer()
    if let record = work.part?.record, record.length == 0 { work.part?.remove() }
    work.part = nil
    work.machine = nil
  }
}

package struct DownloadPlace: Hashable, Sendable {
  private static let partSuffix = ".part"
  private static let recordSuffix = partSuffix + ".record"

  /// The path of the complete file. The bytes need not be UTF-8.
  private let bytes: [UInt8]

  package init(_ target: String) { self.init(Array(target.utf8)) }

  package init(_ target: [UInt8]) { bytes = target }

  /// The path of the complete file, for messages.
  package var target: String { String(decoding: bytes, as: UTF8.self) }
  package var part: String { target + Self.partSuffix }
  package var record: String { target + Self.recordSuffix }

  // The same paths, for system calls.
  fileprivate var targetName: [CChar] { name("") }
  fileprivate var partName: [CChar] { name(Self.partSuffix) }
  fileprivate var recordName: [CChar] { name(Self.recordSuffix) }
  fileprivate var newRecordName: [CChar] { name(Self.recordSuffix + ".new") }

  private func name(_ suffix: String) -> [CChar] {
    (bytes + suffix.utf8 + [0]).map { CChar(bitPattern: $0) }
  }

  /// - Throws: `exists` if a file of any kind has the target's name.
  func expectNoTarget() throws(FileFailure) {
    var status = stat()
    if lstat(targetName, &status) == 0 { throw .exists(target) }
  }

  fileprivate func givePartItsName(replacing: Bool) throws(FileFailure) {
    // 1: RENAME_NOREPLACE, which never overwrites a file that was created after the check.
    if !replacing, continuo_renameat2(AT_FDCWD, partName, AT_FDCWD, targetName, 1) == 0 { return }
    // Some file systems do not support RENAME_NOREPLACE.
    if !replacing, errno != EINVAL, errno != ENOSYS {
      throw errno == EEXIST ? .exists(target) : .current("write", target)
    }
    if !replacing { try expectNoTarget() }
    guard rename(partName, targetName) == 0 else { throw .current("write", target) }
  }
}

/// An open file, closed with its last reference. Only its methods use the descriptor. Calls may block.
package final class OpenFile: Sendable {
  package let path: String
  private let descriptor: Int32

  /// Opens `path` without following a symbolic link in its last component.
  package convenience init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(FileFailure) {
    try self.init(path, name: Array(path.utf8CString), flags, mode: mode)
  }

  /// Opens the file `name`, which messages call `path`.
  fileprivate init(_ path: String, name: [CChar], _ flags: Int32, mode: mode_t = 0) throws(FileFailure) {
    self.path = path
    descriptor = open(name, flags | O_CLOEXEC | O_NOFOLLOW, mode)
    guard descriptor >= 0 else { throw .current(flags & O_CREAT == 0 ? "read" : "write", path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  package func status() throws(FileFailure) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .current("read", path) }
    return status
  }

  package func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(FileFailure) {
    if let error = WholeTransfer.write(bytes, to: descriptor, at: offset) {
      throw .system(doing: "write", path, code: error)
    }
  }

  /// Returns the first bytes, at most `count`.
  fileprivate func read(_ count: Int) -> [UInt8] { WholeTransfer.read(count, from: descriptor, at: 0) }

  /// Returns whether the bytes at `offset` equal `bytes`. Unreadable bytes never do.
  package func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
    bytes.isEqual(to: WholeTransfer.read(bytes.count, from: descriptor, at: offset))
  }

  package func truncate(to length: Int64) throws(FileFailure) {
    guard ftruncate(descriptor, off_t(length)) == 0 else { throw .current("write", path) }
  }

  /// Locks the file. Returns false if it is already locked, in any process.
  fileprivate func lock() throws(FileFailure) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw .current("lock", path) }
    return false
  }

  /// Waits until the disk has the bytes and, if `isWhole` is true, all metadata of the file.
  fileprivate func synchronize(isWhole: Bool = false) throws(FileFailure) {
    guard (isWhole ? fsync(descriptor) : fdatasync(descriptor)) == 0 else { throw .current("write", path) }
  }
}

/// The partial file of a download, locked by one download at a time, and its record. All calls may block.
struct PartFile: ~Copyable {
  private let place: DownloadPlace
  private let file: OpenFile
  private var length: Int64
  private(set) var record: DownloadRecord

  private init(_ place: DownloadPlace, _ file: OpenFile, _ record: DownloadRecord) {
    self.place = place
    self.file = file
    self.record = record
    length = record.length
  }

  /// Opens the partial file, reads its record, and returns both. Creates an empty file if none exists.
  /// Truncates the file to the recorded length, and saves the record.
  static func open(_ place: DownloadPlace, of url: WebURL) throws(FileFailure) -> PartFile {
    let file = try openAlone(place)
    let size = Int64(try file.status().st_size)
    var record = DownloadRecord(url: url)
    if let known = try readRecord(place) {
      // The record of a part that was deleted protects nothing.
      guard known.url == url || known.length == 0 || size == 0 else {
        throw .foreign(place.part, url: known.url.textForMessages)
      }
      if known.url == url { record = known }
    } else if size > 0 {
      throw .foreign(place.part, url: nil)
    }
    record.length = min(record.length, size)
    // Bytes after the recorded length may be missing on the disk.
    if size > record.length { try file.truncate(to: record.length) }
    var part = PartFile(place, file, record)
    try part.save(record)
    return part
  }

  /// Opens, locks and returns the partial file. Retries if the previous owner has renamed or removed it
  /// before the lock.
  private static func openAlone(_ place: DownloadPlace) throws(FileFailure) -> OpenFile {
    while true {
      let file = try OpenFile(place.part, name: place.partName, O_RDWR | O_CREAT | O_NONBLOCK, mode: 0o666)
      guard try file.lock() else { throw .busy(place.target) }
      let opened = try file.status()
      guard opened.st_mode & S_IFMT == S_IFREG else { throw .foreign(place.part, url: nil) }
      var named = stat()
      if lstat(place.partName, &named) == 0, named.st_ino == opened.st_ino, named.st_dev == opened.st_dev {
        return file
      }
    }
  }

  private static func readRecord(_ place: DownloadPlace) throws(FileFailure) -> DownloadRecord? {
    do throws(FileFailure) {
      return DownloadRecord(
        bytes: try OpenFile(place.record, name: place.recordName, O_RDONLY | O_NONBLOCK)
          .read(NetworkLimits.record))
    } catch {
      if case .system(_, _, ENOENT) = error { return nil }
      throw error
    }
  }

  mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(FileFailure) {
    try file.write(bytes, at: offset)
    length = offset + Int64(bytes.count)
  }

  /// Synchronizes the written bytes, then replaces the record.
  mutating func save(_ record: DownloadRecord) throws(FileFailure) {
    try file.synchronize()
    let error = record.bytes.withUnsafeBytes {
      FileReplacement.write($0, to: place.recordName, through: place.newRecordName, mode: 0o600)
    }
    if let error { throw .system(doing: "write", place.record, code: error) }
    self.record = record
  }

  mutating func discard() throws(FileFailure) {
    try file.truncate(to: 0)
    length = 0
  }

  /// Waits until the disk has the whole file.
  func synchronize() throws(FileFailure) { try file.synchronize(isWhole: true) }

  /// Renames the synchronized file to the target, and deletes the record.
  func finish(replacing: Bool) throws(FileFailure) {
    try place.givePartItsName(replacing: replacing)
    FileReplacement.synchronizeFolder(of: place.targetName)
    unlink(place.recordName)
  }

  func remove() {
    // The part is removed first, because a part without a record counts as another program's file.
    for path in [place.partName, place.recordName, place.newRecordName] { unlink(path) }
  }

  var bytes: PartBytes { PartBytes(file: file, length: length) }
}

struct PartBytes: StoredBytes {
  let file: OpenFile
  let length: Int64

  var intervals: IntervalSet {
    var intervals = IntervalSet()
    intervals.insert(0..<length)
    return intervals
  }

  func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool { file.holds(bytes, at: offset) }
}
