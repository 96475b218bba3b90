import Clocks
import Dispatch
import Glibc
import Synchronization

/// Runs the main actor's tasks, one after the other, until all of them wait.
/// Swift's runtime enqueues a resumed main-actor task on the global thread pool first, which then passes the
/// task to the main actor. The scheduler of the operating system then decides the order and time of arrival
/// of two such tasks. While a test device is in use, the main queue runs what the *main* thread enqueues on
/// the pool instead, in order. This makes main-actor code repeatable, including the nonisolated asynchronous
/// functions that it calls.
enum MainActorTurns {
  /// Whether jobs enqueued on the pool by the main thread are redirected to the main queue.
  private static let isCollecting = Atomic<Bool>(false)
  /// The number of jobs redirected so far.
  private static let collected = Atomic<Int>(0)

  /// The number of consecutive main-queue turns without a redirected job after which all tasks count as
  /// waiting. A chain of new tasks, each started by the previous one, is followed over this many generations.
  static let quietTurns = 4
  /// The number of turns that counts as an endless loop. A thousand waking tasks need far fewer.
  static let turnLimit = 1_000_000

  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

  /// Whether the hook between the runtime and the pool (`swift_task_enqueueGlobal_hook`) is installed. The first access
  /// installs the hook. False for a runtime without it or with another tool's hook; the order is then left to chance.
  private static let isInstalled: Bool = {
    guard let address = dlsym(nil, "swift_task_enqueueGlobal_hook") else { return false }
    let hook = address.assumingMemoryBound(to: Hook?.self)
    // If another tool has installed its hook, leave that hook in place.
    guard hook.pointee == nil else { return false }
    hook.pointee = { job, enqueue in
      guard isCollecting.load(ordering: .relaxed), MainDispatchQueue.isCurrent else { return enqueue(job) }
      collected.add(1, ordering: .relaxed)
      MainActor.shared.enqueue(job)
    }
    return true
  }()

  /// Starts the redirection of jobs, which makes their order repeatable until `end`. Has no effect unless
  /// `isInstalled`.
  static func begin() { isCollecting.store(isInstalled, ordering: .relaxed) }

  static func end() { isCollecting.store(false, ordering: .relaxed) }

  /// Runs the main queue's work until `quietTurns` consecutive turns have redirected no job other than this function's.
  /// Stops the program after `turnLimit` turns.
  @MainActor static func runAll() async {
    var quiet = 0
    var turns = 0
    while quiet < quietTurns {
      let before = collected.load(ordering: .relaxed)
      await pass()
      // The resumption of this function is itself a redirected job.
      quiet = collected.load(ordering: .relaxed) - before > 1 ? 0 : quiet + 1
      turns += 1
      precondition(turns < turnLimit, "the main actor's tasks never rest")
    }
  }

  @MainActor private static func pass() async {
    await withUnsafeContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
  }
}
