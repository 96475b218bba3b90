import Foundation
import Synchronization

/// Returns the time of CLOCK_MONOTONIC in seconds. PulseAudio's null sink and Continuo's events use the same
/// clock.
func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Waits until `condition` is true. `pause`: the time between two looks, in microseconds.
func waitUntil(
  _ what: String, seconds: Double, pause: useconds_t = 10_000, _ condition: () throws -> Bool
) throws {
  let deadline = monotonicSeconds() + seconds
  while try !condition() {
    guard monotonicSeconds() < deadline else { throw BenchError("it took too long until \(what)") }
    usleep(pause)
  }
}

/// An error of a measurement, as a sentence for a person.
struct BenchError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// A child process in a process group of its own. All processes that it starts end with it, and Ctrl-C
/// reaches it only through `Takedown`.
final class Child: Sendable {
  /// The exit of a program, and the resources used by it and by the children that it waited for.
  struct Exit: Sendable {
    var status: Int32
    var userSeconds: Double
    var systemSeconds: Double
    var endedAt: Double

    var cpuSeconds: Double { userSeconds + systemSeconds }
    /// Whether the program exited by itself with status 0.
    var succeeded: Bool { status == 0 }
    /// The exit status or the signal: "status 1" or "signal 15".
    var reason: String { status & 0x7f == 0 ? "status \(status >> 8 & 0xff)" : "signal \(status & 0x7f)" }
  }

  let name: String
  private let log: String
  let pid: pid_t
  /// The time just before the program was started.
  let startedAt: Double

  private let end = Mutex<Exit?>(nil)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts `arguments[0]`, an absolute path.
  ///
  /// - Parameters:
  ///   - environment: The complete environment.
  ///   - output: The descriptor for standard output; nil means /dev/null.
  ///   - log: The file to which standard error is appended.
  init(_ arguments: [String], environment: [String: String], output: Int32? = nil, log: String) throws {
    name = (arguments[0] as NSString).lastPathComponent
    self.log = log
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Signals that this program handles by dispatch sources are ignored; a child would inherit that.
    var restored = sigset_t()
    sigemptyset(&restored)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&restored, signal) }
    posix_spawnattr_setsigdefault(&attributes, &restored)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))

    var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    startedAt = monotonicSeconds()
    pid = try Takedown.shared.registering {
      var pid: pid_t = 0
      let failure = posix_spawn(&pid, arguments[0], &actions, &attributes, &argv, &envp)
      guard failure == 0 else {
        return .failure(BenchError("cannot start \(arguments[0]): \(String(cString: strerror(failure)))"))
      }
      return .success(pid)
    }
    Thread.detachNewThread { [self] in awaitEnd() }
  }

  /// Blocks until the program has ended. Reaps it under the lock that `signal` takes, so that no signal
  /// reaches a new process with the same number.
  private func awaitEnd() {
    var info = siginfo_t()
    while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    let now = monotonicSeconds()
    end.withLock { end in
      var status: Int32 = 0
      var usage = rusage()
      while wait4(pid, &status, 0, &usage) == -1, errno == EINTR {}
      Takedown.shared.forget(pid)
      end = Exit(
        status: status, userSeconds: usage.ru_utime.seconds, systemSeconds: usage.ru_stime.seconds,
        endedAt: now)
    }
    ended.signal()
  }

  /// The exit of the program; nil while it runs.
  var exit: Exit? { end.withLock { $0 } }

  /// Waits for the end, at most `seconds`.
  func wait(seconds: Double) -> Exit? {
    guard ended.wait(timeout: .now() + seconds) == .success else { return nil }
    ended.signal()
    return exit
  }

  /// Waits for the end, and kills the program after `seconds`.
  func waitOrKill(seconds: Double) throws -> Exit {
    if let exit = wait(seconds: seconds) { return exit }
    signal(SIGKILL)
    _ = wait(seconds: 5)
    throw BenchError("\(name) did not end within \(Int(seconds)) s")
  }

  /// Sends SIGTERM and, if the program runs 5 s later, SIGKILL.
  func terminate() throws -> Exit {
    signal(SIGTERM)
    if let exit = wait(seconds: 5) { return exit }
    signal(SIGKILL)
    guard let exit = wait(seconds: 5) else { throw BenchError("\(name) cannot be ended") }
    return exit
  }

  /// Creates an error with the program's exit status and its last line on standard error.
  func failure(_ what: String, _ exit: Exit) -> BenchError {
    let said = (try? String(contentsOfFile: log, encoding: .utf8))?.split(separator: "\n").last
    return BenchError("\(name) \(what) (\(exit.reason)\(said.map { ", \"\($0)\"" } ?? ""))")
  }

  private func signal(_ number: Int32) {
    end.withLock { if $0 == nil { kill(-pid, number) } }
  }

  /// The peak memory of the running program in KiB: VmHWM, which starts from zero at exec. The `ru_maxrss` of
  /// wait4 does not: a program started by vfork inherits the size of its parent (this one, with seconds of
  /// captured sound), which hides small players.
  var peakKiB: Int? { memoryKiB("VmHWM") }

  /// The resident memory of the running program, in KiB.
  var residentKiB: Int? { memoryKiB("VmRSS") }

  private func memoryKiB(_ name: String) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line?.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }.first
  }

  /// The CPU time of the running program in seconds: all threads, without children.
  var cpuSeconds: Double? {
    end.withLock { end in
      var clock = clockid_t()
      var time = timespec()
      guard end == nil, clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else {
        return nil
      }
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
  }
}

extension timeval {
  fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}
