import ControlProtocol
import HostTime
import Jukebox
import JukeboxPlayback
import MusicFiles
import Synchronization

/// Keeps the jukebox's queue and place on the disk, so that neither an end nor a kill loses them.
///
/// Two files: the queue, written only when it has changed, and a small record of everything else, written when that has
/// changed and twice a second while sound moves. A worker writes both, so that nobody waits for the disk. What could
/// not be written is tried again, at first after a second, then less and less often; the first failure is told, and
/// when all is kept again.
final class StateKeeper: Sendable {
  /// Seconds between two records of the place: half of what a kill may lose.
  private static let placeInterval = 0.5
  /// Seconds for which changes are collected: a client that adds 1000 songs one by one costs ten writes and not 1000.
  private static let delay = 0.1
  /// Seconds between a failure and the next attempt: twice as long each time, so that a full disk is not kept busy, and
  /// no longer than a person waits who has made room.
  private static let retryDelays = 1.0...30
  /// The largest queue file that is read, in bytes: the largest queue with names of 250 bytes.
  private static let queueLimit = 256 << 20

  private struct State {
    var queueIsDirty = false
    /// When the first of the changes was noted that are not written yet.
    var since: HostTime?
    var written: [UInt8] = []
    /// How long to wait after the last failure; nil when all is kept.
    var retryDelay: Double?
    /// What has been told to stand in the way.
    var obstacles: Set<MediaPath> = []
    var isEnded = false
    var worker: (any Worker)?
  }

  private let host: JukeboxHost
  private let directory: StateDirectory
  private let clock: any HostClock
  private let complain: @Sendable (String) -> Void
  private let state = Mutex(State())

  private static func queueFile(_ directory: StateDirectory) -> StateFile {
    directory.file("queue", isDurable: true)
  }

  /// Not durable: twice a second is too often to wait for a disk, and a kill loses nothing that was written.
  private static func playbackFile(_ directory: StateDirectory) -> StateFile {
    directory.file("playback", isDurable: false)
  }

  /// The files that are written.
  static func files(in directory: StateDirectory) -> [MediaPath] {
    [queueFile(directory).path, playbackFile(directory).path]
  }

  /// Keeps the state of `host` in `directory` from now on. `complain` gets a line when it cannot; on any thread.
  init(
    _ host: JukeboxHost, in directory: StateDirectory, clock: any HostClock,
    complain: @escaping @Sendable (String) -> Void
  ) {
    self.host = host
    self.directory = directory
    self.clock = clock
    self.complain = complain
    // The file was set aside as damaged, and the songs that could be read are in no file yet.
    let queueIsDirty = !host.read { $0.queue.isEmpty } && !Self.queueFile(directory).exists
    state.withLock { $0.queueIsDirty = queueIsDirty }
    let worker = clock.makeWorker("state") { [weak self] in self?.work() ?? .whenSignalled }
    state.withLock { $0.worker = worker }
  }

  deinit { state.withLock { $0.worker }?.cancel() }

  /// Something of the jukebox has changed. Returns at once; any thread.
  func note(_ changed: Subsystems) {
    let now = clock.now
    let worker = state.withLock { state in
      if changed.contains(.playlist) { state.queueIsDirty = true }
      if state.since == nil { state.since = now }
      return state.worker
    }
    worker?.signal()
  }

  /// Writes what is not written yet, and nothing after that. Blocks on the disk. Any thread; only the first call
  /// counts.
  func save() {
    let worker: (any Worker)? = state.withLock { state in
      defer { state.isEnded = true }
      return state.isEnded ? nil : state.worker
    }
    guard let worker else { return }
    // From here on this thread is the only one that writes.
    worker.cancel()
    write()
  }

  // MARK: Writing

  private func work() -> WorkerNext {
    let due = state.withLock { $0.since }?.advanced(bySeconds: Self.delay)
    if let due, due > clock.now { return .at(due) }
    let now = clock.now
    write()
    if let delay = state.withLock({ $0.retryDelay }) { return .at(clock.now.advanced(bySeconds: delay)) }
    let isPlaying = host.read { $0.state == .playing }
    return isPlaying ? .at(now.advanced(bySeconds: Self.placeInterval)) : .whenSignalled
  }

  /// On one thread at a time: the worker, or after its end whoever saves. No lock is held meanwhile.
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
        // A copy is a snapshot; encoding 100,000 songs takes milliseconds, and nobody waits for them.
        let queue = host.read { $0.queue }
        try write(queue.encoded(), to: Self.queueFile(directory))
        queueIsWritten = true
      }
      let seconds = host.seconds
      let record = host.read { $0.savedPlayback(at: seconds) }.encoded()
      if record != written {
        try write(record, to: Self.playbackFile(directory))
        state.withLock { $0.written = record }
      }
      let failedBefore = state.withLock { $0.retryDelay.take() != nil }
      if failedBefore { complain("\(directory.path): the queue and the place are kept again") }
    } catch {
      let isFirst = state.withLock { state in
        if !queueIsWritten { state.queueIsDirty = true }
        defer {
          state.retryDelay = min(
            state.retryDelay.map { $0 * 2 } ?? Self.retryDelays.lowerBound, Self.retryDelays.upperBound)
        }
        return state.retryDelay == nil
      }
      if isFirst { complain("\(directory.path): \(error); the queue and the place are not kept") }
    }
  }

  private func write(_ bytes: [UInt8], to file: StateFile) throws(FileBytes.Problem) {
    for path in try file.write(bytes) where state.withLock({ $0.obstacles.insert(path).inserted }) {
      complain("\(path): not a file of continuo's; another name is used in its place")
    }
  }
}

// MARK: Reading

extension StateKeeper {
  /// The jukebox as it was kept in `directory`; an empty one if nothing was. A damaged file is set aside with a word,
  /// and the songs of it that can be read are kept.
  static func load(_ directory: StateDirectory, complain: (String) -> Void) -> JukeboxMachine {
    var generator = SystemRandomNumberGenerator()
    let queue = read(queueFile(directory), limit: queueLimit, complain, salvage) {
      bytes throws(SavedStateError) in try SongQueue(encoded: bytes)
    }
    let playback = read(playbackFile(directory), limit: SavedPlayback.maximumSize, complain) {
      bytes throws(SavedStateError) in try SavedPlayback(encoded: bytes)
    }
    return JukeboxMachine(
      queue: queue ?? SongQueue(), playback: playback ?? SavedPlayback(), using: &generator)
  }

  private static func salvage(_ bytes: [UInt8]) -> (queue: SongQueue, words: String)? {
    let salvaged = SalvagedQueue(damaged: bytes)
    let count = salvaged.queue.count
    guard count > 0 else { return nil }
    let words = salvaged.originalCount.map { "\($0 - count) of \($0) songs are lost" }
    return (salvaged.queue, words ?? "\(count) songs could be read")
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
    let place = try? file.setAside()
    let rest = place.map { "kept as \($0)" } ?? "left where it is"
    complain("\(file.path): \(reason); \(rest), \(salvaged?.words ?? "going on without it")")
    return salvaged?.record
  }
}
