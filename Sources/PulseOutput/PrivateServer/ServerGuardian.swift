import Glibc

/// A small shell that outlives this process: when this process is gone, however it went, the shell kills the private
/// server and removes its directory.
///
/// It is there before what it guards, so there is no moment at which a server or a directory could stay behind:
/// - Its input is one end of a socket pair; the other end is this process's alone and closes with it.
/// - It knows the directory's name before the directory is made.
/// - Servers are started in its process group. A server that is being started holds a copy of the lifeline until it
///   runs, and joins the group before; so the shell cannot find the group without it.
struct ServerGuardian: Sendable {
  /// The shell's process, and the process group of what it guards.
  let identifier: pid_t
  /// This process's end of the shell's input.
  let lifeline: Int32

  /// Waits for the end of the input. The shell is itself in the group that it has to kill, so a process outside of it
  /// does that, and removes the directory afterwards, when nobody can put anything there. Where there is no such
  /// process (too many, or no setsid(1)), the trap does what it can. `-s KILL`, because dash takes no `--` after
  /// `-KILL`.
  private static let script = """
    trap '' HUP INT TERM
    trap 'rm -rf -- "$1"; kill -s KILL -- "-$$"' EXIT
    read word
    setsid sh -c '
      kill -s KILL -- "-$1"
      rm -rf -- "$2" || { sleep 1; rm -rf -- "$2"; }
    ' sh "$$" "$1"
    """

  /// Starts one for `directory`, which need not exist yet.
  static func start(
    directory: String, environment: [String]
  ) throws(PrivatePulseServer.Failure) -> ServerGuardian {
    var ends: [Int32] = [-1, -1]
    // Close-on-exec from the start: a child that somebody else starts now would keep the lifeline open.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw PrivatePulseServer.Failure(
        message: "no socket to guard a private sound server: \(String(cString: strerror(errno)))")
    }
    defer { close(ends[0]) }
    do throws(SpawnError) {
      // Its programs are the system's, whatever PATH the user has.
      let environment = environment.filter { !$0.hasPrefix("PATH=") } + ["PATH=/usr/bin:/bin"]
      let identifier = try spawn(
        ["/bin/sh", "-c", script, "sh", directory], environment, input: ends[0], log: "/dev/null", group: 0)
      return ServerGuardian(identifier: identifier, lifeline: ends[1])
    } catch {
      close(ends[1])
      throw PrivatePulseServer.Failure(message: "no shell to guard a private sound server: \(error)")
    }
  }

  /// Seconds that `dismiss` waits for the shell at most: it needs a few milliseconds.
  private static let patience: Int32 = 2

  /// Ends all that is guarded: what happens too when this process dies, but waited for. Once.
  func dismiss() {
    // The shell sees the end of its input; this end sees that of the shell and of all that it starts.
    shutdown(lifeline, Int32(SHUT_WR))
    var entry = pollfd(fd: lifeline, events: Int16(POLLIN), revents: 0)
    while poll(&entry, 1, Self.patience * 1000) < 0, errno == EINTR {}
    close(lifeline)
    // Where the shell could not do it. Before it is reaped: until then its group's number belongs to nobody else.
    kill(-identifier, SIGKILL)
    reap(identifier)
  }
}
