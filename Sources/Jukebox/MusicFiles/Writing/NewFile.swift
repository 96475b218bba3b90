import Glibc

/// A temporary file that replaces another one when it is complete. Deleted if it never does.
package struct NewFile: ~Copyable {
  private let path: MediaPath
  private let descriptor: Int32
  private var isInPlace = false

  /// Creates the file at `path`; nil if the name exists already. `mode` is reduced by the process's umask.
  /// Never blocks on a pipe or device at `path`.
  package init?(_ path: MediaPath, mode: UInt32) throws(FileBytes.Problem) {
    do {
      descriptor = try path.systemCall {
        open($0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
      }
    } catch .system(EEXIST) {
      return nil
    }
    self.path = path
  }

  /// Writes `bytes` and renames the file to `target`. With `isDurable`, waits until the disk has stored the
  /// bytes. An error leaves `target` unchanged.
  package mutating func replace(
    _ target: MediaPath, with bytes: [UInt8], isDurable: Bool = false
  ) throws(FileBytes.Problem) {
    if let error = WholeWrite.write(bytes, to: descriptor) { throw .system(error) }
    if isDurable, fdatasync(descriptor) != 0 { throw .system(errno) }
    _ = try path.systemCall { old in target.withCString { rename(old, $0) } }
    isInPlace = true
  }

  deinit {
    close(descriptor)
    if !isInPlace { _ = path.withCString { unlink($0) } }
  }
}
