import Glibc
import Testing
import Transfer

@Suite("Addresses of this network and of others")
struct AddressTests {
  /// The blocks of IANA's special-purpose address registries and of multicast with whether they are public, and whether the
  /// addresses before and after them are.
  static let blocks: [(block: String, isPublic: Bool, before: Bool, after: Bool)] = [
    ("0.0.0.0/8", false, false, true), ("10.0.0.0/8", false, true, true),
    ("100.64.0.0/10", false, true, true),
    ("127.0.0.0/8", false, true, true), ("169.254.0.0/16", false, true, true),
    ("172.16.0.0/12", false, true, true), ("192.0.0.0/24", false, true, true),
    ("192.0.0.0/29", false, true, false), ("192.0.0.8/32", false, false, true),
    ("192.0.0.9/32", true, false, true), ("192.0.0.10/32", true, true, false),
    ("192.0.0.170/31", false, false, false), ("192.0.2.0/24", false, true, true),
    ("192.31.196.0/24", true, true, true), ("192.52.193.0/24", true, true, true),
    ("192.88.99.0/24", false, true, true), ("192.168.0.0/16", false, true, true),
    ("192.175.48.0/24", true, true, true), ("198.18.0.0/15", false, true, true),
    ("198.51.100.0/24", false, true, true), ("203.0.113.0/24", false, true, true),
    ("224.0.0.0/4", false, true, false), ("240.0.0.0/4", false, false, false),
    ("255.255.255.255/32", false, false, false),
    ("::/128", false, false, false), ("::1/128", false, false, false),
    ("64:ff9b:1::/48", false, false, false), ("100::/64", false, false, false),
    ("100:0:0:1::/64", false, false, false), ("2000::/3", true, false, false),
    ("::ffff:0:0/96", false, false, false), ("64:ff9b::/96", false, false, false),
    ("2001::/32", false, true, false), ("2002::/16", false, true, true),
    ("2001::/23", false, true, true), ("2001:1::1/128", true, false, true),
    ("2001:1::2/128", true, true, true), ("2001:1::3/128", true, true, false),
    ("2001:2::/48", false, false, false), ("2001:3::/32", true, false, false),
    ("2001:4:112::/48", true, false, false), ("2001:10::/28", false, false, true),
    ("2001:20::/28", true, false, true), ("2001:30::/28", true, true, false),
    ("2001:db8::/32", false, true, true), ("2620:4f:8000::/48", true, true, true),
    ("3fff::/20", false, true, true), ("5f00::/16", false, false, false), ("fc00::/7", false, false, false),
    ("fe80::/10", false, false, false), ("fec0::/10", false, false, false), ("ff00::/8", false, false, false),
  ]

  private static func address(_ text: String) throws -> PeerAddress {
    var bytes = [UInt8](repeating: 0, count: text.contains(":") ? 16 : 4)
    try #require(inet_pton(bytes.count == 4 ? AF_INET : AF_INET6, text, &bytes) == 1, "\(text)")
    return try #require(PeerAddress(bytes: bytes))
  }

  /// The address that follows, or the one before; nil at the end of all.
  private static func neighbour(of address: PeerAddress, isNext: Bool) -> PeerAddress? {
    var bytes = address.bytes
    for index in bytes.indices.reversed() {
      bytes[index] = isNext ? bytes[index] &+ 1 : bytes[index] &- 1
      if bytes[index] != (isNext ? 0 : 255) { return PeerAddress(bytes: bytes) }
    }
    return nil
  }

  @Test("the first and the last address of a block, and those beside them", arguments: blocks)
  func edges(_ row: (block: String, isPublic: Bool, before: Bool, after: Bool)) throws {
    let parts = row.block.split(separator: "/")
    let first = try Self.address(String(parts[0]))
    let bits = try #require(Int(parts[1]))
    var bytes = first.bytes
    for bit in bits..<bytes.count * 8 { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
    let last = try #require(PeerAddress(bytes: bytes))
    #expect(first.isPublic == row.isPublic && last.isPublic == row.isPublic)
    if let before = Self.neighbour(of: first, isNext: false) {
      #expect(before.isPublic == row.before, "\(before)")
    }
    if let after = Self.neighbour(of: last, isNext: true) { #expect(after.isPublic == row.after, "\(after)") }
  }

  @Test(
    "an address that carries one of IPv4 is what that is",
    arguments: [
      ("8.8.8.8", true), ("1.0.0.0", true), ("0.0.0.2", false), ("10.0.0.1", false), ("127.0.0.1", false),
      ("169.254.169.254", false), ("192.0.2.1", false), ("198.18.0.1", false), ("224.0.0.1", false),
      ("255.255.255.255", false),
    ])
  func carried(_ text: String, isPublic: Bool) throws {
    let inside = try Self.address(text)
    func bytes(_ front: [UInt8], _ parts: [UInt8]...) -> [UInt8] { front + parts.flatMap { $0 } }
    func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    let other: [UInt8] = [9, 9, 9, 9]
    let forms = [
      bytes(zeros(12), inside.bytes), bytes(zeros(10), [0xFF, 0xFF], inside.bytes),
      bytes([0, 0x64, 0xFF, 0x9B], zeros(8), inside.bytes), bytes([0x20, 2], inside.bytes, zeros(10)),
      bytes([0x20, 2], inside.bytes, [UInt8](repeating: 255, count: 10)),
      // As the server of Teredo, and as its client.
      bytes([0x20, 1, 0, 0], inside.bytes, zeros(4), other.map { ~$0 }),
      bytes([0x20, 1, 0, 0], other, zeros(4), inside.bytes.map { ~$0 }),
    ]
    for bytes in forms {
      let form = try #require(PeerAddress(bytes: bytes))
      #expect(form.isPublic == isPublic, "\(form)")
      #expect(!form.isPublic(besides: [inside]), "\(form)")
    }
  }

  @Test("this machine's own addresses are not public besides themselves; those of others are")
  func own() throws {
    let own = Set([try Self.address("8.8.8.8"), try Self.address("2a00::1")])
    for address in own { #expect(address.isPublic && !address.isPublic(besides: own)) }
    for other in ["8.8.8.9", "2a00::2"] { #expect(try Self.address(other).isPublic(besides: own)) }
    #expect(PeerAddress(bytes: [1, 2, 3]) == nil)
  }
}
