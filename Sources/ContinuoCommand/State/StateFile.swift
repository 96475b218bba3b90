import Glibc

/// A small file that is whole at every moment: a reader sees what it was or what it became, also when the writer is
/// killed in between. Unlike `AtomicFile` it leaves no names of chance behind when that happens, often.
struct StateFile: Sendable {
  /// Where it is.
  let path: MediaPath
  /// Whether what was written must survive the machine's end and not only the process's: a wait for the disk, some
  /// milliseconds on a solid one, far more on a card.
  let isDurable: Bool

  /// Puts `bytes` in the place of what was there. May block on the disk.
  func write(_ bytes: [UInt8]) throws(FileBytes.Problem) {
    // One writer at a time has the directory (`StateDirectory`), so the name is free, or left by one that was killed.
    let new = MediaPath(bytes: path.bytes + Array(".new".utf8))
    let descriptor = try new.systemCall {
      open($0, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    do {
      defer { close(descriptor) }
      try AtomicFile.writeAll(bytes, to: descriptor)
      if isDurable, fdatasync(descriptor) != 0 { throw FileBytes.Problem.system(errno) }
    } catch {
      _ = try? new.systemCall { unlink($0) }
      throw error as? FileBytes.Problem ?? .system(EIO)
    }
    _ = try new.systemCall { from in path.withCString { rename(from, $0) } }
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
