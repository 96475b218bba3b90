package import ControlProtocol
internal import Glibc
package import HostTime
package import MusicFiles
internal import Synchronization

/// The songs below a home directory, kept in a database and found again by what they say about themselves.
///
/// One thread of low priority looks for what has changed, at the start, when it is told to and when the system says so;
/// it alone writes. Everybody else reads, each with a connection of their own, and sees whole steps of what was found.
package final class MusicLibrary: Sendable {
  private struct State {
    var updates = UpdateQueue()
    var figures: LibraryFigures?
    var damage: DatabaseError?
    var hasFailed = false
    /// What was said last of music that could not be read.
    var problem: String?
    var isEnded = false
    /// Connections that nobody uses at the moment.
    var readers: [LibraryReader] = []
    /// Rises when the file is another one.
    var generation = 0
    var worker: (any Worker)?
    var watch: FolderWatch?

    /// Notes what could not be read; whether that is news.
    mutating func setProblem(_ problem: String) -> Bool {
      defer { self.problem = problem }
      return problem != self.problem
    }
  }

  /// Connections that are kept when nobody uses them.
  private static let idleReaders = 2
  /// Seconds after which a run that has failed is tried again.
  private static let retryDelay = 60.0
  /// How far the thread that scans stands back: decoding for the listener comes first.
  private static let niceness: Int32 = 15

  private let path: MediaPath
  private let home: MediaPath
  private let clock: any HostClock
  private let complain: @Sendable (String) -> Void
  private let state = Mutex(State())
  /// The worker's and, before that starts, `init`'s.
  let writer = WorkerState<LibraryWriter?>(nil)

  /// Opens the database at `path`, or makes one, with the mode 0600. One that cannot be used is put aside with a word.
  /// Blocks on the disk for some milliseconds. `complain` gets lines for a person, on any thread.
  package init(
    _ path: MediaPath, home: MusicHome, clock: any HostClock, complain: @escaping @Sendable (String) -> Void
  ) throws(DatabaseError) {
    self.path = path
    self.home = home.path
    self.clock = clock
    self.complain = complain
    do {
      try open()
    } catch .unavailable(let reason) {
      throw .unavailable(reason)
    } catch {
      setAside(error)
      try open()
    }
  }

  deinit { stop() }

  private func open() throws(DatabaseError) {
    try writer.use { [path, home] writer throws(DatabaseError) in
      writer = try LibraryWriter(try LibraryFile.open(path, home: home))
    }
    let figures = try read { reader throws(DatabaseError) in try reader.figures() }
    state.withLock { $0.figures = figures }
  }

  private func setAside(_ reason: DatabaseError) {
    // Their files are closed before they are moved.
    writer.use { $0 = nil }
    do {
      let readers = state.withLock { state in
        defer { state.readers = [] }
        state.generation += 1
        state.figures = nil
        return state.readers
      }
      withExtendedLifetime(readers) {}
    }
    let place = LibraryFile.setAside(path)
    complain("\(path): \(reason); \(place.map { "kept as \($0)" } ?? "removed"), the music is read anew")
  }

  // MARK: From start to end

  /// Looks for what has changed, now and from now on. `onChange` is told when an update begins and ends, and when the
  /// library has changed, on a thread of the library's.
  package func start(onChange: @escaping @Sendable (Subsystems) -> Void) {
    let watch = FolderWatch(
      home: home, onChange: { [weak self] folder in self?.note(folder) },
      onFull: { [complain] reason in
        complain("changes in the music are seen only by `update`, not at once: \(reason)")
      })
    state.withLock { state in
      state.watch = watch
      state.updates.addAll()
    }
    let worker = clock.makeWorker("library") { [weak self] in self?.work(onChange) ?? .whenSignalled }
    state.withLock { $0.worker = worker }
  }

  /// Ends what is under way; after it the disk is left alone. What was found is kept.
  package func stop() {
    let (watch, worker) = state.withLock { state in
      state.isEnded = true
      return (state.watch.take(), state.worker.take())
    }
    withExtendedLifetime(watch) {}
    worker?.cancel()
  }

  // MARK: Updates

  /// The number of the update that is under way or comes next.
  package var updatingJob: UInt32? {
    state.withLock { $0.updates.running ?? ($0.hasFailed ? nil : $0.updates.waiting) }
  }

  /// What is known of all songs together.
  package var figures: LibraryFigures {
    state.withLock { $0.figures } ?? LibraryFigures()
  }

  /// Has a folder, or a file, looked at again; returns the number of the update, or nil if too many wait. Any thread.
  ///
  /// - Parameters:
  ///   - path: Relative to the home, without `.` and `..`.
  ///   - rereads: Whether files are read that have not changed.
  package func update(_ path: [UInt8], rereads: Bool) -> UInt32? {
    let (number, worker) = state.withLock { state -> (UInt32?, (any Worker)?) in
      guard !state.isEnded, let number = state.updates.add(path, rereads: rereads) else { return (nil, nil) }
      return (number, state.worker)
    }
    worker?.signal()
    return number
  }

  /// Something in this folder has changed; in all of them if it is nil.
  private func note(_ folder: [UInt8]?) {
    let now = clock.now
    let worker = state.withLock { state in
      state.updates.note(folder, at: now)
      return state.worker
    }
    worker?.signal()
  }

  // MARK: Reading

  /// Asks the library. Any thread; blocks on the disk.
  ///
  /// - Parameter interruption: The reason to end the question, as that nobody waits for the answer; nil while it may
  ///   continue. Asked about once a millisecond, on the caller's thread. Where there is one, `DatabaseError.refused` is thrown.
  package func read<Result>(
    interruption: @escaping @Sendable () -> String? = { nil },
    _ body: (LibraryReader) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let (idle, generation) = state.withLock { ($0.readers.popLast(), $0.generation) }
    do throws(DatabaseError) {
      let reader: LibraryReader
      if let idle { reader = idle } else { reader = try LibraryReader(try LibraryFile.connect(path)) }
      reader.begin(interruption)
      let result = try body(reader)
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
    // A virtual clock runs this on the thread of whoever steps it.
    if clock === SystemClock.shared {
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
    }
    if let damage = state.withLock({ $0.damage.take() }) { rebuild(damage) }
    let now = clock.now
    let next: UpdateQueue.Next = state.withLock { $0.isEnded ? .idle : $0.updates.next(at: now) }
    let run: UpdateQueue.Run
    switch next {
    case .idle: return .whenSignalled
    case .wait(let due): return .at(due)
    case .run(let next): run = next
    }
    onChange(.update)
    let failure = perform(run, onChange)
    if case .database(.damaged(let reason)) = failure {
      state.withLock { $0.damage = .damaged(reason) }
      return .again
    }
    guard case .database = failure else { return .again }
    return .at(clock.now.advanced(bySeconds: Self.retryDelay))
  }

  private func rebuild(_ damage: DatabaseError) {
    setAside(damage)
    do throws(DatabaseError) { try open() } catch { complain("\(path): \(error); the music is not known") }
    state.withLock { $0.updates.addAll() }
  }

  /// Does one update, on the worker's thread.
  private func perform(
    _ run: UpdateQueue.Run, _ onChange: @escaping @Sendable (Subsystems) -> Void
  ) -> FolderScan.Interruption? {
    let watch = state.withLock { $0.watch }
    var failure: FolderScan.Interruption?
    let (hasChanged, problem) = writer.use { writer in
      guard let writer else { return (false, String?.none) }
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
      do throws(FolderScan.Interruption) {
        hasChanged = try Self.scan(run, &scan, writer)
      } catch {
        failure = error
      }
      return (hasChanged, scan.problem)
    }
    if hasChanged { updateFigures() }
    let isNews = state.withLock { state in
      state.updates.end()
      guard case .database = failure else {
        state.hasFailed = false
        return false
      }
      // What has been found is not read again.
      state.updates.addAll()
      defer { state.hasFailed = true }
      return !state.hasFailed
    }
    if isNews, case .database(let error) = failure {
      complain("\(path): \(error); the music that is known may be out of date")
    }
    if let problem, state.withLock({ $0.setProblem(problem) }) {
      complain("not all of the music could be read: \(problem)")
    }
    onChange(hasChanged ? [.update, .database] : .update)
    return failure
  }

  private func updateFigures() {
    guard let figures = try? read({ reader throws(DatabaseError) in try reader.figures() }) else { return }
    state.withLock { $0.figures = figures }
  }

  private static func scan(
    _ run: UpdateQueue.Run, _ scan: inout FolderScan, _ writer: LibraryWriter
  ) throws(FolderScan.Interruption) -> Bool {
    do {
      try writer.begin()
      switch run {
      case .job(let job): try scan.scan(job.path, isDeep: true)
      case .folders(let folders, _): for folder in folders { try scan.scan(folder, isDeep: false) }
      }
      var isComplete = false
      if case .job(let job) = run { isComplete = job.path.isEmpty }
      let hasChanged = try writer.finish(isComplete: isComplete)
      try writer.commit()
      return hasChanged
    } catch let error as DatabaseError {
      writer.rollBack()
      throw .database(error)
    } catch let error as FolderScan.Interruption {
      // What was found so far is kept.
      if case .cancelled = error { try? writer.commit() } else { writer.rollBack() }
      throw error
    } catch {
      return false
    }
  }
}
