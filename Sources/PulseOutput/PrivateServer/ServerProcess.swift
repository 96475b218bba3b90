import Glibc

/// A child process in a process group of its own, with a watchdog that ends the group when this process is gone.
struct ServerProcess: Sendable {
  /// The child's number, and its process group's.
  let identifier: pid_t
  /// The watchdog's number; -1 if there is none.
  let watchdog: pid_t
  /// This process's end of the watchdog's input; -1 if there is no watchdog.
  let lifeline: Int32
  private let log: String

  /// Waits for the end of this process (its end of the pipe closes) or for the word that the work is done. `-s KILL`,
  /// because dash takes no `--` after `-KILL`.
  private static let watchdogScript = """
    trap '' HUP INT TERM
    if read word; then exit 0; fi
    kill -s KILL -- "-$1" 2>/dev/null
    rm -rf -- "$2"
    """

  static func start(
    arguments: [String], environment: [String], directory: String
  ) throws(PrivatePulseServer.Failure) -> ServerProcess {
    let log = "\(directory)/log"
    let identifier: pid_t
    switch spawn(arguments, environment, input: -1, log: log) {
    case .success(let pid): identifier = pid
    case .failure(let error):
      let program = arguments[0]
      let isMissing = error.code == ENOENT
      throw PrivatePulseServer.Failure(
        message: isMissing
          ? "\(program) is not installed (Debian: apt install pulseaudio)"
          : "\(program) could not be started: \(String(cString: strerror(error.code)))",
        isMissingProgram: isMissing)
    }
    var ends: [Int32] = [-1, -1]
    var watchdog: pid_t = -1
    // Close-on-exec from the start: a child that somebody else starts now would keep the lifeline open. Without
    // lifeline or shell the server still ends with `stop`; only a crash would leave it behind.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    if socketpair(AF_UNIX, kind, 0, &ends) == 0 {
      let script = ["sh", "-c", watchdogScript, "sh", String(identifier), directory]
      if case .success(let pid) = spawn(script, environment, input: ends[0], log: "/dev/null") {
        watchdog = pid
      }
      close(ends[0])
    }
    return ServerProcess(identifier: identifier, watchdog: watchdog, lifeline: ends[1], log: log)
  }

  func signal(_ number: Int32) { _ = Glibc.kill(-identifier, number) }

  /// Kills and reaps the server and its watchdog. Once.
  func end() {
    signal(SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    if lifeline >= 0 {
      // Before the pipe closes: the process group's number may belong to somebody else soon.
      let word: [UInt8] = [UInt8(ascii: "\n")]
      send(lifeline, word, 1, Int32(MSG_NOSIGNAL))
      close(lifeline)
    }
    if watchdog > 0 { while waitpid(watchdog, &status, 0) < 0, errno == EINTR {} }
  }

  /// Blocks until somebody listens at `path`.
  func awaitSocket(_ path: String, limit: Double) throws(PrivatePulseServer.Failure) {
    let deadline = ContinuousClock.now + .seconds(limit)
    while !UnixSocket.isListening(at: path) {
      // Looks only: `end` reaps the child.
      var info = siginfo_t()
      if waitid(P_PID, id_t(identifier), &info, WEXITED | WNOHANG | WNOWAIT) == 0, info.si_signo == SIGCHLD {
        throw PrivatePulseServer.Failure(message: "the private pulseaudio ended at once\(lastWords)")
      }
      guard ContinuousClock.now < deadline else {
        throw PrivatePulseServer.Failure(
          message: "the private pulseaudio did not answer within \(limit) seconds\(lastWords)")
      }
      // It takes about 25 ms; a look costs 10 µs.
      poll(nil, 0, 1)
    }
  }

  /// What the server says about a module that it could not load; nil if there is nothing. PulseAudio 16.1 goes on
  /// without the module, also with `--fail`.
  var moduleFailure: String? {
    logLines.last { $0.contains("Failed to load module") || $0.contains("Failed to open module") }
  }

  /// The last line of the server's log, behind a colon.
  private var lastWords: String { logLines.last.map { ": \($0)" } ?? "" }

  private var logLines: [String] {
    guard let file = fopen(log, "re") else { return [] }
    defer { fclose(file) }
    var lines: [String] = []
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if !text.isEmpty { lines.append(text) }
    }
    return lines
  }

  private struct SpawnError: Error { var code: Int32 }

  /// Starts a program with all signals as a new process has them, in a process group of its own.
  private static func spawn(
    _ arguments: [String], _ environment: [String], input: Int32, log: String
  ) -> Result<pid_t, SpawnError> {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if input >= 0 {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    // A key on the terminal is for this process, which ends the child in its own time.
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var identifier: pid_t = 0
    let code = withCStrings(arguments) { argv in
      withCStrings(environment) { envp in
        posix_spawnp(&identifier, arguments[0], &actions, &attributes, argv, envp)
      }
    }
    return code == 0 ? .success(identifier) : .failure(SpawnError(code: code))
  }

  private static func withCStrings<R>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
  ) -> R {
    let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
    for (index, string) in strings.enumerated() { list[index] = strdup(string) }
    list[strings.count] = nil
    defer {
      for index in strings.indices { free(list[index]) }
      list.deallocate()
    }
    return body(list)
  }
}
