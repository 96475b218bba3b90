internal import Glibc

/// A numeric IPv4 or IPv6 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address as the system writes it, `192.168.1.20` or `fe80::1`; as IPv4 if it is IPv4-mapped.
  package let description: String

  package init?(_ text: String) {
    let mapped = "::ffff:"
    for family in [AF_INET, AF_INET6] {
      var bytes = in6_addr()
      guard inet_pton(family, text, &bytes) == 1 else { continue }
      guard let written = Self.text(of: bytes, family) else { return nil }
      let isMapped = written.hasPrefix(mapped) && written.contains(".")
      description = isMapped ? String(written.dropFirst(mapped.count)) : written
      return
    }
    return nil
  }

  /// The first 64 bits of an IPv6 address (`2001:db8:1:2::/64`), the smallest network that providers assign
  /// to a customer; nil for IPv4.
  package var network64: String? {
    var bytes = in6_addr()
    guard inet_pton(AF_INET6, description, &bytes) == 1 else { return nil }
    withUnsafeMutableBytes(of: &bytes) { buffer in
      for index in 8..<16 { buffer[index] = 0 }
    }
    return Self.text(of: bytes, AF_INET6).map { "\($0)/64" }
  }

  private static func text(of address: in6_addr, _ family: Int32) -> String? {
    var address = address
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      inet_ntop(family, &address, buffer.baseAddress, socklen_t(buffer.count)).map { String(cString: $0) }
    }
  }

  package var isLoopback: Bool { description == "::1" || description.hasPrefix("127.") }
}

/// A host and a port: `127.0.0.1:6600`, `kitchen.local:6600`, `[::1]:6600`.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name or a numeric address, without brackets.
  package var host: String
  /// The port. A server that listens at port 0 gets any free port.
  package var port: UInt16

  package static let standardPort: UInt16 = 6600

  /// The host that means all addresses of the machine.
  package static let anyHost = "*"

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses `HOST[:PORT]`, `[IPv6]:PORT`, `[IPv6]` or an IPv6 address alone; nil otherwise. `standard` is the port of
  /// texts without one.
  package init?(_ text: String, port standard: UInt16 = standardPort) {
    var host = Substring(text)
    var port = standard
    func number(_ text: Substring) -> UInt16? {
      text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt16(text) : nil
    }
    if text.hasPrefix("[") {
      guard let end = text.lastIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard host.contains(":"), IPAddress(String(host)) != nil else { return nil }
      if !rest.isEmpty {
        guard rest.first == ":", let value = number(rest.dropFirst()) else { return nil }
        port = value
      }
    } else if let colon = text.lastIndex(of: ":"), IPAddress(text) == nil {
      host = text[..<colon]
      guard let value = number(text[text.index(after: colon)...]), !host.contains(":") else { return nil }
      port = value
    }
    let isName = !host.contains { $0 == "/" || $0 == "@" || $0.isWhitespace }
    guard !host.isEmpty, isName else { return nil }
    self.init(host: String(host), port: port)
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
