import Glibc

/// A file under a name of its own that takes the place of another one when it is complete. Removed if it never does.
package struct NewFile: ~Copyable {
  private let path: MediaPath
  private let descriptor: Int32
  private var isInPlace = false

  /// Makes the file at `path`; nil if something has that name already. `mode` is narrowed by the process's mask. Never
  /// waits for anyone, whatever is there.
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

  /// Writes `bytes` and puts the file in the place of what is at `target`. `isDurable`: waits until the disk has them.
  /// On an error `target` is as it was.
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
