import Glibc

/// What a path or a descriptor leads to, links followed.
package struct FileStatus {
  /// Which file it is, whatever it is called.
  package struct Identity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
  }

  /// Which file.
  package let identity: Identity
  /// What kind: one of the `S_IFMT` values.
  package let type: UInt32
  /// Who may do what with it: the nine permission bits.
  package let permissions: UInt32
  /// How many bytes it has.
  package let size: Int64
  /// When it was changed last, in nanoseconds since 1970.
  package let changed: Int64

  /// What the path leads to. Blocks on the disk.
  package init(of path: MediaPath) throws(FileBytes.Problem) {
    var status = stat()
    _ = try path.systemCall { stat($0, &status) }
    self.init(status)
  }

  /// What is open; nil if nothing is.
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
    changed = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
  }
}
