internal import Glibc

package enum FileBytes {
  package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    case system(Int32)
    /// The path names a folder, a pipe or a device.
    case notAFile
    case tooLarge(limit: Int)
    /// A folder to search is on a file system that the kernel generates.
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

  /// Returns the contents of a regular file of at most `limit` bytes. Refuses a pipe without waiting for it.
  /// Blocks.
  package static func read(_ path: UnsafePointer<CChar>, limit: Int) throws(Problem) -> [UInt8] {
    try withFile(path) { descriptor, _ throws(Problem) in try readAll(descriptor, limit: limit) }
  }

  /// Returns at most `count` bytes of a regular file from `offset` on, and the size of the file. Blocks.
  package static func part(
    of path: UnsafePointer<CChar>, from offset: Int, count: Int
  ) throws(Problem) -> (bytes: [UInt8], size: Int) {
    try withFile(path) { descriptor, size throws(Problem) in
      var bytes = [UInt8](repeating: 0, count: max(0, min(count, size - offset)))
      let read = pread(descriptor, &bytes, bytes.count, offset)
      guard read >= 0 else { throw .system(errno) }
      return (Array(bytes.prefix(read)), size)
    }
  }

  private static func withFile<Result>(
    _ path: UnsafePointer<CChar>, _ body: (_ descriptor: Int32, _ size: Int) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    // O_NONBLOCK keeps `open` from waiting for the writer of a pipe, which is refused below.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    return try body(descriptor, Int(status.st_size))
  }

  /// Returns the bytes from `descriptor` up to its end. Throws `tooLarge` above `limit` bytes. Blocks.
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
