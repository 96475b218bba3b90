import Glibc
import MusicFiles
import SystemSupport

/// A file that is replaced atomically: a reader sees the old or the new contents, even if the writer is
/// killed. Unlike `AtomicFile` it reuses the names of its new files, so that a writer that is often killed
/// does not fill the directory.
struct StateFile: Sendable {
  let path: MediaPath
  /// Whether the contents must survive a crash of the machine, not only of the process. Durable writes wait
  /// for the disk: some milliseconds on a solid-state disk, far more on a memory card.
  let isDurable: Bool

  static let nameCount = 10

  /// Replaces the contents by `bytes`. A folder, pipe or link with the name of the new file is left alone,
  /// and another name is used; these paths are returned. Throws EEXIST if all `nameCount` names are occupied. May
  /// block on the disk.
  @discardableResult
  func write(_ bytes: [UInt8]) throws(FileBytes.Problem) -> [MediaPath] {
    var others: [MediaPath] = []
    for number in 1...Self.nameCount {
      let name = path.adding(suffix: number == 1 ? ".new" : ".new-\(number)")
      // A regular file is left over from a killed writer. Only one writer at a time has the directory
      // (`StateDirectory`).
      if (try? FileStatus(ofLinkOrFile: name))?.type == S_IFREG { _ = name.withCString { unlink($0) } }
      switch FileReplacement.write(bytes, to: path, through: name, mode: 0o600, isDurable: isDurable) {
      case nil: return others
      case EEXIST: others.append(name)
      case let error?: throw .system(error)
      }
    }
    throw .system(EEXIST)
  }

  /// Whether any file, folder or link has the name.
  var exists: Bool { (try? FileStatus(ofLinkOrFile: path)) != nil }

  /// Returns the contents; nil without a file. Follows links. A folder or a pipe of that name is an error,
  /// and so are more than `limit` bytes.
  func read(limit: Int) throws(FileBytes.Problem) -> [UInt8]? {
    do {
      return try FileBytes.read(path, limit: limit)
    } catch .system(ENOENT) {
      return nil
    }
  }
}
