import Glibc
import SystemSupport

/// An open file descriptor, closed with this value. Calls may block on the disk.
struct OpenFile: ~Copyable {
  let descriptor: Int32
  private let path: String

  /// Opens `path` without following a symbolic link in its last component.
  init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(FileFailure) {
    let descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode)
    guard descriptor >= 0 else {
      throw DownloadPlace.failure(flags & O_CREAT == 0 ? "read" : "write", path)
    }
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  func status() throws(FileFailure) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw DownloadPlace.failure("read", path) }
    return status
  }

  /// Writes all bytes.
  func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(FileFailure) {
    if let error = WholeTransfer.write(bytes, to: descriptor, at: offset) {
      throw .system(doing: "write", path, code: error)
    }
  }

  func truncate(to length: Int64) throws(FileFailure) {
    guard ftruncate(descriptor, off_t(length)) == 0 else { throw DownloadPlace.failure("write", path) }
  }

  /// Waits until the disk has the bytes and, if `isWhole` is true, all metadata of the file.
  func synchronize(isWhole: Bool = false) throws(FileFailure) {
    guard (isWhole ? fsync(descriptor) : fdatasync(descriptor)) == 0 else {
      throw DownloadPlace.failure("write", path)
    }
  }
}
