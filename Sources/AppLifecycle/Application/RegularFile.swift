import Glibc

/// Why a file was not read.
package struct RegularFileError: Error, Hashable, Sendable {
  /// The system's message, or what is wrong with the file, in a few words.
  package let reason: String
}

/// Files that a person names.
package enum RegularFile {
  /// The content of a file of at most `limit` bytes, a multiple of 1 MiB. A pipe is refused, not waited for. Blocks while it
  /// is read.
  package static func bytes(
    of path: UnsafePointer<CChar>, limit: Int
  ) throws(RegularFileError) -> [UInt8] {
    // O_NONBLOCK: opening a pipe must not wait for a writer. The pipe is refused below.
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

  /// The message of `errno`, in lower case at its start like all reasons here.
  private static var systemError: RegularFileError {
    let text = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
    return RegularFileError(reason: text.prefix(1).lowercased() + text.dropFirst())
  }
}
