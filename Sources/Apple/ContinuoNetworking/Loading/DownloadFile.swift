import Glibc
import Synchronization
import SystemSupport

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
    let error = WholeTransfer.write(bytes, to: descriptor, at: count)
    // A full disk may have taken some of the bytes.
    let end = error == nil ? count + Int64(bytes.count) : Int64(lseek(descriptor, 0, SEEK_END))
    length.store(end, ordering: .releasing)
    if let error { errno = error }
    return error == nil
  }

  /// Whether the bytes at `offset` equal `bytes`.
  func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
    WholeTransfer.read(bytes.count, from: descriptor, at: offset).elementsEqual(bytes)
  }

  /// Truncates the file to `count` bytes.
  func cut(to count: Int64) -> Bool {
    guard ftruncate(descriptor, off_t(count)) == 0 else { return false }
    length.store(count, ordering: .releasing)
    return true
  }
}
