internal import Glibc

package struct SystemCallError: Error, Equatable, Sendable, CustomStringConvertible {
  package let call: String
  package let code: Int32

  /// Creates the error of a call that just failed on this thread. `code` is `errno` by default.
  package init(_ call: String, code: Int32 = errno) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call): \(SystemError.message(code))" }
}

package enum SystemError {
  package static func message(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String in
      guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
        return "error \(code)"
      }
      return String(cString: base)
    }
  }

  /// The system's message, starting in lower case so that it can continue a sentence.
  package static func text(_ code: Int32) -> String {
    let message = message(code)
    return message.prefix(1).lowercased() + message.dropFirst()
  }
}

/// A file descriptor that is closed when its owner is destroyed.
package struct OwnedDescriptor: ~Copyable {
  package let number: Int32

  /// Takes ownership of the descriptor that a system call returned. Throws the call's error if it failed.
  package init(_ number: Int32, from call: String) throws(SystemCallError) {
    guard number >= 0 else { throw SystemCallError(call) }
    self.number = number
  }

  package init(owning number: Int32) { self.number = number }

  deinit { _ = close(number) }

  /// Gives up ownership and returns the descriptor, which stays open.
  package consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }
}
