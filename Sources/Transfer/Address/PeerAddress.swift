/// The address of a connection's other end, as it was resolved.
package struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes, in the order of the network.
  package let bytes: [UInt8]

  /// An address of 4 (IPv4) or 16 (IPv6) bytes; nil for another number.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The address as it is written: `192.0.2.1`, or all eight groups of `2001:db8:0:0:0:0:0:1`.
  package var description: String {
    if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
    return stride(from: 0, to: bytes.count, by: 2)
      .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
  }

  /// Whether it is reachable for everybody: not this machine, not a private network, not a group.
  package var isPublic: Bool {
    if bytes.count == 4 { return Self.isPublic(version4: bytes[0], bytes[1]) }
    let front = bytes.prefix(12)
    // `::`, `::1`, IPv4 addresses in the old form, and IPv4 addresses in IPv6's form: the program that names them so may
    // want to get around this rule.
    if front.allSatisfy({ $0 == 0 }) { return false }
    if front.prefix(10).allSatisfy({ $0 == 0 }), front[10] == 0xFF, front[11] == 0xFF { return false }
    // NAT64: the gateway takes it for the IPv4 address at its end.
    if front == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0] {
      return Self.isPublic(version4: bytes[12], bytes[13])
    }
    switch (bytes[0], bytes[1]) {
    case (0xFC...0xFD, _), (0xFE, 0x80...0xBF), (0xFF, _): return false
    default: return true
    }
  }

  private static func isPublic(version4 first: UInt8, _ second: UInt8) -> Bool {
    switch (first, second) {
    case (0, _), (10, _), (127, _), (224..., _): false
    case (100, 64...127), (169, 254), (172, 16...31), (192, 168): false
    default: true
    }
  }
}

/// Which addresses a request may connect to, and whether it is the user's own.
package enum NetworkReach: Sendable {
  /// Any. The only one with which header fields, credentials and `~/.netrc` of the user are sent.
  case all
  /// Any, on behalf of somebody else.
  case allForOthers
  /// Those for which `PeerAddress.isPublic` is true.
  case publicOnly
}
