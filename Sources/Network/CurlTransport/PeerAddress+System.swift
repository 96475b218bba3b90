import CCurl
import Glibc
import Transfer

extension PeerAddress {
  /// The IP address in a socket address; nil for other address families.
  init?(socketAddress address: UnsafeMutablePointer<continuo_curl_address>) {
    let length = Int(address.pointee.length)
    let family = address.pointee.family
    self.init(
      bytes: withUnsafeBytes(of: &address.pointee.bytes) { bytes in
        // The address follows the family and the port, and in IPv6 also the flow label.
        switch family {
        case AF_INET where length >= 8: Array(bytes[4..<8])
        case AF_INET6 where length >= 24: Array(bytes[8..<24])
        default: []
        }
      })
  }

  /// Returns the addresses of this machine's interfaces; nil if the system does not report them.
  static func ofThisMachine() -> Set<PeerAddress>? {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    var addresses: Set<PeerAddress> = []
    var next = list
    while let interface = next {
      next = interface.pointee.ifa_next
      guard let address = interface.pointee.ifa_addr else { continue }
      let bytes = UnsafeRawPointer(address)
      let found: UnsafeRawBufferPointer? =
        switch Int32(address.pointee.sa_family) {
        case AF_INET: UnsafeRawBufferPointer(start: bytes + 4, count: 4)
        case AF_INET6: UnsafeRawBufferPointer(start: bytes + 8, count: 16)
        default: nil
        }
      if let found, let address = PeerAddress(bytes: Array(found)) { addresses.insert(address) }
    }
    return addresses
  }

  /// Parses an IP address in its usual notation; nil for anything else.
  init?(text: String) {
    var bytes = [UInt8](repeating: 0, count: 16)
    // Remove the scope identifier of a link-local address, which `inet_pton` rejects.
    let plain = String(text.prefix { $0 != "%" })
    if inet_pton(AF_INET, plain, &bytes) == 1 {
      self.init(bytes: Array(bytes[..<4]))
    } else if inet_pton(AF_INET6, plain, &bytes) == 1 {
      self.init(bytes: bytes)
    } else {
      return nil
    }
  }
}
