import CThreads
import Glibc
import SystemSupport

/// A sparse, unnamed file for the bytes of one medium, which the system deletes when it is closed, at the
/// latest with the process.
struct CacheFile: ~Copyable {
  private let descriptor: Int32

  /// The value of O_TMPFILE, which the system headers hide.
  private static let nameless = Int32(0o20_000_000) | O_DIRECTORY

  /// Creates a file in the first folder that allows it; nil if none does. A missing folder is created with access for
  /// the user only, if its parent exists.
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

  /// Writes all bytes. Returns false if the disk refuses them.
  func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
    WholeTransfer.write(bytes, to: descriptor, at: offset) == nil
  }

  /// Fills the buffer and returns the number of bytes, smaller than the buffer only at the end of the file or
  /// after an error.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
    WholeTransfer.read(into: buffer, from: descriptor, at: offset)
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
