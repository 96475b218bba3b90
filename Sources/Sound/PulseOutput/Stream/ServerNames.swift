import SystemSupport

/// The addresses in a libpulse server string, separated by spaces. Each is `/path`, `unix:path`, `host`,
/// `host:port` or `tcp:host:port` (also `tcp4:`, `tcp6:`), optionally after a machine name in braces.
struct ServerNames: Hashable {
  private(set) var hosts: [String] = []
  /// Whether the string has addresses that need no lookup: a socket or an IPv6 address.
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

  /// Returns the resolver's reason why a host has no address; nil if it has one. Blocks on the resolver.
  static func lookUp(_ host: String) -> String? {
    do throws(HostAddress.LookupError) {
      _ = try HostAddress.all(of: host)
      return nil
    } catch {
      return error.isUnknown ? "no such host: \(host)" : "\(host): \(error)"
    }
  }

  /// Returns the reasons why no host has an address; nil if a host has one, or if no host is named. Blocks.
  func problem(_ lookUp: (String) -> String?) -> String? {
    var reasons: [String] = []
    for host in hosts {
      guard let reason = lookUp(host) else { return nil }
      reasons.append(reason)
    }
    return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
  }
}
