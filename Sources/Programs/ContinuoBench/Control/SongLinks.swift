import Foundation

/// Creates many songs that take no disk space: links to a few files.
enum SongLinks {
  /// The size of the short song's sound in bytes: a second or two, so that a server reads it at little cost.
  private static let shortSize = 32 * 1024
  /// The maximum number of links to one file, below the limits of file systems.
  static let nameLimit = 10_000

  /// Creates so many links to the files, in turn, in a new folder.
  static func make(_ count: Int, of files: [String], in folder: String) throws -> [String] {
    guard mkdir(folder, 0o700) == 0 else { throw BenchError("cannot make \(folder)") }
    return try (0..<count).map { index in
      let file = files[index % files.count]
      let name = "\(folder)/\(index).mp3"
      // Symbolic links serve if the file is on another disk or the system restricts hard links.
      guard link(file, name) == 0 || symlink(file, name) == 0 else {
        throw BenchError("cannot link \(name): \(String(cString: strerror(errno)))")
      }
      return name
    }
  }

  /// Copies the tags of a song and the first part of its sound to a file.
  static func shortened(_ file: String, to path: String) throws -> String {
    guard let handle = FileHandle(forReadingAtPath: file), let header = try handle.read(upToCount: 10) else {
      throw BenchError("cannot read \(file)")
    }
    defer { try? handle.close() }
    // An ID3v2 tag stores its size in four bytes of seven bits each.
    let isTagged = header.count == 10 && header.starts(with: Array("ID3".utf8))
    let tagSize = isTagged ? header[6...9].reduce(0) { $0 << 7 | Int($1 & 0x7F) } : 0
    guard let rest = try handle.read(upToCount: tagSize + shortSize) else {
      throw BenchError("\(file) is too short")
    }
    try (header + rest).write(to: URL(fileURLWithPath: path))
    return path
  }
}
