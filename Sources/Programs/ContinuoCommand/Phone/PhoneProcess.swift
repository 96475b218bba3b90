import AppLifecycle
import Clocks
import Foundation
import Glibc
import Synchronization
import SystemSupport

/// The processes of a phone's program: the first, which the phone starts, and its children. They are a process
/// group of their own, and end with the phone, however that ends.
final class PhoneProcess: Sendable {
  let group: ProcessGroup
  /// The phone's end of the link.
  let link: Int32
  private let guardian: Guardian?
  private let waiter = Mutex<(any Worker)?>(nil)
  private let hasEnded = Mutex(false)

  /// Starts a program. Call on the main thread.
  ///
  /// - Parameters:
  ///   - modes: the background modes of the program; nil leaves them to it.
  ///   - takesInput: whether the program gets this process's standard input.
  ///   - onEnd: called on a thread of its own once the first process has ended, with this object.
  init(
    _ arguments: [String], modes: BackgroundModes?, takesInput: Bool,
    onEnd: @escaping @Sendable (PhoneProcess) -> Void
  ) throws(SystemCallError) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemCallError("socketpair") }
    defer { close(ends[1]) }
    let value = "\(ends[1]):\(getpid()):\(modes.map { "\($0)" } ?? "")"
    do throws(SystemCallError) {
      let identifier = try ChildProcess.start(
        arguments,
        environment: ProcessInfo.processInfo.environment
          .merging([PhoneLink.variable: value]) { $1 }.map { "\($0)=\($1)" },
        input: takesInput ? .inherited : .null, output: .inherited, group: 0, passing: ends[1])
      group = ProcessGroup(identifier)
    } catch {
      close(ends[0])
      throw error
    }
    link = ends[0]
    guardian = Guardian(of: group)
    let worker = SystemClock.shared.makeWorker("continuo-child") { [weak self, group] in
      ChildProcess.awaitEnd(of: group.number)
      if let self { onEnd(self) }
      return .whenSignalled
    }
    waiter.withLock { $0 = worker }
  }

  /// Kills all processes, waits for the end of the first and of the guardian, and closes the link. Returns how
  /// the first process has ended; nil on a second call. Any thread.
  @discardableResult
  func end() -> PhoneMachine.End? {
    let isFirst = hasEnded.withLock { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
    }
    guard isFirst else { return nil }
    // Before the first process is reaped: until then no other group can get the number.
    group.signal(SIGKILL)
    let status = ChildProcess.reap(group.number)
    guardian?.dismiss()
    close(link)
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
  }
}

/// A small shell that outlives this process and then kills a process group. Its input is the end of a socket
/// pair whose other end only this process holds, which closes with it.
private struct Guardian: Sendable {
  private let identifier: pid_t
  private let lifeline: Int32

  private static let script = "trap '' HUP INT TERM; read word; kill -s KILL -- \"-$1\""

  /// Starts a guardian; nil if the system gives no process. The group's first process then ends with this one
  /// if it has a link.
  init?(of group: ProcessGroup) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      return nil
    }
    defer { close(ends[0]) }
    lifeline = ends[1]
    do throws(SystemCallError) {
      identifier = try ChildProcess.start(
        ["/bin/sh", "-c", Self.script, "sh", "\(group.number)"], environment: ["PATH=/usr/bin:/bin"],
        input: .descriptor(ends[0]), output: .log("/dev/null"), group: 0)
    } catch {
      close(ends[1])
      return nil
    }
  }

  func dismiss() {
    kill(identifier, SIGKILL)
    ChildProcess.reap(identifier)
    close(lifeline)
  }
}
