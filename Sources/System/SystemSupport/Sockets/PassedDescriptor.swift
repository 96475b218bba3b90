internal import Glibc

/// A descriptor that came with a packet on a Unix socket (SCM_RIGHTS of unix(7)). Closed with the last reference.
package final class PassedDescriptor: Sendable {
  package let number: Int32

  private init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  // SCM_RIGHTS, and the size in bytes of a control message on 64-bit Linux, without and with padding: its length, level,
  // type and one descriptor.
  private static let rights: Int32 = 1
  private static let lengthOfMessage = 20
  private static let space = 24

  /// Sends a packet, with a copy of `descriptor` unless that is nil. Never blocks. Returns whether the packet was
  /// sent; `errno` has the reason if not.
  package static func send(_ bytes: [UInt8], with descriptor: Int32?, over socket: Int32) -> Bool {
    exchange(bytes: bytes, count: bytes.count) { message in
      guard let descriptor else {
        message.msg_controllen = 0
        return sendmsg(socket, &message, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      let control = message.msg_control
      control?.storeBytes(of: lengthOfMessage, as: Int.self)
      control?.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
      control?.storeBytes(of: rights, toByteOffset: 12, as: Int32.self)
      control?.storeBytes(of: descriptor, toByteOffset: 16, as: Int32.self)
      return sendmsg(socket, &message, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }.result >= 0
  }

  /// Receives a packet, cut to `limit` bytes, with the descriptor that came with it, if any. Never blocks. Returns
  /// an empty packet at the end of the connection. Returns nil without a packet or after an error; `errno` has the
  /// reason.
  package static func receive(
    from socket: Int32, limit: Int
  ) -> (bytes: [UInt8], descriptor: PassedDescriptor?)? {
    let received = exchange(bytes: [UInt8](repeating: 0, count: limit), count: limit) {
      // 0x40000000 is MSG_CMSG_CLOEXEC, which Swift's Glibc module lacks as a number.
      recvmsg(socket, &$0, Int32(MSG_DONTWAIT) | 0x4000_0000)
    }
    guard received.result >= 0 else { return nil }
    return (Array(received.bytes.prefix(received.result)), received.descriptor.map(PassedDescriptor.init))
  }

  private static func exchange(
    bytes: [UInt8], count: Int, _ call: (inout msghdr) -> Int
  ) -> (result: Int, bytes: [UInt8], descriptor: Int32?) {
    var bytes = bytes
    var control = [UInt64](repeating: 0, count: space / 8)
    var used = 0
    let result = bytes.withUnsafeMutableBytes { bytes in
      var vector = iovec(iov_base: bytes.baseAddress, iov_len: count)
      return withUnsafeMutablePointer(to: &vector) { vector in
        control.withUnsafeMutableBytes { control in
          var message = msghdr()
          message.msg_iov = vector
          message.msg_iovlen = 1
          message.msg_control = control.baseAddress
          message.msg_controllen = space
          defer { used = message.msg_controllen }
          var result = call(&message)
          while result < 0, errno == EINTR { result = call(&message) }
          return result
        }
      }
    }
    let isPassed = result >= 0 && used >= lengthOfMessage
    return (result, bytes, isPassed ? Int32(truncatingIfNeeded: control[2]) : nil)
  }
}
