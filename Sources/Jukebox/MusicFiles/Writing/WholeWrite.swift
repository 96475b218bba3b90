import Glibc

/// Writes completely to descriptors that may accept fewer bytes at a time.
package enum WholeWrite {
  /// Writes all of `bytes`. Returns nil, or the `errno` of the failure. Blocks while a pipe's reader is slow.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if count == 0 {
          return EIO
        } else if errno == EAGAIN {
          // Another process has made this terminal or pipe non-blocking.
          var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&wait, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
  }
}
