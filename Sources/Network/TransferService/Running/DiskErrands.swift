package import Clocks
import Synchronization

/// Runs jobs that may block, such as disk writes, in order on a worker of its own, so that callers of `add` do not
/// wait. Thread-safe. The worker exists from the first job until `close`, which the owner must call.
package final class DiskErrands: Sendable {
  package typealias Errand = @Sendable () -> Void

  private let name: String
  private let clock: any HostClock
  private let errands = Mutex<[Errand]>([])
  private let worker = LazyWorker()

  /// - Parameter name: the name of the worker's thread, at most 15 bytes.
  package init(_ name: String, on clock: any HostClock) {
    self.name = name
    self.clock = clock
  }

  /// Enqueues a job. Jobs added after `close` wait for the next `close`.
  package func add(_ errand: @escaping Errand) {
    errands.withLock { $0.append(errand) }
    worker.signal {
      clock.makeWorker(name) { [weak self] in
        self?.run()
        return .whenSignalled
      }
    }
  }

  /// Ends the worker, and runs the remaining jobs on the caller's thread. Blocks until all jobs have run.
  package func close() {
    worker.cancel()
    run()
  }

  private func run() {
    while true {
      let present = errands.withLock { errands in
        defer { errands = [] }
        return errands
      }
      guard !present.isEmpty else { return }
      for errand in present { errand() }
    }
  }
}
