import Foundation
import Synchronization
package import Testing

/// Threads for tests that block: for a process, a socket, a server. Swift's own threads are as many as processors, and two tests
/// that block would stop all others.
package struct WaitingThreads: TestTrait, SuiteTrait, TestScoping {
  /// Every test of a suite.
  package var isRecursive: Bool { true }

  /// Runs a test on such a thread; between two of its awaits it may change to another.
  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws { try await withTaskExecutorPreference(ThreadPool.shared) { try await function() } }
}

extension Trait where Self == WaitingThreads {
  /// The tests block their thread.
  package static var blocksThread: WaitingThreads { WaitingThreads() }
}

/// As many threads as jobs at a time.
private final class ThreadPool: TaskExecutor {
  static let shared = ThreadPool()

  private struct State {
    var jobs: [UnownedJob] = []
    var idle = 0
  }
  private let state = Mutex(State())
  private let jobs = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let needsThread = state.withLock { state in
      state.jobs.append(job)
      return state.jobs.count > state.idle
    }
    if needsThread { Thread.detachNewThread { [self] in serve() } }
    jobs.signal()
  }

  private func serve() {
    while true {
      state.withLock { $0.idle += 1 }
      jobs.wait()
      let job = state.withLock { state in
        state.idle -= 1
        return state.jobs.removeFirst()
      }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
