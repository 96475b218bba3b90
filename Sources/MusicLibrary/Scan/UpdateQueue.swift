internal import HostTime

/// The updates that wait: those that were asked for, and the folders in which the system has seen a change.
struct UpdateQueue {
  /// An update that was asked for.
  struct Job: Hashable {
    var number: UInt32
    /// A folder or a file, relative to the home; empty for all.
    var path: [UInt8]
    /// Whether files are read that have not changed.
    var rereads: Bool
  }

  /// An update that begins.
  enum Run: Hashable {
    case job(Job)
    /// Folders, each without the folders below it, and the number of the update.
    case folders(Set<[UInt8]>, UInt32)
  }

  /// The next step of the worker.
  enum Next: Hashable {
    case run(Run)
    case wait(until: HostTime)
    case idle
  }

  /// Updates that may wait, as with mpd.
  static let limit = 32
  /// Folders that are looked at one by one; where more have changed, all are.
  static let folderLimit = 1000
  /// Seconds of quiet after a change before it is looked at, and seconds after which it is in any case: an album that is
  /// copied is one change.
  private static let quiet = 0.5
  private static let patience = 5.0

  private var jobs: [Job] = []
  /// The number of the update in progress.
  private(set) var running: UInt32?
  private var lastNumber: UInt32 = 0
  private var changed: Set<[UInt8]> = []
  /// When the first and the last of these changes were seen.
  private var changes: (first: HostTime, last: HostTime)?

  /// The number of the update that comes next, of those that were asked for.
  var waiting: UInt32? { jobs.first?.number }

  /// Adds an update that somebody asks for; its number, or nil if too many wait.
  mutating func add(_ path: [UInt8], rereads: Bool) -> UInt32? {
    guard jobs.count < Self.limit else { return nil }
    append(path, rereads: rereads)
    return lastNumber
  }

  /// Adds an update of all, unless one waits already. It always finds room: nobody would ask for it again.
  mutating func addAll() {
    if !jobs.contains(where: { $0.path.isEmpty }) { append([], rereads: false) }
  }

  private mutating func append(_ path: [UInt8], rereads: Bool) {
    lastNumber += 1
    jobs.append(Job(number: lastNumber, path: path, rereads: rereads))
  }

  /// Something in a folder has changed; nil: in any of them, as when the system has lost count.
  mutating func note(_ folder: [UInt8]?, at now: HostTime) {
    if let folder, changed.contains(folder) || changed.count < Self.folderLimit {
      changed.insert(folder)
      changes = (changes?.first ?? now, now)
    } else {
      addAll()
    }
  }

  /// Begins the next update, if it is time for one.
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

  /// The update in progress has ended.
  mutating func end() { running = nil }
}
