import Foundation
import Glibc
import HostTime
import Synchronization

/// Writes records to disk, retrying each until it succeeds: a full disk loses no record in memory.
///
/// Thread-safe; only the worker of `disk` waits for the disk.
final class RecordWriter: Sendable {
  /// The system calls that write a record, with the results and `errno` of the system. Tests replace them.
  struct Calls: Sendable {
    var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int = {
      Glibc.write($0, $1.baseAddress, $1.count)
    }
    var synchronize: @Sendable (_ descriptor: Int32) -> Int32 = { fsync($0) }
  }

  /// Returns the path and the bytes of a record; nil if the record is no longer needed.
  typealias Content = @Sendable () -> (path: String, bytes: Data)?

  private struct Saving {
    let content: Content
    /// Called once the disk has the record.
    var waiting: [@Sendable () -> Void] = []
    /// Whether a job to write the record is queued.
    var isQueued = false
    var failures = 0
    var retry: Alarms.ID?
  }

  private let disk: DiskErrands
  private let alarms: Alarms
  private let calls: Calls
  private let state = Mutex<[TransferKey: Saving]>([:])

  init(_ disk: DiskErrands, alarms: Alarms, calls: Calls) {
    self.disk = disk
    self.alarms = alarms
    self.calls = calls
  }

  /// Enqueues a record. `then` is called on the disk's worker once the disk has the record, and never if the
  /// record is no longer needed.
  func save(_ key: TransferKey, then: (@Sendable () -> Void)? = nil, _ content: @escaping Content) {
    let isNew = state.withLock { state in
      var saving = state[key] ?? Saving(content: content)
      if let then { saving.waiting.append(then) }
      defer { state[key] = saving }
      guard !saving.isQueued else { return false }
      saving.isQueued = true
      return true
    }
    if isNew { disk.add { [weak self] in self?.write(key) } }
  }

  /// Retries the records that could not be written. To be called before the disk's jobs are closed.
  func retryAll() {
    let retries = state.withLock { state in
      let failed = state.filter { !$0.value.isQueued }
      for key in failed.keys {
        state[key]?.isQueued = true
        state[key]?.retry = nil
      }
      return failed.mapValues(\.retry)
    }
    for (key, retry) in retries {
      alarms.cancel(retry)
      disk.add { [weak self] in self?.write(key) }
    }
  }

  private func write(_ key: TransferKey) {
    let (saving, retry) = state.withLock { state in
      let saving = state[key]
      // Later changes are written by another job.
      state[key]?.isQueued = false
      state[key]?.waiting = []
      state[key]?.retry = nil
      return (saving, saving?.retry)
    }
    alarms.cancel(retry)
    guard let saving else { return }
    guard let (path, bytes) = saving.content() else {
      let old = state.withLock { $0.removeValue(forKey: key) }
      return withExtendedLifetime(old) {}
    }
    guard Self.replace(path, bytes, by: calls) != nil else {
      let old = state.withLock { state -> Saving? in
        guard state[key]?.isQueued == false else {
          state[key]?.failures = 0
          return nil
        }
        return state.removeValue(forKey: key)
      }
      withExtendedLifetime(old) {}
      for call in saving.waiting { call() }
      return
    }
    let delay = state.withLock { state -> Double? in
      let waiting = saving.waiting + (state[key]?.waiting ?? [])
      state[key]?.waiting = waiting
      state[key]?.failures += 1
      guard state[key]?.isQueued == false else { return nil }
      return Alarms.retryDelay(after: saving.failures + 1)
    }
    guard let delay else { return }
    let alarm = alarms.set(at: alarms.clock.now.advanced(bySeconds: delay)) { [weak self] in self?.retry(key)
    }
    state.withLock { $0[key]?.retry = alarm }
  }

  private func retry(_ key: TransferKey) {
    let isDue = state.withLock { state in
      guard state[key]?.isQueued == false else { return false }
      state[key]?.isQueued = true
      return true
    }
    if isDue { disk.add { [weak self] in self?.write(key) } }
  }

  /// Replaces the file at `path`. Returns nil once the disk has the bytes and the file's name, else the
  /// `errno` of the failure. Blocks.
  static func replace(_ path: String, _ bytes: Data, by calls: Calls = Calls()) -> Int32? {
    let new = "\(path).new"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return errno }
    let error = write(bytes, to: descriptor, by: calls)
    Glibc.close(descriptor)
    if let error {
      unlink(new)
      return error
    }
    guard rename(new, path) == 0 else {
      let error = errno
      unlink(new)
      return error
    }
    return synchronizeFolder(of: path, by: calls)
  }

  private static func write(_ bytes: Data, to descriptor: Int32, by calls: Calls) -> Int32? {
    let error: Int32? = bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = calls.write(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : EIO }
        rest = rest.dropFirst(count)
      }
      return nil
    }
    return error ?? (calls.synchronize(descriptor) == 0 ? nil : errno)
  }

  /// Synchronizes the folder, since a power cut could otherwise revert the rename.
  private static func synchronizeFolder(of path: String, by calls: Calls) -> Int32? {
    let folder = path.lastIndex(of: "/").map { path[...$0] + "." } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { Glibc.close(descriptor) }
    // Some file systems cannot synchronize a folder: its entries become durable a little later.
    guard calls.synchronize(descriptor) != 0, errno != EINVAL, errno != ENOSYS else { return nil }
    return errno
  }
}
