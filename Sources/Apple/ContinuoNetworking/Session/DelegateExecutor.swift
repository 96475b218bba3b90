import Synchronization

/// Runs the `async` methods of a delegate on the delegate queue, and not while the application is suspended.
/// The first job runs synchronously, so that a delegate without such methods has answered when the call
/// returns.
private final class DelegateExecutor: TaskExecutor {
  private let core: SessionCore
  private let hasBegun = Mutex(false)

  init(_ core: SessionCore) { self.core = core }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = hasBegun.withLock { hasBegun in
      defer { hasBegun = true }
      return !hasBegun
    }
    if isFirst { return job.runSynchronously(on: asUnownedTaskExecutor()) }
    core.post { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

extension URLSession {
  /// Calls an `async` method of a delegate. To be called on the delegate queue.
  func ask(_ call: @escaping @Sendable () async -> Void) {
    let executor = DelegateExecutor(core)
    Task(executorPreference: executor) {
      await call()
      withExtendedLifetime(executor) {}
    }
  }
}
