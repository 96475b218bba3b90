import Clocks
import Foundation
import Glibc
import Synchronization
import SystemSupport

/// Writes records to disk, and retries each failed write, for example after the disk was full. Thread-safe;
/// only the jobs of `disk` wait for the disk.
final class TransferRecordWriter: Sendable {
  /// Returns the path and the bytes of a record; nil if the record is no longer needed.
  typealias Content = @Sendable () -> (path: String, bytes: Data)?

  private struct Saving {
    let content: Content
    var waiting: [@Sendable () -> Void] = []
    var isQueued = false
    var failures = 0
    var retry: Alarms.ID?
  }

  private let disk: DiskErrands
  private let alarms: Alarms
  private let calls: FileReplacement.Calls
  private let state = Mutex<[TransferKey: Saving]>([:])

  init(_ disk: DiskErrands, alarms: Alarms, calls: FileReplacement.Calls) {
    self.disk = disk
    self.alarms = alarms
    self.calls = calls
  }

  /// Enqueues a record. `then` is called in a job of `disk` once the record is on disk, unless the record is
  /// no longer needed.
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

  /// Enqueues again the records that could not be written. Must be called before `disk` is closed.
  func retryAll() {
    for (key, saving) in state.withLock({ $0 }) where !saving.isQueued {
      alarms.cancel(saving.retry)
      retry(key)
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
      return Alarms.backoff.delay(after: saving.failures + 1)
    }
    guard let delay else { return }
    let due = alarms.clock.now.advanced(bySeconds: delay)
    let alarm = alarms.set(at: due) { [weak self] in self?.retry(key) }
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

  /// Replaces the file durably. Returns the `errno` of a failure; nil on success. Blocks.
  static func replace(_ path: String, _ bytes: Data, by calls: FileReplacement.Calls = .init()) -> Int32? {
    bytes.withUnsafeBytes {
      FileReplacement.write($0, to: path, through: "\(path).new", mode: 0o600, by: calls)
    }
  }
}
