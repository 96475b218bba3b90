import Clocks
import ControlProtocol
import Jukebox
import JukeboxPlayback
import MusicFiles
import Synchronization
import SystemSupport

/// Keeps the jukebox's queue and position on the disk, so that they survive the end of the process. A kill
/// may lose the last moments. The files of the queue and of long songs' positions are written only after
/// changes; a small record of all other state, also twice a second during playback. A worker writes them, so
/// that only callers of `save` wait for the disk. Failed writes are retried after a second, then less often, and
/// after each further change. The first failure is reported, and the first success after it.
final class StateKeeper: Sendable {
  /// The interval between two records of the position, in seconds. A kill may lose twice this time.
  private static let placeInterval = 0.5
  /// The time for which changes are collected, in seconds: songs added one by one cost at most ten writes a
  /// second.
  private static let delay = 0.1
  /// The delays after failures, for a full disk. The longest is the time that a person waits after freeing
  /// space on the disk.
  private static let backoff = Backoff(first: 1, longest: 30)
  /// The maximum size of a queue file, in bytes: the largest queue, with names of 250 bytes.
  private static let queueLimit = 256 << 20

  private struct State {
    var queueIsDirty = false
    /// The edition of the queue's record that is written; nil if none is.
    var writtenQueue: UInt64?
    /// The time of the first change that is not written yet.
    var since: HostTime?
    var written: [UInt8] = []
    /// The edition of the positions of long songs that is written.
    var writtenPositions: Int
    /// The number of failures in a row.
    var failures = 0
    /// Whether a failure was reported, and since then not everything was written.
    var hasComplained = false
    /// The reported paths at which a folder, pipe or link occupies the name of a temporary file.
    var obstacles: Set<MediaPath> = []
    var worker: (any Worker)?
  }

  private let host: JukeboxHost
  private let directory: StateDirectory
  private let clock: any HostClock
  private let complain: @Sendable (String) -> Void
  private let state: Mutex<State>
  /// Held during `save`, which blocks on the disk.
  private let saving = Semaphore()

  private static func queueFile(_ directory: StateDirectory) -> StateFile {
    directory.file("queue", isDurable: true)
  }

  /// Returns the file for all but the queue and the positions of long songs. Not durable, because twice a
  /// second is too often for a durable write, and a kill loses nothing that was written.
  private static func playbackFile(_ directory: StateDirectory) -> StateFile {
    directory.file("playback", isDurable: false)
  }

  private static func positionsFile(_ directory: StateDirectory) -> StateFile {
    directory.file("positions", isDurable: false)
  }

  static func files(in directory: StateDirectory) -> [MediaPath] {
    [queueFile(directory).path, playbackFile(directory).path, positionsFile(directory).path]
  }

  /// Keeps the state of `host` from now on. `complain` gets messages about failures, on any thread.
  init(
    _ host: JukeboxHost, in directory: StateDirectory, clock: any HostClock,
    complain: @escaping @Sendable (String) -> Void
  ) {
    self.host = host
    self.directory = directory
    self.clock = clock
    self.complain = complain
    state = Mutex(State(writtenPositions: host.read { $0.positions.edition }))
    // If there are songs but no file, a damaged queue file was set aside. The songs salvaged from it must be written.
    let queueIsDirty = !host.read { $0.queue.isEmpty } && !Self.queueFile(directory).exists
    let edition = host.read { $0.queue.recordEdition }
    state.withLock { state in
      state.queueIsDirty = queueIsDirty
      if !queueIsDirty { state.writtenQueue = edition }
    }
    let worker = clock.makeWorker("state") { [weak self] in self?.work() ?? .whenSignalled }
    state.withLock { $0.worker = worker }
    saving.post()
  }

  deinit { state.withLock { $0.worker }?.cancel() }

  /// Records a change of the jukebox. Returns at once; any thread.
  func note(_ changed: Subsystems) {
    let now = clock.now
    let worker = state.withLock { state in
      if changed.contains(.playlist) { state.queueIsDirty = true }
      if state.since == nil { state.since = now }
      return state.worker
    }
    worker?.signal()
  }

  /// Writes all pending changes, with one attempt, and ends the worker. Later changes are written only by
  /// further calls. Blocks on the disk, and while another thread saves. Any thread.
  func save() {
    saving.wait()
    defer { saving.post() }
    // From here on, only callers of `save` write.
    state.withLock { $0.worker.take() }?.cancel()
    write()
  }

  // MARK: Writing

  private func work() -> WorkerNext {
    let due = state.withLock { $0.since }?.advanced(bySeconds: Self.delay)
    if let due, due > clock.now { return .at(due) }
    let now = clock.now
    write()
    let failures = state.withLock { $0.failures }
    if failures > 0 { return .at(clock.now.advanced(bySeconds: Self.backoff.delay(after: failures))) }
    let isPlaying = host.read { $0.state == .playing }
    return isPlaying ? .at(now.advanced(bySeconds: Self.placeInterval)) : .whenSignalled
  }

  /// Writes the pending changes without a lock. One thread at a time: the worker's or, after its end, those of
  /// the callers of `save`.
  private func write() {
    let (queueIsDirty, written) = state.withLock { state in
      defer {
        state.queueIsDirty = false
        state.since = nil
      }
      return (state.queueIsDirty, state.written)
    }
    var queueIsWritten = !queueIsDirty
    do throws(FileBytes.Problem) {
      if queueIsDirty {
        // A copy is a snapshot. Encoding 100,000 songs takes milliseconds, for which no other thread waits.
        let queue = host.read { $0.queue }
        // Tags of files change the queue, and are read again at each start instead of being saved.
        if queue.recordEdition != state.withLock({ $0.writtenQueue }) {
          try write(queue.encoded(), to: Self.queueFile(directory))
          state.withLock { $0.writtenQueue = queue.recordEdition }
        }
        queueIsWritten = true
      }
      let seconds = host.seconds
      let record = host.read { $0.savedPlayback(at: seconds) }.encoded()
      if record != written {
        try write(record, to: Self.playbackFile(directory))
        state.withLock { $0.written = record }
      }
      try writePositions()
      let isSavedAgain = state.withLock { state in
        state.failures = 0
        // The queue may have changed during the write.
        guard state.hasComplained, !state.queueIsDirty else { return false }
        state.hasComplained = false
        return true
      }
      if isSavedAgain { complain("\(directory.path): queue and position are saved again") }
    } catch {
      let isFirst = state.withLock { state in
        if !queueIsWritten { state.queueIsDirty = true }
        state.failures += 1
        defer { state.hasComplained = true }
        return !state.hasComplained
      }
      if isFirst { complain("\(directory.path): \(error); queue and position are not saved") }
    }
  }

  private func writePositions() throws(FileBytes.Problem) {
    let positions = host.read { $0.positions }
    guard positions.edition != state.withLock({ $0.writtenPositions }) else { return }
    try write(positions.encoded(), to: Self.positionsFile(directory))
    state.withLock { $0.writtenPositions = positions.edition }
  }

  private func write(_ bytes: [UInt8], to file: StateFile) throws(FileBytes.Problem) {
    for path in try file.write(bytes) where state.withLock({ $0.obstacles.insert(path).inserted }) {
      complain("\(path): not a regular file; using another name for the temporary file")
    }
  }
}

// MARK: Reading

extension StateKeeper {
  /// Returns the saved jukebox; an empty one if nothing was saved. An unusable file is set aside, if
  /// possible, with a message. Of a damaged queue the readable songs are kept.
  static func load(_ directory: StateDirectory, complain: (String) -> Void) -> JukeboxMachine {
    var generator = SystemRandomNumberGenerator()
    let queue = read(queueFile(directory), limit: queueLimit, complain, salvage) {
      bytes throws(SavedStateError) in try SongQueue(encoded: bytes)
    }
    let playback = read(playbackFile(directory), limit: SavedPlayback.maximumSize, complain) {
      bytes throws(SavedStateError) in try SavedPlayback(encoded: bytes)
    }
    let positions = read(positionsFile(directory), limit: ResumePositions.maximumSize, complain) {
      bytes throws(SavedStateError) in try ResumePositions(encoded: bytes)
    }
    var machine = JukeboxMachine(
      queue: queue ?? SongQueue(), playback: playback ?? SavedPlayback(), using: &generator)
    if let positions { machine.positions = positions }
    return machine
  }

  private static func salvage(_ bytes: [UInt8]) -> (queue: SongQueue, words: String)? {
    let salvaged = SalvagedQueue(damaged: bytes)
    let count = salvaged.queue.count
    guard count > 0 else { return nil }
    let words = salvaged.originalCount.map { "\($0 - count) of \($0) songs lost" }
    return (salvaged.queue, words ?? "\(count) songs recovered")
  }

  private static func read<Record>(
    _ file: StateFile, limit: Int, _ complain: (String) -> Void,
    _ salvage: ([UInt8]) -> (Record, words: String)? = { _ in nil },
    _ decode: ([UInt8]) throws(SavedStateError) -> Record
  ) -> Record? {
    let reason: String
    var salvaged: (record: Record, words: String)?
    do {
      guard let bytes = try file.read(limit: limit) else { return nil }
      do throws(SavedStateError) {
        return try decode(bytes)
      } catch {
        reason = "\(error)"
        if error != .unknownVersion { salvaged = salvage(bytes) }
      }
    } catch {
      reason = "\(error)"
    }
    let place = try? file.path.setAside()
    let rest = place.map { "renamed to \($0)" } ?? "left where it is"
    complain("\(file.path): \(reason); \(rest), \(salvaged?.words ?? "starting without it")")
    return salvaged?.record
  }
}
