import Foundation
import FoundationNetworking
import Transfer

/// A store of cookies that values can hold. FoundationNetworking's class guards its state with a queue of its
/// own, but is not declared `Sendable`.
struct CookieJar: @unchecked Sendable {
  let storage: HTTPCookieStorage

  /// A store in memory. FoundationNetworking makes them for its own configurations only.
  static var temporary: CookieJar? {
    FoundationNetworking.URLSessionConfiguration.ephemeral.httpCookieStorage.map { CookieJar(storage: $0) }
  }

  /// The value of the `Cookie` field of a request for `url`; nil if no cookie applies (RFC 6265, 5.4). The
  /// storage itself selects by host only.
  func field(for url: URL) -> String? {
    let path = url.path.isEmpty ? "/" : url.path
    let cookies = (storage.cookies(for: url) ?? []).filter { cookie in
      let isInPath =
        path == cookie.path || path.hasPrefix(cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/")
      let isExpired = cookie.expiresDate.map { $0.timeIntervalSinceNow <= 0 } ?? false
      return isInPath && !isExpired && (!cookie.isSecure || url.scheme?.lowercased() == "https")
    }
    // Longer paths come first. The storage's own order is random.
    let sorted = cookies.sorted { ($1.path.count, $0.name) < ($0.path.count, $1.name) }
    return sorted.isEmpty ? nil : sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
  }

  /// Stores the cookies of a response. `document`: the main document's URL, for the policy
  /// `onlyFromMainDocumentDomain`.
  func store(_ head: ResponseHead, from url: URL, document: URL?) {
    for field in head.fields.all where HTTPFields.isSame(field.name, "Set-Cookie") {
      let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field.value], for: url)
      storage.setCookies(cookies.map(\.withMaximumAge), for: url, mainDocumentURL: document)
    }
  }
}

extension HTTPCookie {
  /// The cookie with the expiry date that its `Max-Age` gives. FoundationNetworking ignores the attribute.
  fileprivate var withMaximumAge: HTTPCookie {
    guard var properties, let text = properties.removeValue(forKey: .maximumAge) as? String,
      let seconds = Double(text), seconds.isFinite
    else { return self }
    properties[.expires] = Date(timeIntervalSinceNow: seconds > 0 ? seconds : -1)
    // Read as texts, and only partly kept as such.
    properties[.secure] = isSecure ? "TRUE" : nil
    properties[.discard] = "FALSE"
    properties[HTTPCookiePropertyKey("HttpOnly")] = isHTTPOnly ? "TRUE" : nil
    return HTTPCookie(properties: properties) ?? self
  }
}
