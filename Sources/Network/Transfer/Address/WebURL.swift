import TextFormatting

/// An absolute `http` or `https` URL without fragment, in the form in which it is sent. Parsing removes the
/// credentials, so that no message, event or file derived from the value contains them.
package struct WebURL: Hashable, Sendable {
  package enum Scheme: String, Sendable {
    case http
    case https

    var port: Int { self == .http ? 80 : 443 }
  }

  package enum Problem: Error, Hashable {
    /// The URL has more bytes than `NetworkLimits.url`.
    case tooLong
    /// The scheme, in lower case, is not supported.
    case unsupportedScheme(String)
    /// The text is not absolute or violates the grammar of URLs.
    case malformed
  }

  package let scheme: Scheme
  /// The host in lower case; an IPv6 address in brackets.
  package let host: String
  /// The port; the default port of the scheme if the text has none.
  package let port: Int
  /// The path, which begins with a slash.
  package let path: String
  package let query: String?

  /// Parses and returns a URL and the credentials in it. Trims white space. In path and query,
  /// percent-encodes blanks and other bytes not allowed in a URL, because people and playlists write them.
  /// Control characters make the URL malformed.
  package static func read(_ text: String) throws(Problem) -> (url: WebURL, credentials: Credentials?) {
    let reference = try URLReference(text)
    guard let scheme = reference.scheme else { throw .malformed }
    guard let known = Scheme(rawValue: scheme) else { throw .unsupportedScheme(scheme) }
    guard let authority = reference.authority else { throw .malformed }
    let place = try Authority(authority)
    let url = WebURL(
      scheme: known, host: place.host, port: place.port ?? known.port,
      path: URLReference.withoutDots(reference.path), query: reference.query)
    guard url.text.utf8.count <= NetworkLimits.url else { throw .tooLong }
    return (url, place.credentials)
  }

  /// Removes the part between `//` and the last `@` from a text that may be a URL, because that part may
  /// contain credentials.
  package static func withoutCredentials(_ text: [UInt8]) -> [UInt8] {
    // The last "@" counts, because the credentials of a malformed URL may contain slashes.
    guard let at = text.lastIndex(of: UInt8(ascii: "@")),
      let slash = text.indices.first(where: { text[$0...].starts(with: "//".utf8) }), slash + 2 <= at
    else { return text }
    return Array(text[..<(slash + 2)] + text[(at + 1)...])
  }

  /// Removes the part that may contain credentials, like `withoutCredentials(_:)` for bytes.
  package static func withoutCredentials(_ text: String) -> String {
    String(decoding: withoutCredentials(Array(text.utf8)), as: UTF8.self)
  }

  /// Returns a reference, such as a redirect or a playlist entry, resolved against this URL (RFC 3986, 5.2).
  package func resolve(_ text: String) throws(Problem) -> (url: WebURL, credentials: Credentials?) {
    let reference = try URLReference(text)
    if reference.scheme != nil { return try WebURL.read(text) }
    if reference.authority != nil { return try WebURL.read("\(scheme.rawValue):\(text.trimmedOfBlanks)") }
    let merged: String
    if reference.path.isEmpty {
      merged = path
    } else if reference.path.hasPrefix("/") {
      merged = URLReference.withoutDots(reference.path)
    } else {
      let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
      merged = URLReference.withoutDots(folder + reference.path)
    }
    let query = reference.path.isEmpty ? reference.query ?? query : reference.query
    let url = WebURL(scheme: scheme, host: host, port: port, path: merged, query: query)
    guard url.text.utf8.count <= NetworkLimits.url else { throw .tooLong }
    return (url, nil)
  }

  /// The last component of the path, percent-encoded and decoded; the latter is nil if it is not UTF-8.
  package var lastPart: (encoded: String, decoded: String?) {
    let part = path[(path.lastIndex(of: "/") ?? path.startIndex)...].dropFirst()
    return (String(part), String(validating: PercentEncoding.decode(part.utf8).bytes, as: UTF8.self))
  }

  /// The scheme, host and port, to which a request's credentials and header fields belong.
  package var origin: String { "\(scheme.rawValue)://\(host)" + (port == scheme.port ? "" : ":\(port)") }

  package var text: String { origin + path + (query.map { "?\($0)" } ?? "") }

  /// The URL for error messages, without the query, which may contain a secret.
  package var textForMessages: String { origin + path }
}

/// A user name and password for one origin. Descriptions and mirrors do not reveal them.
package struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  package let user: String
  /// The password; empty if none.
  package let password: String

  package init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  package var description: String { "credentials" }
  package var debugDescription: String { "credentials" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
