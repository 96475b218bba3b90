import Glibc
import SystemSupport

/// Starts a program with default signals and an empty mask in process group `group`; 0 creates its own.
func spawn(
  _ arguments: [String], _ environment: [String], input: Int32?, log: String, group: pid_t
) throws(SystemCallError) -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  if let input {
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
  // A separate group keeps the terminal's key signals away from the child; this process ends it in due time.
  posix_spawnattr_setpgroup(&attributes, group)
  posix_spawnattr_setflags(
    &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

  var identifier: pid_t = 0
  let code = withCStrings(arguments) { argv in
    withCStrings(environment) { envp in
      posix_spawnp(&identifier, arguments[0], &actions, &attributes, argv, envp)
    }
  }
  guard code == 0 else { throw SystemCallError("posix_spawnp", code: code) }
  return identifier
}

/// Whether the child has ended or was reaped. Does not reap it.
func hasEnded(_ child: pid_t) -> Bool {
  var info = siginfo_t()
  guard waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 else { return errno != EINTR }
  return info.si_signo == SIGCHLD
}

/// Waits for the child's end and reaps it.
func reap(_ child: pid_t) {
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0, errno == EINTR {}
}

private func withCStrings<R>(
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
