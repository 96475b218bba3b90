import Glibc

/// A regular file as a byte source. All bytes are available, so reads never return `.notYet`.
package final class FileByteSource: ByteSource {
  /// The type of `pread`, or of a test's replacement. Returns a byte count, or a negated error number.
  package typealias ReadCall = (_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64)
    -> Int

  private let descriptor: Int32
  private let readCall: ReadCall
  package let size: Int64?
  package let isSeekable = true

  /// Opens the file at the path with the given bytes. Only regular files are accepted: `open` succeeds on a
  /// directory, and on a FIFO it would block until a writer appears. Hence O_NONBLOCK, which regular files
  /// ignore, and the type check before the first read. Throws `.notFound`, `.unreadable` or, without memory or
  /// descriptors, `.unusable` of scope `.engine`.
  package init(path: [UInt8], readCall: ReadCall? = nil) throws(DecodingError) {
    // The system would end the path at the zero byte, and the shortened path may name another file.
    guard !path.contains(0) else { throw FileByteSource.error(for: ENOENT, doing: "opened") }
    let name = path.map { CChar(bitPattern: $0) } + [0]
    let descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw FileByteSource.error(for: errno, doing: "opened") }
    var status = stat()
    let result = fstat(descriptor, &status)
    let kind = status.st_mode & S_IFMT
    guard result == 0, kind == S_IFREG else {
      let error =
        result != 0
        ? FileByteSource.error(for: errno, doing: "opened")
        : DecodingError(
          reason: .unreadable,
          message: kind == S_IFDIR ? "This is a directory, not a file." : "This is not a regular file.")
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.readCall = readCall ?? FileByteSource.pread
    size = Int64(status.st_size)
  }

  deinit { close(descriptor) }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(DecodingError) -> ByteRead {
    while true {
      let result = readCall(descriptor, buffer, offset)
      if result >= 0 { return result == 0 ? .end : .bytes(result) }
      if result != -Int(EINTR) { throw FileByteSource.error(for: Int32(-result), doing: "read") }
    }
  }

  // All bytes are available, so a file needs no requests and no callbacks.
  package func want(from offset: Int64) {}
  package func whenBytesCome(_ callback: @escaping @Sendable () -> Void) {}

  private static func pread(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64)
    -> Int
  {
    let result = Glibc.pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    return result >= 0 ? result : -Int(errno)
  }

  private static func error(for number: Int32, doing verb: String) -> DecodingError {
    switch number {
    case ENOENT, ENOTDIR: return DecodingError(reason: .notFound, message: "There is no such file.")
    default:
      let isEngine = [EMFILE, ENFILE, ENOMEM].contains(number)
      return DecodingError(
        scope: isEngine ? .engine : .item, reason: isEngine ? .unusable : .unreadable,
        message: "The file cannot be \(verb): \(String(cString: strerror(number))).")
    }
  }
}
