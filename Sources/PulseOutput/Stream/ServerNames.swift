import Glibc

/// The addresses in a server string of libpulse, separated by spaces: each `/path`, `unix:path`, `host`, `host:port` or
/// `tcp:host:port` (also `tcp4:`, `tcp6:`), optionally after the name of a machine in braces.
struct ServerNames: Hashable {
  /// The names of hosts, without those that are addresses of IPv6.
  private(set) var hosts: [String] = []
  /// Whether there is a place that needs no name: a socket or an address of IPv6.
  private(set) var hasOthers = false

  init(_ text: String) {
    for word in text.split(whereSeparator: { $0.isWhitespace }) {
      var address = word
      if address.first == "{", let end = address.firstIndex(of: "}") {
        address = address[address.index(after: end)...]
      }
      let scheme = ["tcp:", "tcp4:", "tcp6:"].first { address.hasPrefix($0) }
      if scheme == nil, address.hasPrefix("/") || address.hasPrefix("unix:") || address.isEmpty {
        hasOthers = true
        continue
      }
      address = address.dropFirst(scheme?.count ?? 0)
      let host = address.lastIndex(of: ":").map { address[..<$0] } ?? address
      if address.first == "[" || host.isEmpty { hasOthers = true } else { hosts.append(String(host)) }
    }
  }

  /// Returns why a host has no address, in the resolver's words; nil if it has one. Blocks as long as the resolver takes.
  static func lookUp(_ host: String) -> String? {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &found)
    defer { if let found { freeaddrinfo(found) } }
    switch code {
    case 0: return nil
    // -5, EAI_NODATA: the name exists and has no address.
    case EAI_NONAME, -5: return "no such host: \(host)"
    default: return "\(host): \(String(cString: gai_strerror(code)))"
    }
  }

  /// Returns why none of the hosts can be reached; nil if one has an address, or there is none. Blocks.
  func problem(_ lookUp: (String) -> String?) -> String? {
    var reasons: [String] = []
    for host in hosts {
      guard let reason = lookUp(host) else { return nil }
      reasons.append(reason)
    }
    return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
  }
}
