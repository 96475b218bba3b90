import Foundation
import Glibc
import HostTime
import Synchronization

/// What has to be done on the disk, in order, by a worker of its own: who asks for it does not wait.
///
/// Any thread. The worker ends with `close`, which the owner calls.
final class DiskErrands: Sendable {
  private struct State {
    var errands: [@Sendable () -> Void] = []
    var worker: (any Worker)?
  }

  private let state = Mutex(State())

  init(on clock: any HostClock) {
    let worker = clock.makeWorker("url-records") { [weak self] in
      self?.run()
      return .whenSignalled
    }
    state.withLock { $0.worker = worker }
  }

  /// Does that when its turn comes. What is asked for after `close` waits for the next `close`.
  func add(_ errand: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.errands.append(errand)
      return state.worker
    }?.signal()
  }

  /// Does what is left, on the caller's thread, and ends the worker. Blocks on the disk.
  func close() {
    state.withLock { $0.worker.take() }?.cancel()
    run()
  }

  private func run() {
    while true {
      let errands = state.withLock { state in
        defer { state.errands = [] }
        return state.errands
      }
      guard !errands.isEmpty else { return }
      for errand in errands { errand() }
    }
  }

  /// Puts a file in the place of the one of that name, or leaves that as it is. Blocks.
  static func replace(_ path: String, _ bytes: Data) {
    let new = "\(path).new"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    let isWritten = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == bytes.count
    let isSafe = isWritten && fsync(descriptor) == 0
    Glibc.close(descriptor)
    if !isSafe || rename(new, path) != 0 { unlink(new) }
  }
}
