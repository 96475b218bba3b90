/// An absolute `http` or `https` URL without credentials and fragment, in the form in which it is sent.
///
/// Credentials are taken out when a text is read, so that whatever is made of this value (messages, events, files) has
/// none.
package struct WebURL: Hashable, Sendable {
  /// The schemes that are played.
  package enum Scheme: String, Sendable {
    case http
    case https

    /// The port of URLs that name none.
    var port: Int { self == .http ? 80 : 443 }
  }

  /// Why a text is no such URL.
  package enum Problem: Error, Hashable {
    /// It has more bytes than `NetworkLimits.url`.
    case tooLong
    /// The scheme, in lower case, is another one.
    case unsupportedScheme(String)
    /// It is not absolute, or breaks the rules of URLs.
    case malformed
  }

  /// `http` or `https`.
  package let scheme: Scheme
  /// The host in lower case; an IPv6 address in brackets.
  package let host: String
  /// The port; that of the scheme if the text has none.
  package let port: Int
  /// The path, which begins with a slash.
  package let path: String
  /// What is behind the question mark, if there is one.
  package let query: String?

  /// Reads a text: a URL, and what credentials it has.
  ///
  /// White space around it is dropped. Blanks within it and bytes that are not ASCII are percent-encoded, since people
  /// and playlists write them; other bytes that no URL may have make it malformed.
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

  /// A text that may be a URL, as it may be told: without what stands where a URL has credentials.
  package static func withoutCredentials(_ text: [UInt8]) -> [UInt8] {
    // The last one: where a URL is malformed, its credentials may have slashes in them.
    guard let at = text.lastIndex(of: UInt8(ascii: "@")),
      let slash = text.indices.first(where: { text[$0...].starts(with: "//".utf8) }), slash + 2 <= at
    else { return text }
    return Array(text[..<(slash + 2)] + text[(at + 1)...])
  }

  /// Reads a URL relative to this one, as RFC 3986 section 5.2 has it: a redirect's `Location`, a playlist's entry.
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

  /// The last part of the path, percent-encoded and as what it stands for, which is nil where that is no text.
  package var lastPart: (encoded: String, decoded: String?) {
    let part = path[(path.lastIndex(of: "/") ?? path.startIndex)...].dropFirst()
    return (String(part), String(validating: part.percentDecoded, as: UTF8.self))
  }

  /// Scheme, host and port: whom credentials and headers of a request belong to.
  package var origin: String {
    "\(scheme.rawValue)://\(host)" + (port == scheme.port ? "" : ":\(port)")
  }

  /// The URL as it is sent and told.
  package var text: String { origin + path + (query.map { "?\($0)" } ?? "") }

  /// The URL as errors name it: without the query too, since it may hold a secret.
  package var textForMessages: String { origin + path }
}

/// A user's name and password for one origin. Its descriptions do not tell them.
package struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The name.
  package let user: String
  /// The password; empty if there is none.
  package let password: String

  /// The credentials of these.
  package init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  /// Says only that there are some.
  package var description: String { "credentials" }
  /// Says only that there are some.
  package var debugDescription: String { "credentials" }
  /// Empty.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
