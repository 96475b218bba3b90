internal import Clocks

/// The pending updates: those that were requested, and the folders in which inotify has reported a change.
struct UpdateQueue {
  struct Job: Hashable {
    var number: UInt32
    /// A folder or a file, relative to the music directory; empty for all.
    var path: [UInt8]
    /// Whether unchanged files are read again.
    var rereads: Bool
  }

  enum Run: Hashable {
    case job(Job)
    /// Changed folders, each without its known subfolders, and the number of the update.
    case folders(Set<[UInt8]>, UInt32)

    /// Whether the whole music directory is scanned.
    var isComplete: Bool {
      guard case .job(let job) = self else { return false }
      return job.path.isEmpty
    }
  }

  enum Next: Hashable {
    case run(Run)
    case wait(until: HostTime)
    case idle
  }

  /// The number of pending updates at which further requests are refused, as in mpd.
  static let limit = 32
  /// The maximum number of changed folders that are scanned one by one; more cause a complete scan.
  static let folderLimit = 1000
  /// The quiet time after a change before its scan, and the maximum delay of the scan, in seconds. An album that is
  /// copied within the maximum delay is usually scanned once.
  private static let quiet = 0.5
  private static let patience = 5.0

  private var jobs: [Job] = []
  /// The number of the update in progress.
  private(set) var running: UInt32?
  private var lastNumber: UInt32 = 0
  private var changed: Set<[UInt8]> = []
  /// The times of the first and the last pending change.
  private var changes: (first: HostTime, last: HostTime)?

  /// The number of the first pending job; nil if none is pending. Changed folders get a number only when their scan
  /// begins.
  var waiting: UInt32? { jobs.first?.number }

  /// Adds a requested update and returns its number; nil if `limit` updates are pending.
  mutating func add(_ path: [UInt8], rereads: Bool) -> UInt32? {
    guard jobs.count < Self.limit else { return nil }
    append(path, rereads: rereads)
    return lastNumber
  }

  /// Adds a complete update unless one is pending. Ignores `limit`, because nobody would request the update
  /// again.
  mutating func addAll() {
    if !jobs.contains(where: { $0.path.isEmpty }) { append([], rereads: false) }
  }

  private mutating func append(_ path: [UInt8], rereads: Bool) {
    lastNumber += 1
    jobs.append(Job(number: lastNumber, path: path, rereads: rereads))
  }

  /// Records a change in a folder; nil means in any folder, as after an overflow of the inotify queue. For nil, and for
  /// more than `folderLimit` folders, adds a complete update.
  mutating func note(_ folder: [UInt8]?, at now: HostTime) {
    if let folder, changed.contains(folder) || changed.count < Self.folderLimit {
      changed.insert(folder)
      changes = (changes?.first ?? now, now)
    } else {
      addAll()
    }
  }

  mutating func next(at now: HostTime) -> Next {
    if !jobs.isEmpty {
      let job = jobs.removeFirst()
      running = job.number
      return .run(.job(job))
    }
    guard let changes else { return .idle }
    let due = min(
      changes.last.advanced(bySeconds: Self.quiet), changes.first.advanced(bySeconds: Self.patience))
    guard due <= now else { return .wait(until: due) }
    lastNumber += 1
    running = lastNumber
    defer { (changed, self.changes) = ([], nil) }
    return .run(.folders(changed, lastNumber))
  }

  mutating func end() { running = nil }
}
