internal import Glibc

/// Reads and writes all bytes, although a system call may transfer fewer or be interrupted. All functions block.
package enum WholeTransfer {
  /// Writes all of `bytes` at the descriptor's position; waits while a pipe is full. Returns nil or the `errno`.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { bytes in
      write(bytes, to: descriptor) { rest, _ in Glibc.write(descriptor, rest.baseAddress, rest.count) }
    }
  }

  /// Writes all of `bytes` from `offset` of the file on. Returns nil, or the `errno` of the failure.
  package static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, at offset: Int64) -> Int32? {
    bytes.withUnsafeBytes { bytes in
      write(bytes, to: descriptor) { rest, done in
        pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
      }
    }
  }

  /// Writes all of `bytes` with `call`, which gets the rest and the number of bytes written before. Returns
  /// nil or the `errno`.
  static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, by call: (UnsafeRawBufferPointer, Int) -> Int
  ) -> Int32? {
    var done = 0
    while done < bytes.count {
      let count = call(UnsafeRawBufferPointer(rebasing: bytes[done...]), done)
      if count > 0 {
        done += count
      } else if count == 0 {
        return EIO
      } else if errno == EAGAIN {
        // The terminal or pipe is non-blocking, for example because a process that shares it has made it so.
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wait, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }

  /// Fills the buffer from `offset` of the file on. Returns the number of bytes, smaller than the buffer only
  /// at the end of the file or after an error.
  package static func read(
    into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int64
  ) -> Int {
    read(into: buffer) { rest, done in
      pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
    }
  }

  /// Fills the buffer with `call`, which gets the rest and the number of bytes read before. Returns the number of
  /// bytes, smaller than the buffer only at the end of the file or after an error.
  package static func read(
    into buffer: UnsafeMutableRawBufferPointer, by call: (UnsafeMutableRawBufferPointer, Int) -> Int
  ) -> Int {
    var filled = 0
    while filled < buffer.count {
      let count = call(UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), filled)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      filled += count
    }
    return filled
  }

  /// Returns up to `count` bytes from `offset` of the file on, fewer only at its end or after an error.
  package static func read(_ count: Int, from descriptor: Int32, at offset: Int64) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let bytes = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
      filled = read(into: bytes, from: descriptor, at: offset)
    }
  }
}
