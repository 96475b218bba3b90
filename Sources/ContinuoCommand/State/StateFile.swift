import Glibc
import MusicFiles

/// A small file that is whole at every moment: a reader sees what it was or what it became, also when the writer is
/// killed in between. Unlike `AtomicFile` it reuses the names of its new files, so that a writer that is killed often
/// does not fill the directory.
struct StateFile: Sendable {
  /// Where it is.
  let path: MediaPath
  /// Whether what was written must survive the machine's end and not only the process's: a wait for the disk, some
  /// milliseconds on a solid one, far more on a card.
  let isDurable: Bool

  /// How many names are tried for the new file before it has its own.
  static let nameCount = 10

  /// Puts `bytes` in the place of what was there. Returns what stood in the way of the new file and was left alone: a
  /// folder, a pipe or a link that has its name. May block on the disk.
  @discardableResult
  func write(_ bytes: [UInt8]) throws(FileBytes.Problem) -> [MediaPath] {
    var others: [MediaPath] = []
    for number in 1...Self.nameCount {
      let name = MediaPath(bytes: path.bytes + Array((number == 1 ? ".new" : ".new-\(number)").utf8))
      Self.removeLeftover(name)
      guard var new = try NewFile(name, mode: 0o600) else {
        others.append(name)
        continue
      }
      try new.replace(path, with: bytes, isDurable: isDurable)
      return others
    }
    throw .system(EEXIST)
  }

  /// One writer at a time has the directory (`StateDirectory`): a regular file of that name was left by one that was
  /// killed.
  private static func removeLeftover(_ path: MediaPath) {
    var status = stat()
    guard path.withCString({ lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    _ = path.withCString { unlink($0) }
  }

  /// Whether anything has its name.
  var exists: Bool {
    var status = stat()
    return path.withCString { lstat($0, &status) } == 0
  }

  /// What it holds; nil if there is none. A link, a folder or a pipe of that name is a problem.
  func read(limit: Int) throws(FileBytes.Problem) -> [UInt8]? {
    do {
      return try FileBytes.read(path, limit: limit)
    } catch .system(ENOENT) {
      return nil
    }
  }

  /// How many damaged files are kept for a person to look at.
  static let damagedCount = 3

  /// Gives the file another name, so that a person can look at it and the next write finds its own free. The oldest
  /// of `damagedCount` gives way. Returns the name.
  func setAside() throws(FileBytes.Problem) -> MediaPath {
    func name(_ number: Int) -> MediaPath { MediaPath(bytes: path.bytes + Array(".damaged-\(number)".utf8)) }
    for number in (1..<Self.damagedCount).reversed() {
      _ = try? name(number).systemCall { from in name(number + 1).withCString { rename(from, $0) } }
    }
    _ = try path.systemCall { from in name(1).withCString { rename(from, $0) } }
    return name(1)
  }
}
