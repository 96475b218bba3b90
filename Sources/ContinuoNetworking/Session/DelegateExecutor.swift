import Synchronization

/// Runs the `async` methods of a delegate on the delegate queue, and not while the application is suspended. It begins where it
/// is asked, so that a delegate without such methods has answered when the call returns.
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
  /// Calls an `async` method of a delegate. On the delegate queue.
  func ask(_ call: @escaping @Sendable () async -> Void) {
    let executor = DelegateExecutor(core)
    Task(executorPreference: executor) {
      await call()
      withExtendedLifetime(executor) {}
    }
  }
}
