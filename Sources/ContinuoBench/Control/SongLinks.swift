import Foundation

/// Many songs that take no room: links to few files.
enum SongLinks {
  /// Bytes of sound in the short song: a second or two, so that reading it costs a server little.
  private static let shortSize = 32 * 1024
  /// Names of one file: below what file systems allow.
  static let nameLimit = 10_000

  /// Makes so many names for the files, in turn, in a new folder.
  static func make(_ count: Int, of files: [String], in folder: String) throws -> [String] {
    guard mkdir(folder, 0o700) == 0 else { throw BenchError("cannot make \(folder)") }
    return try (0..<count).map { index in
      let file = files[index % files.count]
      let name = "\(folder)/\(index).mp3"
      // A file system of another disk, or one that is strict about hard links, takes symbolic ones.
      guard link(file, name) == 0 || symlink(file, name) == 0 else {
        throw BenchError("cannot link \(name): \(String(cString: strerror(errno)))")
      }
      return name
    }
  }

  /// The tags of a song and the first part of its sound, as a file of its own.
  static func shortened(_ file: String, to path: String) throws -> String {
    guard let handle = FileHandle(forReadingAtPath: file), let header = try handle.read(upToCount: 10) else {
      throw BenchError("cannot read \(file)")
    }
    defer { try? handle.close() }
    // An ID3v2 tag says its size in four bytes of seven bits each.
    let isTagged = header.count == 10 && header.starts(with: Array("ID3".utf8))
    let tagSize = isTagged ? header[6...9].reduce(0) { $0 << 7 | Int($1 & 0x7F) } : 0
    guard let rest = try handle.read(upToCount: tagSize + shortSize) else {
      throw BenchError("\(file) is too short")
    }
    try (header + rest).write(to: URL(fileURLWithPath: path))
    return path
  }
}
