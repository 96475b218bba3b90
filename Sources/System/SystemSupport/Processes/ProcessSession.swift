package import Glibc

/// The processes of a session according to /proc: a first process and its descendants, also in process groups
/// of their own, where Foundation's `Process` puts its children. Processes that call setsid(2) leave the
/// session.
///
/// The methods block for each reading of /proc, a few milliseconds.
package struct ProcessSession: Hashable, Sendable {
  /// The number of the session: the process identifier of its first process.
  package let number: pid_t

  package init(_ number: pid_t) { self.number = number }

  /// Sends a signal to all processes that have not ended.
  package func signal(_ number: Int32) {
    // The first process group gets the signal at once, even without /proc.
    kill(-self.number, number)
    for process in members where process != self.number { kill(process, number) }
  }

  /// Stops the processes with a running thread. Returns whether there were none; false also without /proc.
  package func stop() -> Bool {
    guard let running = runningProcesses else { return false }
    for process in running { kill(process, SIGSTOP) }
    return running.isEmpty
  }

  /// Kills all processes but the calling one, also those that start meanwhile, in at most `passes` passes.
  package func killAll(passes: Int = 100) {
    if getsid(0) != number { kill(-number, SIGKILL) }
    for _ in 0..<passes {
      let others = members.filter { $0 != getpid() }
      for process in others { kill(process, SIGKILL) }
      if others.isEmpty { return }
    }
  }

  /// The processes that have not ended.
  private var members: [pid_t] {
    (Self.numbers(in: "/proc") ?? []).filter { process in
      let status = Self.status(of: "/proc/\(process)/stat")
      return status?.session == number && !Self.ended.contains(status?.state ?? 0)
    }
  }

  /// The session's processes with at least one thread that is not stopped and has not ended; nil without
  /// /proc.
  private var runningProcesses: [pid_t]? {
    Self.numbers(in: "/proc")?.filter { process in
      // A process that has ended meanwhile has no entry in /proc.
      guard Self.status(of: "/proc/\(process)/stat")?.session == number else { return false }
      return !(Self.numbers(in: "/proc/\(process)/task") ?? []).allSatisfy { thread in
        let state = Self.status(of: "/proc/\(process)/task/\(thread)/stat")?.state
        return state.map { Self.stopped.contains($0) || Self.ended.contains($0) } ?? true
      }
    }
  }

  /// The letters of proc(5) for threads that are stopped, also by a debugger, and for those that have ended.
  private static let stopped = Set("Tt".utf8)
  private static let ended = Set("ZXx".utf8)

  private static func numbers(in path: String) -> [pid_t]? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var numbers: [pid_t] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
      if let number = pid_t(String(decoding: name, as: UTF8.self)) { numbers.append(number) }
    }
    return numbers
  }

  private static func status(of path: String) -> (state: UInt8, session: pid_t)? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = read(descriptor, &bytes, bytes.count)
    // The name, in brackets, may contain anything. State, parent, group and session follow it.
    guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
    guard fields.count > 3, let state = fields[0].first,
      let session = pid_t(String(decoding: fields[3], as: UTF8.self))
    else { return nil }
    return (state, session)
  }
}
