import AudioCore
import ControlProtocol
import Jukebox
import Synchronization

/// Keeps the jukebox's queue and place on the disk, so that neither an end nor a kill loses them.
///
/// Two files: the queue, written only when it has changed, and a small record of everything else, written when that has
/// changed and twice a second while sound moves. Both are written by one thread of low standing: nobody waits for the
/// disk. What could not be written is tried again with the next change; the first failure is told.
final class StateKeeper: Sendable {
  /// Seconds between two records of the place: half of what may be lost (control.md allows one second).
  private static let placeInterval = 0.5
  /// Seconds for which changes are collected: a client that adds 1000 songs one by one costs ten writes and not 1000.
  private static let delay = 0.1
  /// The largest queue file that is read, in bytes: the largest queue with names of 250 bytes.
  private static let queueLimit = 256 << 20

  private struct State {
    var queueIsDirty = false
    var since: HostTime?
    var written: [UInt8] = []
    var hasComplained = false
    var worker: (any Worker)?
  }

  private let host: JukeboxHost
  private let directory: StateDirectory
  private let clock: any HostClock
  private let complain: @Sendable (String) -> Void
  private let state = Mutex(State())
  /// One writer at a time: the worker, or who saves at the end.
  private let writing = Mutex(())

  private static func queueFile(_ directory: StateDirectory) -> StateFile {
    directory.file("queue", isDurable: true)
  }

  /// Not durable: twice a second is too often to wait for a disk, and a kill loses nothing that was written.
  private static func playbackFile(_ directory: StateDirectory) -> StateFile {
    directory.file("playback", isDurable: false)
  }

  /// The jukebox as it was kept in `directory`; an empty one if nothing was. A damaged file is set aside with a word.
  static func load(_ directory: StateDirectory, complain: (String) -> Void) -> JukeboxMachine {
    var generator = SystemRandomNumberGenerator()
    let queue = read(queueFile(directory), limit: queueLimit, complain) {
      bytes throws(SavedStateError) in try SongQueue(encoded: bytes)
    }
    let playback = read(playbackFile(directory), limit: SavedPlayback.maximumSize, complain) {
      bytes throws(SavedStateError) in try SavedPlayback(encoded: bytes)
    }
    return JukeboxMachine(
      queue: queue ?? SongQueue(), playback: playback ?? SavedPlayback(), using: &generator)
  }

  private static func read<Record>(
    _ file: StateFile, limit: Int, _ complain: (String) -> Void,
    _ decode: ([UInt8]) throws(SavedStateError) -> Record
  ) -> Record? {
    let reason: String
    do {
      guard let bytes = try file.read(limit: limit) else { return nil }
      do throws(SavedStateError) {
        return try decode(bytes)
      } catch {
        reason = "\(error)"
      }
    } catch {
      reason = "\(error)"
    }
    let place = try? file.setAside()
    let rest = place.map { "kept as \($0)" } ?? "left where it is"
    complain("\(file.path): \(reason); \(rest), going on without it")
    return nil
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
    let worker = clock.makeWorker("state") { [weak self] in self?.work() ?? .whenSignalled }
    state.withLock { $0.worker = worker }
  }

  deinit { state.withLock { $0.worker }?.cancel() }

  /// Something of the jukebox has changed. Returns at once; any thread.
  func note(_ changed: Subsystems) {
    let worker = state.withLock { state in
      if changed.contains(.playlist) { state.queueIsDirty = true }
      if state.since == nil { state.since = clock.now }
      return state.worker
    }
    worker?.signal()
  }

  /// Writes what is not written yet. Blocks on the disk.
  func save() { write() }

  private func work() -> WorkerNext {
    let due = state.withLock { $0.since }?.advanced(bySeconds: Self.delay)
    let now = clock.now
    if let due, due > now { return .at(due) }
    write()
    let isPlaying = host.read { $0.state == .playing }
    return isPlaying ? .at(now.advanced(bySeconds: Self.placeInterval)) : .whenSignalled
  }

  private func write() {
    writing.withLock { _ in
      let queueIsDirty = state.withLock { state in
        defer {
          state.queueIsDirty = false
          state.since = nil
        }
        return state.queueIsDirty
      }
      do {
        if queueIsDirty {
          // A copy is a snapshot; encoding 100,000 songs takes milliseconds, and nobody waits for them.
          let queue = host.read { $0.queue }
          try Self.queueFile(directory).write(queue.encoded())
        }
        let seconds = host.seconds
        let record = host.read { $0.savedPlayback(at: seconds) }.encoded()
        guard record != state.withLock({ $0.written }) else { return }
        try Self.playbackFile(directory).write(record)
        state.withLock {
          $0.written = record
          $0.hasComplained = false
        }
      } catch {
        let isFirst = state.withLock { state in
          state.queueIsDirty = state.queueIsDirty || queueIsDirty
          defer { state.hasComplained = true }
          return !state.hasComplained
        }
        if isFirst { complain("\(directory.path): \(error); the queue and the place are not kept") }
      }
    }
  }
}
