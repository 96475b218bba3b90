import Glibc

/// Reads small files completely.
package enum FileBytes {
  /// A reason why a file was not read.
  package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// A system call failed with this `errno`.
    case system(Int32)
    /// The path is that of a folder, a pipe or a device.
    case notAFile
    /// The file has more bytes than the caller's limit.
    case tooLarge(limit: Int)
    /// The folder is on a file system that the kernel generates.
    case ofTheKernel
    /// Reading was interrupted, for this reason.
    case interrupted(String)

    package var description: String {
      switch self {
      case .system(let code): SystemError.text(code)
      case .notAFile: "not a regular file"
      case .tooLarge(let limit): "larger than \(limit >> 20) MiB"
      case .ofTheKernel: "the kernel's own files (as in /proc, /sys and /dev) are not read"
      case .interrupted(let reason): reason
      }
    }
  }

  /// Reads a regular file of at most `limit` bytes. Refuses a pipe and does not wait for it.
  package static func read(_ path: MediaPath, limit: Int) throws(Problem) -> [UInt8] {
    let descriptor = try path.systemCall { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    return try readAll(descriptor, limit: limit)
  }

  /// Reads at most `count` bytes of a regular file from `offset` on. Returns the bytes and the size of the
  /// whole file.
  package static func part(
    of path: MediaPath, from offset: Int, count: Int
  ) throws(Problem) -> (bytes: [UInt8], size: Int) {
    let descriptor = try path.systemCall { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    defer { close(descriptor) }
    guard let status = FileStatus(of: descriptor), status.type == S_IFREG else { throw .notAFile }
    var bytes = [UInt8](repeating: 0, count: max(0, min(count, Int(status.size) - offset)))
    let read = pread(descriptor, &bytes, bytes.count, offset)
    guard read >= 0 else { throw .system(errno) }
    return (Array(bytes.prefix(read)), Int(status.size))
  }

  /// Reads from `descriptor` until its end, at most `limit` bytes. Blocks.
  package static func readAll(_ descriptor: Int32, limit: Int) throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &block, block.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw .system(errno)
      }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else { throw .tooLarge(limit: limit) }
      bytes += block[..<count]
    }
  }
}

/// Messages for values of `errno`.
package enum SystemError {
  /// The system's message for this `errno`, starting in lower case like all reasons here.
  package static func text(_ code: Int32) -> String {
    let text = strerror(code).map { String(cString: $0) } ?? "error \(code)"
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
