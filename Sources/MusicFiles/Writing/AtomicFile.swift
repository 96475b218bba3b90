import Glibc

/// Writes files so that a reader finds the old content or the new one, and never a part.
package enum AtomicFile {
  /// Finds out whether `write` will be able to put a file at `path`, without touching what is there. May block on
  /// the disk.
  package static func check(_ path: MediaPath) throws(FileBytes.Problem) {
    _ = try newFile(beside: resolved(path), mode: 0o600)
  }

  /// Writes `bytes` to a file of its own beside `path` and gives it that name. `mode` is narrowed by the process's
  /// mask. A link is followed, so that what it points to is replaced. `isDurable`: waits until the disk has the bytes. On
  /// an error everything is as it was. May block on the disk.
  package static func write(
    _ bytes: some Collection<UInt8>, to path: MediaPath, mode: UInt32, isDurable: Bool = false
  ) throws(FileBytes.Problem) {
    let target = try resolved(path)
    var file = try newFile(beside: target, mode: mode)
    try file.replace(target, with: Array(bytes), isDurable: isDurable)
  }

  /// Where the file will be: the end of a chain of links. Only a regular file is replaced; a device or a pipe
  /// (`/dev/null`) would be gone afterwards.
  private static func resolved(_ path: MediaPath) throws(FileBytes.Problem) -> MediaPath {
    if path.bytes.last == UInt8(ascii: "/") { throw .system(EISDIR) }
    guard let status = try? FileStatus(of: path) else { return path }
    if status.type == S_IFDIR { throw .system(EISDIR) }
    guard status.type == S_IFREG else { throw .notAFile }
    return (try? path.resolvingLinks()) ?? path
  }

  /// As often another name is tried if somebody has taken that one.
  private static let attempts = 100

  private static func newFile(beside path: MediaPath, mode: UInt32) throws(FileBytes.Problem) -> NewFile {
    for attempt in 0..<attempts {
      let name = path.directory.appending(Array(".continuo-\(getpid())-\(attempt).tmp".utf8))
      if let file = try NewFile(name, mode: mode) { return file }
    }
    throw .system(EEXIST)
  }
}
