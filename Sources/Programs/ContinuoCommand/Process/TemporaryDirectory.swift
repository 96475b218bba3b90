import Glibc
import MusicFiles

/// A directory that is removed at the end of the process.
enum TemporaryDirectory {
  /// Creates a directory that only this user can access; nil if that fails. The directory and its files are
  /// removed at the end.
  static func make() -> MediaPath? {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    return CleanUp.adding {
      var template = Array("\(parent)/continuo-XXXXXX".utf8CString)
      return mkdtemp(&template) == nil ? nil : MediaPath(bytes: template.map { UInt8(bitPattern: $0) })
    } removal: { (path: MediaPath?) in
      { if let path { remove(path) } }
    }
  }

  private static func remove(_ folder: MediaPath) {
    for name in (try? FolderEntries.names(in: folder)) ?? [] {
      _ = folder.appending(name).withCString { unlink($0) }
    }
    _ = folder.withCString { rmdir($0) }
  }
}
