import Glibc
import Synchronization

/// The bytes of a download, in a file that has a name from the beginning. Any thread; one at a time.
///
/// What fails is told by the result, with `errno`.
final class DownloadFile: Sendable {
  /// Where it is.
  let path: String
  private let descriptor: Int32
  private let state = Mutex(State())

  private struct State {
    var count: Int64 = 0
  }

  /// Opens the file at `path`, or makes an empty one that only its owner can read. Nil: it cannot be.
  init?(path: String) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    let end = lseek(descriptor, 0, SEEK_END)
    state.withLock { $0.count = Int64(end) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// How many bytes it has.
  var count: Int64 { state.withLock { $0.count } }

  /// Adds bytes at the end.
  func append(_ bytes: ArraySlice<UInt8>) -> Bool {
    state.withLock { state in
      var rest = bytes
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes {
          pwrite(descriptor, $0.baseAddress, $0.count, off_t(state.count))
        }
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return false }
        state.count += Int64(written)
        rest = rest.dropFirst(written)
      }
      return true
    }
  }

  /// Whether the bytes at `offset` are these.
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

  /// Forgets what is behind `count` bytes.
  func cut(to count: Int64) -> Bool {
    state.withLock { state in
      guard ftruncate(descriptor, off_t(count)) == 0 else { return false }
      state.count = count
      return true
    }
  }

  /// Returns when what was written outlives a loss of power. Blocks on the disk.
  func synchronize() -> Bool { fdatasync(descriptor) == 0 }
}
