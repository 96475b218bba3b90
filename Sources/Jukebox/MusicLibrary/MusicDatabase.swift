package import Clocks
package import ControlProtocol
internal import Glibc
package import MusicFiles
internal import Synchronization
package import SystemSupport

/// The songs below a music directory, kept in a database and found by their tags. One thread of low priority
/// scans for changes, at startup, on request and when inotify reports changes. After `init`, only this thread
/// writes. Each reader has a connection of its own and sees complete transactions.
package final class MusicDatabase: Sendable {
  private struct State {
    var updates = UpdateQueue()
    var figures: LibraryFigures?
    var damage: DatabaseError?
    /// The error because of which the database is closed. Each update tries to open it.
    var closed: DatabaseError?
    var hasFailed = false
    /// Whether the number of songs was reported.
    var hasReported = false
    var problem: String?
    /// The files that the last complete scan could not use.
    var unplayable = UnplayableFiles()
    var isEnded = false
    var readers: [LibraryReader] = []
    /// Increases when the database file is replaced.
    var generation = 0
    var worker: (any Worker)?
    var watch: FolderWatch?

    mutating func setProblem(_ problem: String) -> Bool {
      defer { self.problem = problem }
      return problem != self.problem
    }

    mutating func setUnplayable(_ files: UnplayableFiles) -> Bool {
      defer { unplayable = files }
      return files != unplayable && files.count > 0
    }
  }

  /// The maximum number of idle connections.
  private static let idleReaders = 2
  /// The delay before a failed update is retried, in seconds.
  private static let retryDelay = 60.0
  /// The nice value of the scanning thread: decoding for playback has priority.
  private static let niceness: Int32 = 15

  private let path: MediaPath
  private let home: MediaPath
  private let clock: any HostClock
  private let complain: @Sendable (LogLevel, String) -> Void
  private let state = Mutex(State())
  /// Used by the worker and, before the worker starts, by `init`.
  let writer = WorkerState<LibraryWriter?>(nil)

  /// Opens the database, or creates it with mode 0600. A damaged or foreign database is renamed or, if that
  /// fails, deleted, and an empty one created. Blocks on the disk for some milliseconds. `complain` is called with
  /// messages for a person, on any thread.
  package init(
    _ path: MediaPath, home: MusicHome, clock: any HostClock,
    complain: @escaping @Sendable (LogLevel, String) -> Void
  ) throws(DatabaseError) {
    self.path = path
    self.home = home.path
    self.clock = clock
    self.complain = complain
    try openOrRebuild()
  }

  deinit { stop() }

  private func openOrRebuild() throws(DatabaseError) {
    do {
      try open()
    } catch {
      switch error {
      // SQLITE_ERROR: the tables are not those of the library.
      case .damaged, .unknownVersion, .failed(code: 1, _): setAside(error)
      // Other errors, such as a full disk, do not mean that the file is unusable.
      default: throw error
      }
      try open()
    }
  }

  private func open() throws(DatabaseError) {
    try writer.use { [path, home] writer throws(DatabaseError) in
      writer = try LibraryWriter(try LibraryFile.open(path, home: home))
    }
    let figures = try read { reader throws(DatabaseError) in try reader.figures() }
    state.withLock { $0.figures = figures }
  }

  private func setAside(_ reason: DatabaseError) {
    // The contents can be read again, so only the last damaged file is kept.
    let place = replacingFile { LibraryFile.setAside(path, keeping: 1) }
    let fate = place.map { "renamed to \($0)" } ?? "deleted"
    complain(.warning, "\(path): \(reason); \(fate); rebuilding the music database")
  }

  /// Returns the result of `body`, which renames or replaces the database file, without connections to the old file.
  func replacingFile<Result>(_ body: () throws -> Result) rethrows -> Result {
    // The writer's and the idle connections are closed before the file is renamed, and without the lock.
    writer.use { $0 = nil }
    abandonReaders()
    // A reader may have connected to the old file in the meantime.
    defer { abandonReaders() }
    return try body()
  }

  /// Closes the idle connections. Those in use are closed after use, and damage that they find is ignored.
  private func abandonReaders() {
    _ = state.withLock { state in
      defer { state.readers = [] }
      state.generation += 1
      state.figures = nil
      state.damage = nil
      return state.readers
    }
  }

  // MARK: Start and stop

  /// Scans for changes, now and whenever inotify reports changes. `onChange` is called on a thread of the
  /// library, when an update begins and ends and when the library has changed.
  package func start(onChange: @escaping @Sendable (Subsystems) -> Void) {
    let refuse: @Sendable (String) -> Void = { [complain] reason in
      complain(.warning, "cannot watch the music directory: \(reason); run `update` after changes")
    }
    var watch: FolderWatch?
    do throws(FileBytes.Problem) {
      watch = try FolderWatch(home: home, onChange: { [weak self] in self?.note($0) }, onFull: refuse)
    } catch {
      refuse("\(error)")
    }
    state.withLock { [watch] state in
      state.watch = watch
      state.updates.addAll()
    }
    let worker = clock.makeWorker("library") { [weak self] in self?.work(onChange) ?? .whenSignalled }
    state.withLock { $0.worker = worker }
  }

  /// Ends all scanning. An update in progress keeps its results so far. Waits for the scanning thread.
  package func stop() {
    let (watch, worker) = state.withLock { state in
      state.isEnded = true
      return (state.watch.take(), state.worker.take())
    }
    withExtendedLifetime(watch) {}
    worker?.cancel()
  }

  // MARK: Updates

  /// The number of the update in progress, otherwise of the next requested one. Nil without either, and while
  /// a failed update waits for its retry.
  package var updatingJob: UInt32? {
    state.withLock { $0.updates.running ?? ($0.hasFailed ? nil : $0.updates.waiting) }
  }

  package var figures: LibraryFigures { state.withLock { $0.figures } ?? LibraryFigures() }

  /// Requests a scan of a folder or file, relative to the music directory and without `.` and `..`. `rereads`
  /// includes unchanged files. Returns the number of the update; nil if too many are pending or after `stop`.
  /// Throws the error because of which the database is closed; the update tries again to open it. Any thread.
  package func update(_ path: [UInt8], rereads: Bool) throws(DatabaseError) -> UInt32? {
    let (number, worker, closed) = state.withLock { state in
      (state.isEnded ? nil : state.updates.add(path, rereads: rereads), state.worker, state.closed)
    }
    worker?.signal()
    if let closed { throw closed }
    return number
  }

  private func note(_ folder: [UInt8]?) {
    let now = clock.now
    let worker = state.withLock { state in
      state.updates.note(folder, at: now)
      return state.worker
    }
    worker?.signal()
  }

  // MARK: Reading

  /// Runs queries on a connection for reading and returns the result of `body`. All of its queries see the
  /// same state of the library. Throws `DatabaseError.refused` once `interruption`, called about once a
  /// millisecond on the caller's thread, returns a reason. Any thread; blocks on the disk.
  package func read<Result>(
    interruption: @escaping @Sendable () -> String? = { nil },
    _ body: (LibraryReader) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let (idle, generation) = state.withLock { ($0.readers.popLast(), $0.generation) }
    do throws(DatabaseError) {
      let reader: LibraryReader
      if let idle { reader = idle } else { reader = try LibraryReader(try LibraryFile.connect(path)) }
      let result = try reader.read(interruption, body)
      state.withLock { state in
        if state.generation == generation, state.readers.count < Self.idleReaders {
          state.readers.append(reader)
        }
      }
      return result
    } catch {
      if case .damaged = error {
        let worker = state.withLock { state in
          if state.generation == generation { state.damage = error }
          return state.worker
        }
        worker?.signal()
      }
      throw error
    }
  }

  // MARK: Scanning

  private func work(_ onChange: @escaping @Sendable (Subsystems) -> Void) -> WorkerNext {
    // Only with the system's clock, because a virtual clock runs the worker on the thread that advances it.
    if clock === SystemClock.shared {
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
    }
    if let damage = state.withLock({ $0.damage.take() }) {
      setAside(damage)
      state.withLock { $0.updates.addAll() }
    }
    let now = clock.now
    let next: UpdateQueue.Next = state.withLock { $0.isEnded ? .idle : $0.updates.next(at: now) }
    let run: UpdateQueue.Run
    switch next {
    case .idle: return .whenSignalled
    case .wait(let due): return .at(due)
    case .run(let next): run = next
    }
    onChange(.update)
    guard let failure = perform(run, onChange) else { return .again }
    if case .damaged = failure, state.withLock({ $0.closed == nil }) {
      state.withLock { $0.damage = failure }
      return .again
    }
    return .at(clock.now.advanced(bySeconds: Self.retryDelay))
  }

  /// Opens the database, or creates it again, if it is closed. Returns the error of a failure.
  private func openIfClosed() -> DatabaseError? {
    var failure: DatabaseError?
    if writer.use({ $0 == nil }) {
      do throws(DatabaseError) { try openOrRebuild() } catch { failure = error }
    }
    let isNews = state.withLock { [failure] state in
      defer { state.closed = failure }
      return state.closed == nil
    }
    if isNews, let failure {
      complain(
        .warning, "cannot open the music database \(path): \(failure); library commands are unavailable")
    }
    return failure
  }

  /// Performs one update, on the worker's thread. Returns the database's error, if any.
  private func perform(
    _ run: UpdateQueue.Run, _ onChange: @escaping @Sendable (Subsystems) -> Void
  ) -> DatabaseError? {
    let watch = state.withLock { $0.watch }
    var failure = openIfClosed()
    let isClosed = failure != nil
    let (hasChanged, problem, unplayable) = writer.use { writer in
      guard let writer else { return (false, String?.none, UnplayableFiles?.none) }
      defer { writer.rest() }
      var isForced = false
      if case .job(let job) = run { isForced = job.rereads }
      var scan = FolderScan(
        writer, home: home, watch: watch, rereads: isForced,
        seconds: { [clock, start = clock.now] in clock.now.seconds(since: start) },
        isCancelled: { self.state.withLock { $0.isEnded } },
        onProgress: { [self] in
          updateFigures()
          onChange(.database)
        })
      var hasChanged = false
      do throws(DatabaseError) {
        hasChanged = try Self.scan(run, &scan, writer)
      } catch {
        failure = error
      }
      return (hasChanged, scan.problem, run.isComplete && failure == nil ? scan.unplayable : nil)
    }
    if hasChanged { updateFigures() }
    let isNews = state.withLock { state in
      state.updates.end()
      guard failure != nil else {
        state.hasFailed = false
        return false
      }
      // The retry covers all folders, but does not read recorded files again.
      state.updates.addAll()
      defer { state.hasFailed = true }
      return !state.hasFailed
    }
    if isNews, !isClosed, let failure {
      complain(.warning, "\(path): \(failure); the music database may be out of date")
    }
    if let problem, state.withLock({ $0.setProblem(problem) }) {
      complain(.warning, "some music could not be read: \(problem)")
    }
    if let unplayable { report(unplayable) }
    onChange(hasChanged ? [.update, .database] : .update)
    return failure
  }

  /// Reports the result of a complete scan: the number of songs only after the first scan, unplayable files, if any,
  /// when they have changed.
  private func report(_ unplayable: UnplayableFiles) {
    let songs = state.withLock { state -> Int? in
      defer { state.hasReported = true }
      // An update that was ended has not seen all songs.
      return state.hasReported || state.isEnded ? nil : state.figures?.songs ?? 0
    }
    if let songs { complain(.info, "\(home): \(songs) \(songs == 1 ? "song" : "songs") found") }
    if state.withLock({ $0.setUnplayable(unplayable) }) { complain(.warning, "\(home): \(unplayable)") }
  }

  private func updateFigures() {
    guard let figures = try? read({ reader throws(DatabaseError) in try reader.figures() }) else { return }
    state.withLock { $0.figures = figures }
  }

  /// Scans within transactions. Returns whether the library has changed; false after a cancelled scan.
  private static func scan(
    _ run: UpdateQueue.Run, _ scan: inout FolderScan, _ writer: LibraryWriter
  ) throws(DatabaseError) -> Bool {
    do {
      try writer.begin()
      switch run {
      case .job(let job): try scan.scan(job.path, isDeep: true)
      case .folders(let folders, _): for folder in folders { try scan.scan(folder, isDeep: false) }
      }
      let hasChanged = try writer.finish(isComplete: run.isComplete)
      try writer.commit()
      return hasChanged
    } catch let error as DatabaseError {
      writer.rollBack()
      throw error
    } catch {
      // A cancelled scan keeps its results so far.
      try? writer.commit()
      return false
    }
  }
}
