import CThreads
import Clocks
import Glibc

/// The threads and the memory that a player needs before it can start. Without them Dispatch hangs silently,
/// and other libraries end the process. So the player first requests all of them at once, while an error can
/// still be reported.
enum SystemResources {
  /// The number of threads of a player with a private server, a control socket and an observer, including
  /// those of Dispatch: 12 were observed, and one for each of standard output and standard error.
  private static let threads = 14
  /// The memory that libpulse reserves, in bytes.
  private static let memory = 64 << 20

  /// Makes glibc return freed blocks of 1 MiB and more to the system. By default glibc (2.36) raises that
  /// threshold to the largest block that was freed, up to 32 MiB. Four clients that read pictures of 15 MB
  /// left 514 MB in use, and 110 MB with this setting.
  static func returnLargeBlocks() { _ = continuo_mallopt(-3, 1 << 20) }

  /// Ends the process with a message if the system does not provide these resources now, or a thread for a
  /// worker later. Takes less than 1 ms.
  static func reserve() {
    ThreadShortage.setHandler { fail($0) }
    if let problem = tryOut(threads: threads, memory: memory) { fail(problem) }
  }

  private static func fail(_ problem: String) -> Never {
    StandardOutput.complain("\(problem) (\(limits))")
    CleanUp.exit(ExitStatus.noResources.rawValue)
  }

  /// Starts `threads` threads and reserves `memory` bytes of address space, then releases both. Returns a message
  /// with the system's error if that fails; nil otherwise.
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
          // Waits until all threads exist.
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

  /// The process's limits of memory, in KiB, and of processes, with the shell commands that change them.
  private static var limits: String {
    var space = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &space)
    let isUnlimited = space.rlim_cur == rlim_t.max
    let processes = sysconf(Int32(_SC_CHILD_MAX))
    return "ulimit -v: \(isUnlimited ? "unlimited" : "\(space.rlim_cur / 1024)"), "
      + "ulimit -u: \(processes < 0 ? "unlimited" : "\(processes)")"
  }
}
