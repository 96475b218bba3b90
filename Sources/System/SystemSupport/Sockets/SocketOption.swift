internal import Glibc

/// The options of a socket on the level SOL_SOCKET whose values are integers.
package enum SocketOption {
  /// Returns the value of an option; nil on failure, as for a descriptor that is not a socket. `errno` then has the
  /// reason.
  package static func value(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}
