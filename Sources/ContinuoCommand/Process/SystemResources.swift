import CThreads
import Glibc
import HostTime

/// What a player needs of the system before it can start: threads, and room in memory.
///
/// Where they are missing Dispatch waits for ever without a word, and other libraries end the process. So it is asked
/// for all of it at once, first, when something can still be said.
enum SystemResources {
  /// Threads of a player with a private server, a control socket and an observer, with what Dispatch adds: 12 were seen,
  /// and one for each of the standard descriptors.
  private static let threads = 14
  /// What libpulse reserves for its memory, in bytes.
  private static let memory = 64 << 20

  /// Has memory of 1 MiB and more returned to the system when it is freed, from here on. By default glibc (2.36) raises that limit to
  /// the largest block that was freed, up to 32 MiB: four clients that read pictures of 15 MB left 514 MB, and 110 MB with this.
  static func returnLargeBlocks() { _ = continuo_mallopt(-3, 1 << 20) }

  /// Ends the process with a line for a person if the system gives less than that, now or whenever a worker gets no
  /// thread later. Takes less than a millisecond.
  static func reserve() {
    ThreadShortage.setHandler { fail($0) }
    if let problem = tryOut(threads: threads, memory: memory) { fail(problem) }
  }

  private static func fail(_ problem: String) -> Never {
    StandardOutput.complain("\(problem) (\(limits))")
    CleanUp.exit(ExitStatus.noResources.rawValue)
  }

  /// Takes that many threads and bytes, and gives them back. What the system says if it refuses; nil if it does not.
  static func tryOut(threads: Int, memory: Int) -> String? {
    let pool = mmap(nil, memory, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let pool, pool != MAP_FAILED else {
      return "the system gives no \(memory >> 20) MB of address space: \(String(cString: strerror(errno)))"
    }
    defer { munmap(pool, memory) }
    let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    defer { gate.deallocate() }
    pthread_mutex_init(gate, nil)
    defer { pthread_mutex_destroy(gate) }
    pthread_mutex_lock(gate)
    var started: [pthread_t] = []
    var code: Int32 = 0
    while started.count < threads, code == 0 {
      var thread = pthread_t()
      code = pthread_create(
        &thread, nil,
        { argument in
          // Until all are there.
          if let gate = argument?.assumingMemoryBound(to: pthread_mutex_t.self) {
            pthread_mutex_lock(gate)
            pthread_mutex_unlock(gate)
          }
          return nil
        }, gate)
      if code == 0 { started.append(thread) }
    }
    pthread_mutex_unlock(gate)
    for thread in started { pthread_join(thread, nil) }
    if code == 0 { return nil }
    return "the system gives \(started.count) threads where \(threads) are needed: "
      + String(cString: strerror(code))
  }

  /// The limits that may be the reason, by the commands that change them.
  private static var limits: String {
    var space = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &space)
    let isUnlimited = space.rlim_cur == rlim_t.max
    let processes = sysconf(Int32(_SC_CHILD_MAX))
    return "ulimit -v: \(isUnlimited ? "unlimited" : "\(space.rlim_cur / 1024)"), "
      + "ulimit -u: \(processes < 0 ? "unlimited" : "\(processes)")"
  }
}
