import CThreads
import Glibc

/// A sparse file without a name, for the bytes of one medium. Nothing is left of it when the process ends, however it ends.
struct CacheFile: ~Copyable {
  private let descriptor: Int32

  /// O_TMPFILE, which the system's headers hide.
  private static let nameless = Int32(0o20_000_000) | O_DIRECTORY

  /// A file in the first of these folders that takes one; nil if none does. A folder that is not there is made, for its
  /// user alone.
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

  /// Writes all of it; false if the disk does not take it.
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

  /// Fills the buffer; how many bytes that were, fewer only where the disk fails.
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

  /// Gives the space of a range back, where the file system can.
  func discard(_ range: Range<Int64>) {
    _ = continuo_fallocate(descriptor, 3, Int(range.lowerBound), Int(range.upperBound - range.lowerBound))
  }

  /// Bytes that the disk has free for this user.
  var freeSpace: Int64 {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return 0 }
    return Int64(
      clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }
}
