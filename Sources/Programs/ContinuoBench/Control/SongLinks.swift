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

  /// Returns the size of the ID3v2 tag at the start of a song; 0 without one.
  static func tagSize(_ song: [UInt8]) -> Int {
    guard song.count >= 10, song.starts(with: "ID3".utf8) else { return 0 }
    // Four bytes of seven bits each.
    return 10 + song[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
  }

  /// Copies the tags of a song and the first part of its sound to a file.
  static func shortened(_ file: String, to path: String) throws -> String {
    guard let handle = FileHandle(forReadingAtPath: file), let header = try handle.read(upToCount: 10) else {
      throw BenchError("cannot read \(file)")
    }
    defer { try? handle.close() }
    guard let rest = try handle.read(upToCount: max(0, tagSize([UInt8](header)) - 10) + shortSize) else {
      throw BenchError("\(file) is too short")
    }
    try (header + rest).write(to: URL(fileURLWithPath: path))
    return path
  }
}
