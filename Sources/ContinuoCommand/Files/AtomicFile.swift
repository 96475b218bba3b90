import Glibc

/// Writes files so that a reader finds the old content or the new one, and never a part.
enum AtomicFile {
  /// Finds out whether `write` will be able to put a file at `path`, without touching what is there. May block on
  /// the disk.
  static func check(_ path: MediaPath) throws(FileBytes.Problem) {
    let target = try resolved(path)
    let temporary = try create(for: target, mode: 0o600)
    close(temporary.descriptor)
    _ = temporary.path.withCString { unlink($0) }
  }

  /// Writes `bytes` to a file of its own beside `path` and gives it that name. `mode` is narrowed by the process's
  /// mask. A link is followed, so that what it points to is replaced. On an error everything is as it was. May block
  /// on the disk.
  static func write(
    _ bytes: some Collection<UInt8>, to path: MediaPath, mode: mode_t
  ) throws(FileBytes.Problem) {
    let target = try resolved(path)
    let temporary = try create(for: target, mode: mode)
    do {
      defer { close(temporary.descriptor) }
      try writeAll(Array(bytes), to: temporary.descriptor)
    } catch {
      _ = temporary.path.withCString { unlink($0) }
      throw error
    }
    let (result, code) = temporary.path.withCString { old in
      let result = target.withCString { rename(old, $0) }
      return (result, errno)
    }
    guard result == 0 else {
      _ = temporary.path.withCString { unlink($0) }
      throw .system(code)
    }
  }

  /// Where the file will be: the end of a chain of links. Only a regular file is replaced; a device or a pipe
  /// (`/dev/null`) would be gone afterwards.
  private static func resolved(_ path: MediaPath) throws(FileBytes.Problem) -> MediaPath {
    if path.bytes.last == UInt8(ascii: "/") { throw .system(EISDIR) }
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else { return path }
    if status.st_mode & S_IFMT == S_IFDIR { throw .system(EISDIR) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    return path.withCString { name in
      guard let full = realpath(name, nil) else { return path }
      defer { free(full) }
      return MediaPath(
        bytes: UnsafeBufferPointer(start: full, count: strlen(full)).map { UInt8(bitPattern: $0) })
    }
  }

  /// As often another name is tried if somebody has taken that one.
  private static let attempts = 100

  private static func create(
    for path: MediaPath, mode: mode_t
  ) throws(FileBytes.Problem) -> (path: MediaPath, descriptor: Int32) {
    let folder = path.directory
    for attempt in 0..<attempts {
      let candidate = folder.appending(Array(".continuo-\(getpid())-\(attempt).tmp".utf8))
      do {
        let descriptor = try candidate.systemCall {
          open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        }
        return (candidate, descriptor)
      } catch .system(EEXIST) {
        continue
      }
    }
    throw .system(EEXIST)
  }

  /// Writes all of `bytes`, however often that takes.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(FileBytes.Problem) {
    var start = 0
    while start < bytes.count {
      let (count, code) = bytes[start...].withUnsafeBytes { buffer in
        let count = Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        return (count, errno)
      }
      if count > 0 {
        start += count
      } else if count == 0 {
        throw .system(EIO)
      } else if code != EINTR {
        throw .system(code)
      }
    }
  }
}
