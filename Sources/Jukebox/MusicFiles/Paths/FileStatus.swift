import Glibc
package import SystemSupport

package struct FileStatus {
  package struct Identity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
  }

  package let identity: Identity
  /// The type: the bits of the mode under `S_IFMT`, such as `S_IFREG`.
  package let type: UInt32
  package let permissions: UInt32
  package let size: Int64
  /// The time of the last modification, in nanoseconds since 1970; limited to the range of the type.
  package let changed: Int64
  /// The time of the last modification, in seconds since 1970.
  package let modified: Int64

  /// Reads the status of the file at a path, with links followed. Blocks on the disk.
  package init(of path: MediaPath) throws(FileBytes.Problem) {
    var status = stat()
    _ = try path.systemCall { stat($0, &status) }
    self.init(status)
  }

  /// Reads the status of the file or link at a path. Blocks on the disk.
  package init(ofLinkOrFile path: MediaPath) throws(FileBytes.Problem) {
    var status = stat()
    _ = try path.systemCall { lstat($0, &status) }
    self.init(status)
  }

  /// Reads the status of an open file; nil if the descriptor is invalid.
  package init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    type = status.st_mode & S_IFMT
    permissions = status.st_mode & 0o777
    size = Int64(status.st_size)
    modified = Int64(status.st_mtim.tv_sec)
    // File systems have dates outside the years 1678 to 2261, which are the range of an `Int64`.
    let seconds = min(max(modified, -9_223_372_036), 9_223_372_035)
    changed = seconds * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
  }
}
