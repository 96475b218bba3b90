import CThreads
import Glibc

/// A sparse, unnamed file for the bytes of one medium. The system deletes it when the process ends, however
/// that happens.
struct CacheFile: ~Copyable {
  private let descriptor: Int32

  /// O_TMPFILE, which the system headers hide.
  private static let nameless = Int32(0o20_000_000) | O_DIRECTORY

  /// Creates a file in the first folder that permits it; nil if none does. A missing folder is created with
  /// access for the user alone.
  init?(in folders: [String]) {
    for folder in folders {
      mkdir(folder, 0o700)
      let opened = open(folder, CacheFile.nameless | O_RDWR | O_CLOEXEC, 0o600)
      guard opened >= 0 else { continue }
      descriptor = opened
      return
    }
    return nil
  }

  deinit { close(descriptor) }

  /// Writes all bytes; false if the disk refuses them.
  func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let place = off_t(offset) + off_t(rest.startIndex - bytes.startIndex)
      let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, place) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Fills the buffer and returns the number of bytes, smaller than the buffer only after a read error.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
    var filled = 0
    while filled < buffer.count, let base = buffer.baseAddress {
      let count = pread(descriptor, base + filled, buffer.count - filled, off_t(offset) + off_t(filled))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      filled += count
    }
    return filled
  }

  /// Releases the disk space of a range if the file system supports it.
  func discard(_ range: Range<Int64>) {
    _ = continuo_fallocate(descriptor, 3, Int(range.lowerBound), Int(range.upperBound - range.lowerBound))
  }

  /// The free disk space in bytes that the user may use.
  var freeSpace: Int64 {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return 0 }
    return Int64(
      clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }
}
