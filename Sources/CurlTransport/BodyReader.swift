import Glibc
import Transfer

/// Reads the body of a request while it is sent. The network's thread only.
final class BodyReader {
  private let body: TransferBody
  private let descriptor: Int32
  /// The next byte.
  var position: Int64 = 0

  init(_ body: TransferBody) {
    self.body = body
    if case .file(let path, _) = body {
      descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    } else {
      descriptor = -1
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Reads the next bytes and returns how many; 0 at the end. Nil if the file cannot be read, or has become shorter.
  func read(_ target: UnsafeMutableRawBufferPointer) -> Int? {
    let count = Int(min(Int64(target.count), body.count - position))
    guard count > 0 else { return 0 }
    switch body {
    case .bytes(let bytes):
      target.copyBytes(from: bytes[Int(position)..<Int(position) + count])
    case .file:
      var done = 0
      while done < count {
        let result = pread(
          descriptor, target.baseAddress.map { $0 + done }, count - done, off_t(position) + off_t(done))
        if result < 0, errno == EINTR { continue }
        guard result > 0 else { return nil }
        done += result
      }
    }
    position += Int64(count)
    return count
  }
}
