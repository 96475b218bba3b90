import Glibc
import SystemSupport

/// A small shell that outlives this process. Once this process has ended for any reason, the shell kills the
/// private server and removes its directory.
///
/// The shell starts before the directory and the server, so neither can be left behind at any time:
/// - Its input is one end of a socket pair. This process holds the other end, which closes when the process
///   ends.
/// - It knows the directory's name before the directory is created.
/// - Servers start in its process group. A starting server holds a copy of the lifeline until its program
///   runs, and joins the group before that. The shell therefore never finds the group without the server.
struct ServerGuardian: Sendable {
  /// The shell's process identifier, also its process group, which contains the servers.
  let identifier: pid_t
  /// The end of the socket pair that this process holds.
  let lifeline: Int32

  /// The shell's script: waits for the end of its input, then kills its process group and removes the
  /// directory. The shell itself belongs to that group, so a process outside it does both, and removes the
  /// directory once no process can add files. If that process cannot be started (too many processes, or no
  /// setsid(1)), the trap cleans up. `-s KILL`, because dash does not accept `--` after `-KILL`.
  private static let script = """
    trap '' HUP INT TERM
    trap 'rm -rf -- "$1"; kill -s KILL -- "-$$"' EXIT
    read word
    setsid sh -c '
      kill -s KILL -- "-$1"
      rm -rf -- "$2" || { sleep 1; rm -rf -- "$2"; }
    ' sh "$$" "$1"
    """

  /// Starts a guardian for `directory`, which need not exist yet.
  static func start(
    directory: String, environment: [String]
  ) throws(PrivatePulseServer.Failure) -> ServerGuardian {
    var ends: [Int32] = [-1, -1]
    // Close-on-exec from the start, because a child started concurrently elsewhere would keep the lifeline
    // open.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw PrivatePulseServer.Failure(
        message: "no socket to guard a private sound server: \(SystemError.message(errno))")
    }
    defer { close(ends[0]) }
    do throws(SystemCallError) {
      // The shell's programs come from the system, whatever the user's PATH.
      let environment = environment.filter { !$0.hasPrefix("PATH=") } + ["PATH=/usr/bin:/bin"]
      let identifier = try ChildProcess.start(
        ["/bin/sh", "-c", script, "sh", directory], environment: environment, input: .descriptor(ends[0]),
        output: .log("/dev/null"), group: 0)
      return ServerGuardian(identifier: identifier, lifeline: ends[1])
    } catch {
      close(ends[1])
      throw PrivatePulseServer.Failure(
        message: "no shell to guard a private sound server: \(SystemError.message(error.code))")
    }
  }

  /// The timeout of `dismiss` in seconds; the shell needs a few milliseconds.
  private static let patience: Int32 = 2

  /// Ends all guarded processes, as the death of this process would, and waits at most `patience` seconds for
  /// their end. Call once.
  func dismiss() {
    // The shell reads the end of its input. The lifeline becomes readable once the shell and its children
    // ended.
    shutdown(lifeline, Int32(SHUT_WR))
    var entry = pollfd(fd: lifeline, events: Int16(POLLIN), revents: 0)
    while poll(&entry, 1, Self.patience * 1000) < 0, errno == EINTR {}
    close(lifeline)
    // Kills the group in case the shell has failed. Must precede reaping, after which another group may get
    // the number.
    kill(-identifier, SIGKILL)
    ChildProcess.reap(identifier)
  }
}
