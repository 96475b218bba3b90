import Foundation
import FoundationNetworking
import Transfer

/// A sendable reference to a cookie store. FoundationNetworking's class guards its state with a queue, but is
/// not declared `Sendable`.
struct CookieJar: @unchecked Sendable {
  let storage: HTTPCookieStorage

  /// A new store in memory. FoundationNetworking creates such stores only for its own configurations.
  static var temporary: CookieJar? {
    FoundationNetworking.URLSessionConfiguration.ephemeral.httpCookieStorage.map { CookieJar(storage: $0) }
  }

  /// Returns the value of the `Cookie` field of a request for `url`; nil if no cookie applies (RFC 6265,
  /// 5.4). The storage itself selects by host only.
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

  /// Stores the cookies of a response, unless the policy of the storage is `never`.
  func store(_ head: ResponseHead, from url: URL) {
    for field in head.fields.all where HTTPFields.isSame(field.name, "Set-Cookie") {
      let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field.value], for: url)
      // Without a main document, the storage's own policy rejects no cookies, unless it is `never`.
      storage.setCookies(cookies.map(\.withMaximumAge), for: url, mainDocumentURL: nil)
    }
  }
}

extension HTTPCookie.AcceptPolicy {
  /// Returns whether to store cookies of a response from `url`. `document` is the URL of the request's main
  /// document; nil for none. Hosts are of one domain if they are equal, or if one is a subdomain of the other.
  func accepts(from url: URL, document: URL?) -> Bool {
    guard self == .onlyFromMainDocumentDomain, let document else { return self != .never }
    let (host, main) = (".\(url.host?.lowercased() ?? "")", ".\(document.host?.lowercased() ?? "")")
    return host.hasSuffix(main) || main.hasSuffix(host)
  }
}

extension HTTPCookie {
  /// The cookie with the expiry date from its `Max-Age` attribute, which FoundationNetworking ignores; the unchanged
  /// cookie if that attribute is missing or invalid.
  fileprivate var withMaximumAge: HTTPCookie {
    guard var properties, let text = properties.removeValue(forKey: .maximumAge) as? String,
      let seconds = Double(text), seconds.isFinite
    else { return self }
    properties[.expires] = Date(timeIntervalSinceNow: seconds > 0 ? seconds : -1)
    // `HTTPCookie` reads these properties as strings, but does not keep all of them as strings.
    properties[.secure] = isSecure ? "TRUE" : nil
    properties[.discard] = "FALSE"
    properties[HTTPCookiePropertyKey("HttpOnly")] = isHTTPOnly ? "TRUE" : nil
    return HTTPCookie(properties: properties) ?? self
  }
}
