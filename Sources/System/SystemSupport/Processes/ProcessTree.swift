package import Glibc

/// A process that leads a session of its own, and its descendants according to /proc, also those in other process
/// groups and sessions.
///
/// An orphan stays a descendant if the calling process adopts orphans (`ChildProcess.adoptOrphans`): then all
/// children of the calling process in foreign sessions belong to the tree, and are reaped here after their
/// end.
///
/// The methods block for a few reads of /proc for each thread of the tree; `killAll` also sleeps between
/// passes.
package struct ProcessTree: Hashable, Sendable {
  /// The first process, whose number is also that of its session and group.
  package let root: pid_t
  private let hasAdopted: Bool

  /// - Parameters:
  ///   - root: the first process.
  ///   - hasAdopted: whether the calling process adopts the orphans of this tree, and of no other.
  package init(_ root: pid_t, hasAdopted: Bool = false) {
    self.root = root
    self.hasAdopted = hasAdopted
  }

  /// Sends a signal to all processes. Members of the first process's group, except that process, receive the signal
  /// twice.
  package func signal(_ number: Int32) {
    // The first process group gets the signal at once, even without /proc.
    kill(-root, number)
    for process in walk().all where process != root { kill(process, number) }
  }

  /// Stops the processes with a running thread. Returns whether there were none. Without /proc, returns false until the
  /// first process was reaped.
  package func stop() -> Bool {
    // The first process group gets the signal at once, even without /proc.
    kill(-root, SIGSTOP)
    let running = walk().running
    for process in running { kill(process, SIGSTOP) }
    return running.isEmpty
  }

  /// Kills all processes but the calling one, also those that start meanwhile, in at most `passes` passes.
  package func killAll(passes: Int = 100) {
    for _ in 0..<passes {
      // All are listed before any is killed, because a killed process's children get another parent.
      let others = walk().all.filter { $0 != getpid() && !Self.hasEnded($0) }
      // The first process group is killed even without /proc.
      if getsid(0) != root { kill(-root, SIGKILL) }
      if others.isEmpty { return }
      for process in others { kill(process, SIGKILL) }
      usleep(500)
    }
  }

  /// Reaps the adopted processes that have ended.
  package func reapAdopted() { _ = adopted }

  /// Returns all processes, and those that were neither stopped nor ended. If none of the latter exists,
  /// `all` is complete.
  private func walk() -> (all: [pid_t], running: [pid_t]) {
    var all = [root]
    var running: [pid_t] = []
    var next = 0
    repeat {
      while next < all.count {
        let threads = Self.numbers(in: "/proc/\(all[next])/task")
        // The state comes first: a process that is stopped gets no further children.
        if !Self.isStill(all[next], threads) { running.append(all[next]) }
        all += Self.children(of: all[next], threads ?? [])
        next += 1
      }
      // Adopted processes come last, because they include the children of processes that had ended before
      // their visit.
      all += adopted.filter { !all.contains($0) }
    } while next < all.count
    return (all, running)
  }

  /// The running and stopped children of the calling process in foreign sessions, except the first process.
  /// The getter reaps those that have ended.
  private var adopted: [pid_t] {
    guard hasAdopted else { return [] }
    // The kernel gives orphans to the first thread, as long as that lives.
    return Self.children(of: getpid(), [getpid()]).filter { child in
      child != root && getsid(child) != getsid(0) && waitpid(child, nil, WNOHANG) == 0
    }
  }

  // MARK: /proc

  /// Whether all threads are stopped, also by a debugger, or have ended. A thread in an uninterruptible wait counts as
  /// stopped if another thread is stopped or SIGSTOP is pending. It then stops before it returns to the program. For
  /// example, the parent of a vfork(2) is in that state while its child is stopped before its exec.
  private static func isStill(_ process: pid_t, _ threads: [pid_t]?) -> Bool {
    guard let threads else { return hasEnded(process) }
    let states = threads.compactMap { status(of: "/proc/\(process)/task/\($0)/stat")?.state }
    func stops() -> Bool { states.contains(UInt8(ascii: "T")) || awaitsStop(process) }
    return states.allSatisfy { "TtZXx".utf8.contains($0) || $0 == UInt8(ascii: "D") && stops() }
  }

  /// Whether SIGSTOP is pending.
  private static func awaitsStop(_ process: pid_t) -> Bool {
    let fields = bytes(of: "/proc/\(process)/status").split { [9, 10].contains($0) }
    guard let index = fields.firstIndex(where: { $0.elementsEqual("ShdPnd:".utf8) }),
      index + 1 < fields.count,
      let signals = UInt64(String(decoding: fields[index + 1], as: UTF8.self), radix: 16)
    else { return false }
    return signals & 1 << UInt64(SIGSTOP - 1) != 0
  }

  private static func hasEnded(_ process: pid_t) -> Bool {
    guard let status = status(of: "/proc/\(process)/stat") else { return kill(process, 0) != 0 }
    return "ZXx".utf8.contains(status.state)
  }

  /// Whether the kernel lists the children of a thread (CONFIG_PROC_CHILDREN).
  private static let listsChildren = access("/proc/thread-self/children", R_OK) == 0

  private static func children(of process: pid_t, _ threads: [pid_t]) -> [pid_t] {
    guard listsChildren else {
      return (numbers(in: "/proc") ?? []).filter { status(of: "/proc/\($0)/stat")?.parent == process }
    }
    return threads.flatMap { thread in
      let list = bytes(of: "/proc/\(process)/task/\(thread)/children")
      return list.split(separator: UInt8(ascii: " ")).compactMap {
        pid_t(String(decoding: $0, as: UTF8.self))
      }
    }
  }

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

  private static func status(of path: String) -> (state: UInt8, parent: pid_t)? {
    // The name, in brackets, may contain anything. State and parent follow it.
    let bytes = bytes(of: path)
    guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard fields.count > 2, let state = fields[0].first,
      let parent = pid_t(String(decoding: fields[1], as: UTF8.self))
    else { return nil }
    return (state, parent)
  }

  /// Returns the contents of a file; nothing if it cannot be read.
  private static func bytes(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { piece in
      while case let count = read(descriptor, piece.baseAddress, piece.count), count > 0 {
        bytes += piece[..<count]
      }
      return bytes
    }
  }
}
