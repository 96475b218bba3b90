package import Glibc

/// A process group, and its state according to /proc.
package struct ProcessGroup: Hashable, Sendable {
  /// The number of the group: the process identifier of its first process, if that made the group.
  package let number: pid_t

  package init(_ number: pid_t) { self.number = number }

  /// Sends a signal to all processes of the group. No effect without one.
  package func signal(_ number: Int32) { kill(-self.number, number) }

  /// Whether every thread of the group is stopped or has ended. False also without /proc. Blocks for
  /// a few milliseconds.
  package var stands: Bool {
    guard let processes = Self.numbers(in: "/proc") else { return false }
    return processes.allSatisfy { process in
      // A process that ends meanwhile has no file any more.
      guard Self.status(of: "/proc/\(process)/stat")?.group == number else { return true }
      return (Self.numbers(in: "/proc/\(process)/task") ?? []).allSatisfy { thread in
        let state = Self.status(of: "/proc/\(process)/task/\(thread)/stat")?.state
        return state.map(Self.standing.contains) ?? true
      }
    }
  }

  /// The letters of proc(5) for threads that are stopped, also by a debugger, or have ended.
  private static let standing = Set("TtZXx".utf8)

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

  private static func status(of path: String) -> (state: UInt8, group: pid_t)? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = read(descriptor, &bytes, bytes.count)
    // The name, in brackets, may contain anything. State, parent and group follow it.
    guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = bytes[..<count].dropFirst(end + 1).split(separator: UInt8(ascii: " "))
    guard fields.count > 2, let state = fields[0].first,
      let group = pid_t(String(decoding: fields[2], as: UTF8.self))
    else { return nil }
    return (state, group)
  }
}
