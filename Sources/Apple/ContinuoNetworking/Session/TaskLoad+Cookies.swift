import Foundation
import FoundationNetworking
import Transfer

extension URLSessionTask {
  /// The cookie store of the session, unless the request ignores cookies.
  fileprivate var cookies: CookieJar? {
    guard let request = currentRequest, request.httpShouldHandleCookies else { return nil }
    return session.core.values.cookies
  }

  /// Whether the application has set the `Cookie` field itself.
  fileprivate var hasOwnCookies: Bool {
    let additional = session.core.values.httpAdditionalHeaders ?? [:]
    return currentRequest?.value(forHTTPHeaderField: "Cookie") != nil
      || additional.keys.contains { HTTPFields.isSame($0, "Cookie") }
  }

  /// The stored cookies for the current request; nil if there are none, or if the application sets its own.
  var cookieField: String? { currentRequest?.url.flatMap { cookieField(for: $0) } }

  fileprivate func cookieField(for url: URL) -> String? {
    guard session.core.values.httpShouldSetCookies, !hasOwnCookies else { return nil }
    return cookies?.field(for: url)
  }
}

extension TaskLoad {
  /// Replaces stored cookies in the request by those for its URL.
  func addCookies(to request: inout TransferRequest) {
    guard !task.hasOwnCookies else { return }
    request.fields.remove("Cookie")
    guard let url = URL(string: request.url.text), let field = task.cookieField(for: url) else { return }
    request.fields.set("Cookie", field)
  }

  /// Whether a response has cookies to store.
  func setsCookies(_ head: ResponseHead) -> Bool {
    head.fields["Set-Cookie"] != nil && core.values.httpCookieAcceptPolicy != .never && task.cookies != nil
  }

  /// Stores the cookies of a response to the current request. Blocks: the shared storage writes a file.
  func storeCookies(of head: ResponseHead) {
    guard let url else { return }
    task.cookies?.store(head, from: url, document: task.currentRequest?.mainDocumentURL)
  }
}
