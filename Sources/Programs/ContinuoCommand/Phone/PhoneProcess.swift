import AppLifecycle
import Clocks
import Dispatch
import Foundation
import Glibc
import MusicFiles
import Synchronization
import SystemSupport

/// The end of a program's first process.
enum ProcessEnd: Hashable {
  case exited(Int32)
  case killed(signal: Int32)
}

/// The processes of a phone's program: the first, which the phone starts in a session of its own, and its
/// descendants. They end with the phone; if the phone is killed, a `Guardian` ends them.
final class PhoneProcess: Sendable {
  let tree: ProcessTree
  /// The phone's end of the link.
  let link: Int32
  /// The phone's end of the socket for background transfers. The `TransferHost` that gets the descriptor closes
  /// it.
  let transfers: Int32
  private let guardian: Guardian?
  private let waiter = Mutex<(any Worker)?>(nil)
  private let hasEnded = Mutex(false)

  /// Starts a program. Call on the main thread.
  ///
  /// - Parameters:
  ///   - arguments: the program and its arguments, in the text form of `RawArguments`.
  ///   - modes: the background modes of the program; nil leaves them to the program.
  ///   - launchesInBackground: whether an event that the phone sends launches the application in the background.
  ///   - takesInput: whether the program gets this process's standard input.
  ///   - onEnd: called on a thread of its own once the first process has ended, with this object.
  init(
    _ arguments: [String], modes: BackgroundModes?, launchesInBackground: Bool, takesInput: Bool,
    onEnd: @escaping @Sendable (PhoneProcess) -> Void
  ) throws(SystemCallError) {
    let link = try Self.pair(SOCK_SEQPACKET)
    defer { close(link.child) }
    let transfers: (own: Int32, child: Int32)
    do throws(SystemCallError) {
      transfers = try Self.pair(SOCK_STREAM)
    } catch {
      close(link.own)
      throw error
    }
    defer { close(transfers.child) }
    guardian = Guardian()
    // Only this thread starts processes, so that only the program inherits the descriptor.
    _ = fcntl(transfers.child, F_SETFD, 0)
    let invitation = PhoneInvitation(
      link: link.child, transfers: transfers.child, phone: getpid(),
      launchesInBackground: launchesInBackground, modes: modes)
    // Before the start: a descendant that is orphaned earlier would never belong to the tree.
    let hasAdopted = ChildProcess.adoptOrphans()
    let mark = "\(PhoneLink.variable)=\(invitation)"
    do throws(SystemCallError) {
      let identifier = try ChildProcess.start(
        arguments.map { RawArguments.bytes(of: $0).bytes },
        environment: ProcessInfo.processInfo.environment
          .merging([PhoneLink.variable: "\(invitation)"]) { $1 }.map { "\($0)=\($1)" },
        input: takesInput ? .inherited : .null, output: .inherited, group: nil, passing: link.child)
      tree = ProcessTree(identifier, hasAdopted: hasAdopted)
    } catch {
      for end in [link.own, transfers.own] { close(end) }
      guardian?.dismiss()
      throw error
    }
    guardian?.guards(tree, mark: mark)
    (self.link, self.transfers) = (link.own, transfers.own)
    let worker = SystemClock.shared.makeWorker("continuo-child") { [weak self, tree] in
      ChildProcess.awaitEnd(of: tree.root) { tree.reapAdopted() }
      if let self { onEnd(self) }
      return .whenSignalled
    }
    waiter.withLock { $0 = worker }
  }

  private static func pair(_ kind: __socket_type) throws(SystemCallError) -> (own: Int32, child: Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SystemCallError("socketpair")
    }
    return (ends[0], ends[1])
  }

  /// Kills all processes, waits for the end of the first and of the guardian, and closes the link. Returns the
  /// end of the first process. A second call returns nil without waiting. Any thread.
  @discardableResult
  func end() -> ProcessEnd? {
    let isFirst = hasEnded.withLock { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
    }
    guard isFirst else { return nil }
    // Killed before the first process is reaped, because until then no other session can get the number.
    tree.killAll()
    let status = ChildProcess.reap(tree.root)
    // The killed descendants became children of this process when their parents were killed.
    tree.reapAdopted()
    guardian?.dismiss()
    close(link)
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
  }
}

/// The process that the clean-up ends, on any thread.
final class RunningProcess: Sendable {
  private let process = Mutex<PhoneProcess?>(nil)
  /// Entered while the process and its transfers end, for which a slow disk may need longer than `Signals` waits.
  let ending = DispatchGroup()

  func replace(with next: PhoneProcess?) {
    var next = next
    // The old process is released outside the lock.
    process.withLock { swap(&$0, &next) }
  }

  /// Ends the process. If `PhoneRun.end` is ending the process and its transfers on another thread, waits for that,
  /// at most 10 s.
  @Sendable func end() {
    process.withLock { $0 }?.end()
    _ = ending.wait(timeout: .now() + 10)
  }
}

/// A shell that outlives this process and then kills the program's processes. The shell's input is one end of a
/// socket pair. Only the phone's process holds the other end, which closes when that process ends.
private struct Guardian: Sendable {
  private let identifier: pid_t
  private let lifeline: Int32

  /// Waits for the end of its input. Then kills the processes of the session, and all processes whose environment
  /// contains the mark, until a pass finds none. Once the parents and the phone have ended, only the mark
  /// identifies descendants that have left the session.
  private static let script = """
    trap '' HUP INT TERM
    read -r session || exit
    read -r mark
    read -r word
    kill -s KILL -- "-$session"
    found=yes
    while [ "$found" ]; do
      found=
      for file in /proc/[0-9]*/stat; do
        read -r line 2> /dev/null < "$file" || continue
        set -- ${line##*) }
        [ "$4" = "$session" ] && [ "$1" != Z ] && [ "$1" != X ] || continue
        found=yes
        process=${file#/proc/}
        kill -s KILL "${process%/stat}"
      done
      for file in $(grep -lsF -e "$mark" /proc/[0-9]*/environ); do
        process=${file#/proc/}
        kill -s KILL "${process%/environ}" && found=yes
      done
    done
    """

  /// Starts a guardian; nil if the system provides no socket pair or process. Without a guardian, only a program
  /// with a link ends with a killed phone.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      return nil
    }
    defer { close(ends[0]) }
    lifeline = ends[1]
    do throws(SystemCallError) {
      identifier = try ChildProcess.start(
        ["/bin/sh", "-c", Self.script, "continuo-guardian"], environment: ["PATH=/usr/bin:/bin"],
        input: .descriptor(ends[0]), output: .log("/dev/null"), group: 0)
    } catch {
      close(ends[1])
      return nil
    }
  }

  /// Sends the guardian the session to kill, and the mark of the processes that have left it.
  func guards(_ tree: ProcessTree, mark: String) {
    let lines = Array("\(tree.root)\n\(mark)\n".utf8)
    _ = send(lifeline, lines, lines.count, Int32(MSG_NOSIGNAL))
  }

  func dismiss() {
    kill(identifier, SIGKILL)
    ChildProcess.reap(identifier)
    close(lifeline)
  }
}
