import Glibc
import SystemSupport
import Testing

@Suite("Addresses of a host")
struct HostAddressTests {
  /// Returns both loopback addresses for any name: `getaddrinfo` without a name reads no file of the machine.
  private static func loopback(
    _: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?, _: UnsafePointer<addrinfo>?,
    _ found: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
  ) -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    return getaddrinfo(nil, service, &hints, found)
  }

  @Test("A name's addresses are all returned, with the port, in the resolver's order")
  func all() throws {
    var first: UnsafeMutablePointer<addrinfo>?
    try #require(Self.loopback(nil, "80", nil, &first) == 0)
    defer { freeaddrinfo(first) }
    let order = sequence(first: first) { $0?.pointee.ai_next }.prefix { $0 != nil }.map {
      $0?.pointee.ai_family
    }
    let found = try HostAddress.all(of: "name.test", port: 80, by: Self.loopback)
    #expect(found.map(\.family) == order && Set(order) == [AF_INET, AF_INET6])
    for address in found {
      // The port is at the same offset in addresses of both families.
      let port = address.withPointer { pointer, _ in
        UnsafeRawPointer(pointer).loadUnaligned(fromByteOffset: 2, as: UInt16.self).byteSwapped
      }
      #expect(port == 80)
    }
  }

  @Test(
    "Only families of the machine's interfaces are asked for, except for a numeric address",
    arguments: [("name.test", true), ("::1", false), ("127.0.0.1", false)])
  func families(_ host: String, isLookedUp: Bool) throws {
    var flags: [Int32] = []
    let found = try HostAddress.all(of: host) { name, service, hints, found in
      flags.append(hints?.pointee.ai_flags ?? 0)
      return flags.count == 1
        ? getaddrinfo(name, service, hints, found) : Self.loopback(name, service, hints, found)
    }
    #expect(found.count == (isLookedUp ? 2 : 1) && flags.count == (isLookedUp ? 2 : 1))
    #expect((flags.last ?? 0) & AI_ADDRCONFIG == (isLookedUp ? AI_ADDRCONFIG : 0))
  }
}
