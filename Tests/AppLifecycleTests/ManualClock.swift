import AudioCore
import Synchronization

/// A clock that a test turns by hand; its workers run on the test's thread, inside `advance`.
final class ManualClock: HostClock {
  private struct State {
    var now = HostTime(nanoseconds: 0)
    var workers: [ManualWorker] = []
  }
  private let state = Mutex(State())

  var now: HostTime { state.withLock { $0.now } }

  func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
    let worker = ManualWorker(body: body)
    state.withLock { $0.workers.append(worker) }
    return worker
  }

  /// Runs what is due now and in the next `seconds`, each at its time.
  func advance(bySeconds seconds: Double = 0) {
    let end = now.advanced(bySeconds: seconds)
    while true {
      let workers = state.withLock { $0.workers }
      let next = workers.map { max($0.due, now) }.min() ?? .distantFuture
      guard next <= end else { break }
      state.withLock { $0.now = next }
      for worker in workers where worker.due <= next { worker.run() }
    }
    state.withLock { $0.now = end }
  }
}

final class ManualWorker: Worker {
  private let body: Mutex<(@Sendable () -> WorkerNext)?>
  private let dueTime = Mutex(HostTime(nanoseconds: .min))

  init(body: @escaping @Sendable () -> WorkerNext) { self.body = Mutex(body) }

  var due: HostTime { dueTime.withLock { $0 } }
  var isCancelled: Bool { body.withLock { $0 == nil } }

  func signal() { if !isCancelled { dueTime.withLock { $0 = HostTime(nanoseconds: .min) } } }

  func cancel() {
    body.withLock { $0 = nil }
    dueTime.withLock { $0 = .distantFuture }
  }

  func run() {
    dueTime.withLock { $0 = .distantFuture }
    switch body.withLock({ $0 })?() {
    case .again: signal()
    case .at(let time): dueTime.withLock { $0 = min($0, time) }
    case .whenSignalled, nil: break
    }
  }
}
