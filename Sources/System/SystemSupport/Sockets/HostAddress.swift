package import Glibc

/// A socket address of a host, including the port.
package struct HostAddress: Sendable {
  /// `AF_INET` or `AF_INET6`.
  package let family: Int32
  private let bytes: [UInt8]

  /// The reason why a lookup found no address.
  package struct LookupError: Error, CustomStringConvertible {
    let code: Int32
    /// Whether the answer was that the host has no address. If false, for example, no name server answered.
    package var isUnknown: Bool {
      // -5, EAI_NODATA: the name exists but has no address.
      code == EAI_NONAME || code == -5
    }
    package var description: String { gai_strerror(code).map { String(cString: $0) } ?? "error \(code)" }
  }

  /// Looks a name up with the parameters and the result of `getaddrinfo`.
  package typealias LookUp = (
    UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<addrinfo>?,
    UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
  ) -> Int32

  /// Returns the addresses of a host, in the order in which the system recommends to try them. The addresses of a
  /// name are limited to families for which this machine has an address (AI_ADDRCONFIG). Blocks during a name
  /// lookup.
  package static func all(
    of host: String, port: UInt16 = 0, by lookUp: LookUp = getaddrinfo
  ) throws(LookupError) -> [HostAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    // A numeric address is valid without an interface of its family, which AI_ADDRCONFIG demands.
    hints.ai_flags = AI_NUMERICSERV | AI_NUMERICHOST
    var code = lookUp(host, "\(port)", &hints, &first)
    if code == EAI_NONAME {
      hints.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG
      code = lookUp(host, "\(port)", &hints, &first)
    }
    guard code == 0, let first else { throw LookupError(code: code) }
    defer { freeaddrinfo(first) }
    return sequence(first: first) { $0.pointee.ai_next }.compactMap { entry in
      entry.pointee.ai_addr.map {
        HostAddress(
          family: entry.pointee.ai_family,
          bytes: Array(UnsafeRawBufferPointer(start: $0, count: Int(entry.pointee.ai_addrlen))))
      }
    }
  }

  package func withPointer<Result, Failure>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes.prefix($0.count)) }
    return try withUnsafePointer(to: storage) { pointer throws(Failure) in
      let raw = UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
      return try body(raw, socklen_t(bytes.count))
    }
  }
}
