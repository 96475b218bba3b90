import Glibc
package import SystemSupport

/// Replaces files atomically: a reader finds the old content or the new one, and never a part.
package enum AtomicFile {
  /// Checks, without touching an existing file, that `write` can create one at `path`. May block on the disk.
  package static func check(_ path: MediaPath) throws(FileBytes.Problem) {
    try withNewName(beside: resolved(path)) { $0.withCString { FileReplacement.check($0) } }
  }

  /// Writes `bytes` to a temporary file beside `path` and renames it to `path`. If `path` is a link to a
  /// file, that file is replaced. The permissions are `mode`, reduced by the process's umask. With
  /// `isDurable` the call returns after the disk has stored the bytes and the new name. After an error the
  /// existing file is unchanged, unless the error was to synchronize the folder after the renaming. May block
  /// on the disk.
  package static func write(
    _ bytes: some Collection<UInt8>, to path: MediaPath, mode: UInt32, isDurable: Bool = false
  ) throws(FileBytes.Problem) {
    let target = try resolved(path)
    let bytes = Array(bytes)
    try withNewName(beside: target) {
      FileReplacement.write(bytes, to: target, through: $0, mode: mode, isDurable: isDurable)
    }
  }

  /// Returns the path to replace: the file at the end of a chain of links, or `path` if no file exists.
  /// Refuses devices and pipes such as `/dev/null`, which the rename would destroy.
  private static func resolved(_ path: MediaPath) throws(FileBytes.Problem) -> MediaPath {
    if path.bytes.last == UInt8(ascii: "/") { throw .system(EISDIR) }
    guard let status = try? FileStatus(of: path) else { return path }
    if status.type == S_IFDIR { throw .system(EISDIR) }
    guard status.type == S_IFREG else { throw .notAFile }
    return (try? path.resolvingLinks()) ?? path
  }

  private static let attempts = 100

  /// Calls `body` with temporary names until one is free. `body` returns EEXIST for a name that is not free.
  private static func withNewName(
    beside path: MediaPath, _ body: (MediaPath) -> Int32?
  ) throws(FileBytes.Problem) {
    for attempt in 0..<attempts {
      let name = path.directory.appending(Array(".continuo-\(getpid())-\(attempt).tmp".utf8))
      guard let error = body(name) else { return }
      if error != EEXIST { throw .system(error) }
    }
    throw .system(EEXIST)
  }
}
