import Glibc
import Synchronization

/// The bytes of a download, in a named file. All calls except `count` block on the disk and are made by one
/// thread at a time.
///
/// Methods report failures by their result and `errno`.
final class DownloadFile: Sendable {
  let path: String
  private let descriptor: Int32
  private let length: Atomic<Int64>

  /// Opens the file at `path`, or creates an empty one that only its owner can read; nil if neither is
  /// possible.
  init?(path: String) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    length = Atomic(descriptor < 0 ? 0 : Int64(lseek(descriptor, 0, SEEK_END)))
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The number of bytes. Thread-safe; never blocks.
  var count: Int64 { length.load(ordering: .acquiring) }

  /// Appends bytes at the end.
  func append(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let end = count
      let written = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(end)) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return false }
      length.store(end + Int64(written), ordering: .releasing)
      rest = rest.dropFirst(written)
    }
    return true
  }

  /// Whether the bytes at `offset` equal `bytes`.
  func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
    var stored = [UInt8](repeating: 0, count: bytes.count)
    var done = 0
    while done < stored.count {
      let read = stored[done...].withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(offset) + off_t(done))
      }
      if read < 0, errno == EINTR { continue }
      guard read > 0 else { return false }
      done += read
    }
    return stored.elementsEqual(bytes)
  }

  /// Truncates the file to `count` bytes.
  func cut(to count: Int64) -> Bool {
    guard ftruncate(descriptor, off_t(count)) == 0 else { return false }
    length.store(count, ordering: .releasing)
    return true
  }
}
