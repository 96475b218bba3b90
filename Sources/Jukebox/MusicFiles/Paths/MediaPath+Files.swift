import Glibc
package import SystemSupport

extension FileBytes {
  /// Returns the contents of a regular file of at most `limit` bytes. Refuses a pipe without waiting for it.
  /// Blocks.
  package static func read(_ path: MediaPath, limit: Int) throws(Problem) -> [UInt8] {
    try path.withCString { name throws(Problem) in try read(name, limit: limit) }
  }

  /// Returns at most `count` bytes of a regular file from `offset` on, and the file's size. Blocks.
  package static func part(
    of path: MediaPath, from offset: Int, count: Int
  ) throws(Problem) -> (bytes: [UInt8], size: Int) {
    try path.withCString { name throws(Problem) in try part(of: name, from: offset, count: count) }
  }
}

extension FileReplacement {
  /// Writes `bytes` to the file `new`, which must not exist, and renames it to `path`. Returns nil, or the
  /// `errno` of the failure. Blocks on the disk; with `isDurable`, until the disk has stored all bytes.
  package static func write(
    _ bytes: [UInt8], to path: MediaPath, through new: MediaPath, mode: UInt32, isDurable: Bool
  ) -> Int32? {
    bytes.withUnsafeBytes { bytes in
      path.withCString { path in
        new.withCString { new in
          write(bytes, to: path, through: new, mode: mode, isFree: true, isDurable: isDurable)
        }
      }
    }
  }
}

extension MediaPath {
  /// Renames a damaged file to `NAME.damaged-1`, for a person to inspect. The last `count` - 1 files renamed
  /// earlier are kept, with higher numbers. Returns the new name. `side`: the suffix of a companion file that
  /// is renamed too, if it exists.
  package func setAside(keeping count: Int = 3, side: String? = nil) throws(FileBytes.Problem) -> MediaPath {
    func name(_ number: Int) -> MediaPath { adding(suffix: ".damaged-\(number)") }
    func moveSide(from old: MediaPath, to new: MediaPath) {
      guard let side else { return }
      let target = new.adding(suffix: side)
      _ = target.withCString { unlink($0) }
      _ = try? old.adding(suffix: side).systemCall { from in target.withCString { rename(from, $0) } }
    }
    for number in (1..<count).reversed() {
      _ = try? name(number).systemCall { from in name(number + 1).withCString { rename(from, $0) } }
      moveSide(from: name(number), to: name(number + 1))
    }
    _ = try systemCall { from in name(1).withCString { rename(from, $0) } }
    moveSide(from: self, to: name(1))
    return name(1)
  }

  /// Creates the directory, unless the name exists, and missing ones above it, with mode 0700.
  package func makeDirectory() throws(FileBytes.Problem) {
    do {
      _ = try systemCall { mkdir($0, 0o700) }
    } catch .system(EEXIST) {
      // Perhaps another process has just created it.
    } catch .system(ENOENT) where directory != self {
      try directory.makeDirectory()
      do {
        _ = try systemCall { mkdir($0, 0o700) }
      } catch .system(EEXIST) {}
    }
  }
}
