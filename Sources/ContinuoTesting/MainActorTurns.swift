import Dispatch
import Glibc
import HostTime
import Synchronization

/// Lets the main actor's tasks run, one after the other, until none of them has anything to do.
///
/// A task that waits on the main actor does not come back to it directly: Swift's runtime first puts it on
/// the global pool of threads, which hands it over. In which order two such tasks arrive, and when, is then
/// up to the scheduler of the operating system. While a test device is in use, what the *main* thread gives
/// to the pool is run by the main queue instead, in the order in which it was given. That is what makes
/// main-actor code repeatable, and with it nonisolated asynchronous functions that it calls. What other
/// threads give to the pool is left alone.
enum MainActorTurns {
  /// Whether what the main thread gives to the pool goes to the main queue.
  private static let isCollecting = Atomic<Bool>(false)
  /// How many pieces of work were redirected so far.
  private static let collected = Atomic<Int>(0)

  /// So many turns of the main queue in a row in which no task came back to it mean that all wait: a task
  /// that is new and starts another one, and so on, is followed over that many generations.
  static let quietTurns = 4
  /// So many turns without rest are a loop. Far above what a thousand tasks need that wake at one moment.
  static let turnLimit = 1_000_000

  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

  /// Puts itself between the runtime and the pool, once in a process. The runtime looks there on purpose
  /// (`swift_task_enqueueGlobal_hook`); a runtime without it leaves the order to chance.
  private static let isInstalled: Bool = {
    guard let address = dlsym(nil, "swift_task_enqueueGlobal_hook") else { return false }
    let hook = address.assumingMemoryBound(to: Hook?.self)
    // Another tool has already installed a hook. It is left in place.
    guard hook.pointee == nil else { return false }
    hook.pointee = { job, enqueue in
      guard isCollecting.load(ordering: .relaxed), MainDispatchQueue.isCurrent else { return enqueue(job) }
      collected.add(1, ordering: .relaxed)
      MainActor.shared.enqueue(job)
    }
    return true
  }()

  /// From now on, until `end`, the order is fixed.
  static func begin() {
    if isInstalled { isCollecting.store(true, ordering: .relaxed) }
  }

  /// Stops redirecting: work goes to the pool again.
  static func end() { isCollecting.store(false, ordering: .relaxed) }

  /// Runs what waits on the main queue and what follows from it, until nothing does.
  @MainActor
  static func runAll() async {
    var quiet = 0
    var turns = 0
    while quiet < quietTurns {
      let before = collected.load(ordering: .relaxed)
      await pass()
      // One is this function's own return.
      quiet = collected.load(ordering: .relaxed) - before > 1 ? 0 : quiet + 1
      turns += 1
      precondition(turns < turnLimit, "the main actor's tasks never rest")
    }
  }

  /// Goes to the end of the main queue.
  @MainActor
  private static func pass() async {
    await withUnsafeContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
  }
}
