/// The resolved IP address of a connection's peer.
package struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes in network byte order.
  package let bytes: [UInt8]

  package init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The textual form: `192.0.2.1`, or all eight groups of `2001:db8:0:0:0:0:0:1`.
  package var description: String {
    if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
    return stride(from: 0, to: bytes.count, by: 2)
      .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
  }

  /// Whether the address is globally reachable, according to the blocks below. In an IPv6 address with
  /// embedded IPv4 addresses, those decide, because gateways or the system translate them.
  package var isPublic: Bool { isPublic(besides: []) }

  /// Returns whether the address is public (`isPublic`), and neither the address nor an embedded one is in `own`, the
  /// addresses of this machine's interfaces.
  package func isPublic(besides own: Set<PeerAddress>) -> Bool {
    guard !own.contains(self) else { return false }
    let carried = carried
    guard carried.isEmpty else { return carried.allSatisfy { $0.isPublic(besides: own) } }
    // All global unicast addresses of IPv6 are in 2000::/3.
    guard bytes.count == 4 || bytes[0] & 0xE0 == 0x20 else { return false }
    return !Self.unreachable.contains { $0.contains(self) } || Self.reachable.contains { $0.contains(self) }
  }

  /// The IPv4 addresses embedded in an IPv6 address; empty if there are none.
  private var carried: [PeerAddress] {
    guard bytes.count == 16 else { return [] }
    let parts: [[UInt8]] =
      switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
      // IPv4-compatible and IPv4-mapped addresses (RFC 4291, 2.5.5). `::` and `::1` are in 0.0.0.0/8.
      case (0, 0, _, _)
      where bytes[..<10].allSatisfy { $0 == 0 } && [0, 0xFF].contains(bytes[10]) && bytes[10] == bytes[11]:
        [Array(bytes[12...])]
      // NAT64 (RFC 6052).
      case (0, 0x64, 0xFF, 0x9B) where bytes[4..<12].allSatisfy { $0 == 0 }: [Array(bytes[12...])]
      // 6to4 (RFC 3056).
      case (0x20, 0x02, _, _): [Array(bytes[2..<6])]
      // Teredo (RFC 4380, 4): the server, and the client with all bits inverted.
      case (0x20, 0x01, 0, 0): [Array(bytes[4..<8]), bytes[12...].map { ~$0 }]
      default: []
      }
    return parts.compactMap { PeerAddress(bytes: $0) }
  }

  private struct Block {
    let bytes: [UInt8]
    let bits: Int

    init(_ bytes: UInt8..., bits: Int) {
      self.bytes = bytes
      self.bits = bits
    }

    init(groups: UInt16..., bits: Int) {
      let groups = groups + [UInt16](repeating: 0, count: 8 - groups.count)
      bytes = groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      self.bits = bits
    }

    func contains(_ address: PeerAddress) -> Bool {
      guard address.bytes.count == bytes.count else { return false }
      let whole = bits / 8
      guard address.bytes[..<whole] == bytes[..<whole] else { return false }
      return bits % 8 == 0 || (address.bytes[whole] ^ bytes[whole]) >> UInt8(8 - bits % 8) == 0
    }
  }

  // The blocks follow IANA's IPv4 and IPv6 Special-Purpose Address Registries as of 2026-07-18, when their
  // newest entry was 100:0:0:1::/64 of 2025-04. Blocks of IPv6 outside 2000::/3 need no entry here.

  /// Blocks that are not globally reachable, including multicast, which has registries of its own. Also the
  /// deprecated 192.88.99.0/24, whose entry does not state its reachability.
  private static let unreachable = [
    Block(0, 0, 0, 0, bits: 8), Block(10, 0, 0, 0, bits: 8), Block(100, 64, 0, 0, bits: 10),
    Block(127, 0, 0, 0, bits: 8), Block(169, 254, 0, 0, bits: 16), Block(172, 16, 0, 0, bits: 12),
    Block(192, 0, 0, 0, bits: 24), Block(192, 0, 2, 0, bits: 24), Block(192, 88, 99, 0, bits: 24),
    Block(192, 168, 0, 0, bits: 16), Block(198, 18, 0, 0, bits: 15), Block(198, 51, 100, 0, bits: 24),
    Block(203, 0, 113, 0, bits: 24), Block(224, 0, 0, 0, bits: 4), Block(240, 0, 0, 0, bits: 4),
    Block(groups: 0x2001, bits: 23), Block(groups: 0x2001, 0xDB8, bits: 32), Block(groups: 0x3FFF, bits: 20),
  ]

  /// Blocks within the unreachable ones that are globally reachable.
  private static let reachable = [
    Block(192, 0, 0, 9, bits: 32), Block(192, 0, 0, 10, bits: 32),
    Block(groups: 0x2001, 1, 0, 0, 0, 0, 0, 1, bits: 128),
    Block(groups: 0x2001, 1, 0, 0, 0, 0, 0, 2, bits: 128),
    Block(groups: 0x2001, 1, 0, 0, 0, 0, 0, 3, bits: 128), Block(groups: 0x2001, 3, bits: 32),
    Block(groups: 0x2001, 4, 0x112, bits: 48), Block(groups: 0x2001, 0x20, bits: 28),
    Block(groups: 0x2001, 0x30, bits: 28),
  ]
}

/// The addresses to which a request may connect, and whether it is on behalf of the user.
package enum NetworkReach: Sendable {
  /// Any address. Only with this value is `~/.netrc` used.
  case all
  /// Any address, on behalf of a person other than the user.
  case allForOthers
  /// Addresses for which `PeerAddress.isPublic` is true, except those of this machine.
  case publicOnly
}
