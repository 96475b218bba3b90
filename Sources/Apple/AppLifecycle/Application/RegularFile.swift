import Glibc

/// An error while reading a file.
package struct RegularFileError: Error, Hashable, Sendable {
  /// The system's message, or a short description of the fault.
  package let reason: String
}

/// Reads files named by the user.
package enum RegularFile {
  /// Returns the content of a file of at most `limit` bytes, a multiple of 1 MiB. A pipe is refused without
  /// waiting. Blocks while the file is read.
  package static func bytes(
    of path: UnsafePointer<CChar>, limit: Int
  ) throws(RegularFileError) -> [UInt8] {
    // O_NONBLOCK keeps `open` from waiting for the writer of a pipe. The pipe is refused below.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw systemError }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw systemError }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw RegularFileError(reason: "not a regular file")
    }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw systemError }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else {
        throw RegularFileError(reason: "larger than \(limit >> 20) MiB")
      }
      bytes += block[..<count]
    }
  }

  /// The message for `errno`, with a lower-case first letter like all reasons here.
  private static var systemError: RegularFileError {
    let text = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
    return RegularFileError(reason: text.prefix(1).lowercased() + text.dropFirst())
  }
}
