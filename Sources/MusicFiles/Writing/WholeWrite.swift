import Glibc

/// Writes to descriptors that may take less than they are given.
package enum WholeWrite {
  /// Writes all of `bytes`; nil, or the error that prevented it. Blocks while a pipe's reader is slow.
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
          // Somebody else has made this terminal or pipe non-blocking.
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
