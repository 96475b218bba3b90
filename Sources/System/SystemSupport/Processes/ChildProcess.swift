internal import CThreads
package import Glibc

/// Starts and observes child processes.
package enum ChildProcess {
  /// The standard input of a child.
  package enum Input {
    case null
    case inherited
    case descriptor(Int32)
  }

  /// Standard output and standard error of a child.
  package enum Output {
    case inherited
    /// A file for both streams, truncated, or created for this user only.
    case log(String)
  }

  /// Starts the program `arguments[0]` with default signals and an empty mask. A name without a slash is searched
  /// for in the `PATH` of this process. Returns the process identifier. Blocks until the program is loaded.
  ///
  /// - Parameters:
  ///   - arguments: the program's name or path, and its arguments.
  ///   - environment: the variables, each as `NAME=VALUE`.
  ///   - input: standard input.
  ///   - output: standard output and standard error.
  ///   - group: the process group; 0 creates a new one, and nil a new session.
  ///   - passed: a descriptor that the child gets under the same number, even if marked close-on-exec.
  package static func start(
    _ arguments: [String], environment: [String], input: Input, output: Output, group: pid_t?,
    passing passed: Int32? = nil
  ) throws(SystemCallError) -> pid_t {
    try start(
      arguments.map { Array($0.utf8) }, environment: environment, input: input, output: output, group: group,
      passing: passed)
  }

  /// Starts a program as the other method does. The arguments are the system's bytes, which need not be UTF-8.
  package static func start(
    _ arguments: [[UInt8]], environment: [String], input: Input, output: Output, group: pid_t?,
    passing passed: Int32? = nil
  ) throws(SystemCallError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    switch input {
    case .null: posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    case .inherited: break
    case .descriptor(let number): posix_spawn_file_actions_adddup2(&actions, number, 0)
    }
    if case .log(let path) = output {
      posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      posix_spawn_file_actions_adddup2(&actions, 1, 2)
    }
    // If both numbers are equal, glibc (2.29) clears the flag close-on-exec.
    if let passed { posix_spawn_file_actions_adddup2(&actions, passed, passed) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    // A separate group keeps the terminal's key signals away from the child, which this process ends itself.
    // 0x80 is POSIX_SPAWN_SETSID of glibc 2.26, which Swift's Glibc module lacks.
    posix_spawnattr_setpgroup(&attributes, group ?? 0)
    let place = group == nil ? 0x80 : Int32(POSIX_SPAWN_SETPGROUP)
    posix_spawnattr_setflags(&attributes, Int16(place | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var identifier: pid_t = 0
    let name = cString(arguments[0])
    let code = withCStrings(arguments) { argv in
      withCStrings(environment.map { Array($0.utf8) }) { envp in
        posix_spawnp(&identifier, name, &actions, &attributes, argv, envp)
      }
    }
    guard code == 0 else { throw SystemCallError("posix_spawnp", code: code) }
    return identifier
  }

  /// Returns whether the child has ended or was reaped; true also if the process is not a child. Does not reap it.
  package static func hasEnded(_ child: pid_t) -> Bool {
    var info = siginfo_t()
    guard waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 else { return errno != EINTR }
    return info.si_signo == SIGCHLD
  }

  /// Makes this process the parent of its descendants' orphans, for its whole life. Returns false if the
  /// kernel refuses.
  package static func adoptOrphans() -> Bool {
    // PR_SET_CHILD_SUBREAPER of prctl(2), Linux 3.4.
    continuo_prctl(36, 1, 0, 0, 0) == 0
  }

  /// Blocks until the child ends. Calls `onOther` repeatedly while another child has ended and was not reaped
  /// yet. Does not reap the child, so that its number and its group's remain its own.
  package static func awaitEnd(of child: pid_t, onOther: () -> Void) {
    while !hasEnded(child) {
      var info = siginfo_t()
      guard waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0, !hasEnded(child) else { continue }
      onOther()
      // Another part of this program may reap that child later, or never; until then `waitid` returns at
      // once.
      usleep(otherInterval)
    }
  }

  /// The minimum interval, in microseconds, between calls of `onOther`.
  private static let otherInterval: UInt32 = 50_000

  /// Blocks until the child ends, and reaps it. Returns its wait status; 0 if the process is not a child.
  @discardableResult
  package static func reap(_ child: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status
  }

  private static func cString(_ bytes: [UInt8]) -> [CChar] { (bytes + [0]).map { CChar(bitPattern: $0) } }

  private static func withCStrings<R>(
    _ strings: [[UInt8]], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
  ) -> R {
    let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
    for (index, string) in strings.enumerated() { list[index] = strdup(cString(string)) }
    list[strings.count] = nil
    defer {
      for index in strings.indices { free(list[index]) }
      list.deallocate()
    }
    return body(list)
  }
}
