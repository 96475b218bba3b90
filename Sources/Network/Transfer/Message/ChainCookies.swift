/// The cookies that the redirects of one request have set, for the requests that follow. Each cookie is sent
/// only to the host that has set it, even if its `Domain` attribute allows other hosts.
package struct ChainCookies: Sendable {
  private struct Cookie {
    let name: String
    let value: String
    let host: String
    var path: String

    /// Returns whether the cookie is sent to `url` (RFC 6265, 5.1.4).
    func isFor(_ url: WebURL) -> Bool {
      host == url.host && (path == url.path || url.path.hasPrefix(path.hasSuffix("/") ? path : path + "/"))
    }
  }

  /// The maximum number of cookies; browsers keep at least 50 for a host.
  private static let limit = 50

  private var cookies: [Cookie] = []

  package init() {}

  /// Takes the cookies of a response from `url`. A cookie without a value, as servers send to delete one, removes
  /// an earlier one.
  package mutating func take(_ head: ResponseHead, from url: WebURL) {
    for field in head.fields.all where HTTPFields.isSame(field.name, "Set-Cookie") {
      let parts = field.value.split(separator: ";").map { part in
        part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
          String($0).trimmedOfBlanks
        }
      }
      guard let pair = parts.first, pair.count == 2, !pair[0].isEmpty else { continue }
      let folder = url.path[..<(url.path.lastIndex(of: "/") ?? url.path.startIndex)]
      var cookie = Cookie(
        name: pair[0], value: pair[1], host: url.host, path: folder.isEmpty ? "/" : String(folder))
      for part in parts.dropFirst()
      where part.count == 2 && part[0].lowercased() == "path" && part[1].hasPrefix("/") {
        cookie.path = part[1]
      }
      cookies.removeAll { $0.name == cookie.name && $0.host == cookie.host && $0.path == cookie.path }
      if !cookie.value.isEmpty, cookies.count < Self.limit { cookies.append(cookie) }
    }
  }

  /// Adds the cookies for the request's URL to its `Cookie` field, in place of others with the same names.
  package func apply(to request: inout TransferRequest) {
    let own = cookies.filter { $0.isFor(request.url) }
    guard !own.isEmpty else { return }
    let present = (request.fields["Cookie"] ?? "").split(separator: ";").map { String($0).trimmedOfBlanks }
    let others = present.filter { text in !own.contains { text.hasPrefix("\($0.name)=") } }
    let value = (others + own.map { "\($0.name)=\($0.value)" }).joined(separator: "; ")
    if HTTPFields.allows("Cookie", value) { request.fields.set("Cookie", value) }
  }
}
