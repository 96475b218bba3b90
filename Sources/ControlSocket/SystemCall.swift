internal import Glibc

/// A system call that failed.
package struct SystemCallError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The call, as its manual page is called.
  package let call: String
  /// Its `errno`.
  package let code: Int32

  /// The last error of this thread, of this call.
  package init(_ call: String, code: Int32 = errno) {
    self.call = call
    self.code = code
  }

  /// The call and the system's text for the number.
  package var description: String {
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String in
      guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
        return "error \(code)"
      }
      return String(cString: base)
    }
    return "\(call): \(text)"
  }
}

/// A descriptor that is closed when its owner goes.
package struct OwnedDescriptor: ~Copyable {
  /// The descriptor.
  package let number: Int32

  /// Owns what a system call returned, or throws what it reported.
  package init(_ number: Int32, from call: String) throws(SystemCallError) {
    guard number >= 0 else { throw SystemCallError(call) }
    self.number = number
  }

  /// Owns a descriptor that is known to be open.
  package init(owning number: Int32) { self.number = number }

  deinit { _ = close(number) }

  /// Gives the number away, open.
  package consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }
}
