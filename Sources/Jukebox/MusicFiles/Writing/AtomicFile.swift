import Glibc

/// Replaces files atomically: a reader finds the old content or the new one, and never a part.
package enum AtomicFile {
  /// Checks that `write` can create a file at `path`, without touching an existing file. May block on the
  /// disk.
  package static func check(_ path: MediaPath) throws(FileBytes.Problem) {
    _ = try newFile(beside: resolved(path), mode: 0o600)
  }

  /// Writes `bytes` to a temporary file beside `path` and renames it to `path`. If `path` is a link, its
  /// target is replaced. The permissions are `mode`, reduced by the process's umask. With `isDurable` the call returns
  /// after the disk has stored the bytes. An error leaves the existing file unchanged. May block on the disk.
  package static func write(
    _ bytes: some Collection<UInt8>, to path: MediaPath, mode: UInt32, isDurable: Bool = false
  ) throws(FileBytes.Problem) {
    let target = try resolved(path)
    var file = try newFile(beside: target, mode: mode)
    try file.replace(target, with: Array(bytes), isDurable: isDurable)
  }

  /// Returns the path to replace: the end of a chain of links. Refuses devices and pipes such as `/dev/null`,
  /// which the rename would destroy.
  private static func resolved(_ path: MediaPath) throws(FileBytes.Problem) -> MediaPath {
    if path.bytes.last == UInt8(ascii: "/") { throw .system(EISDIR) }
    guard let status = try? FileStatus(of: path) else { return path }
    if status.type == S_IFDIR { throw .system(EISDIR) }
    guard status.type == S_IFREG else { throw .notAFile }
    return (try? path.resolvingLinks()) ?? path
  }

  /// The maximum number of temporary names that are tried if others exist already.
  private static let attempts = 100

  private static func newFile(beside path: MediaPath, mode: UInt32) throws(FileBytes.Problem) -> NewFile {
    for attempt in 0..<attempts {
      let name = path.directory.appending(Array(".continuo-\(getpid())-\(attempt).tmp".utf8))
      if let file = try NewFile(name, mode: mode) { return file }
    }
    throw .system(EEXIST)
  }
}
