import Foundation
import FoundationNetworking
import Synchronization
import Transfer
import TransferService

extension URLSessionTask {
  /// Creates the request of a `TaskLoad`. Blocks while a body stream is read, and on the disk for an upload
  /// from a file.
  func makeRequest() throws -> TransferRequest {
    guard var current = currentRequest else { throw URLError.unreadableResumeData }
    try current.readBodyStream(limit: TaskLoad.longestData)
    var request = try TransferRequest(current, additional: session.core.values.httpAdditionalHeaders ?? [:])
    if let upload = self as? URLSessionUploadTask {
      request.becomeUpload()
      switch upload.source {
      case .data(let data): request.body = .bytes(Array(data))
      case .file(let file):
        guard let size = TransferBody.size(of: file.path) else {
          throw URLError.of(.fileDoesNotExist, current.url, "\(file.lastPathComponent) cannot be read")
        }
        request.body = .file(path: file.path, count: size)
      case .stream: break
      }
    } else if !(self is URLSessionDownloadTask), request.fields["Accept-Encoding"] == nil {
      request.fields.set("Accept-Encoding", "gzip, deflate")
    }
    addCookies(to: &request)
    let size = request.body?.count ?? 0
    own.withLock { $0.expectedToSend = size }
    return request
  }

  // MARK: Cookies

  /// The cookie store of the session, unless the request ignores cookies.
  private var cookies: CookieJar? {
    guard let request = currentRequest, request.httpShouldHandleCookies else { return nil }
    return session.core.values.cookies
  }

  /// Whether the application has set the `Cookie` field itself.
  private var hasOwnCookies: Bool {
    let additional = session.core.values.httpAdditionalHeaders ?? [:]
    return currentRequest?.value(forHTTPHeaderField: "Cookie") != nil
      || additional.keys.contains { HTTPFields.isSame($0, "Cookie") }
  }

  /// The stored cookies for the current request; nil if there are none, or if `sendsCookies` is false.
  var cookieField: String? { currentRequest?.url.flatMap { cookieField(for: $0) } }

  private func cookieField(for url: URL) -> String? { sendsCookies ? cookies?.field(for: url) : nil }

  /// Whether requests contain the stored cookies.
  var sendsCookies: Bool {
    session.core.values.httpShouldSetCookies && cookies != nil && !hasOwnCookies
  }

  /// Replaces stored cookies in the request by those for its URL.
  func addCookies(to request: inout TransferRequest) {
    guard !hasOwnCookies else { return }
    request.fields.remove("Cookie")
    guard let url = URL(string: request.url.text), let field = cookieField(for: url) else { return }
    request.fields.set("Cookie", field)
  }

  /// Returns whether a response has cookies to store. `url`: the URL of the response; nil for that of the
  /// current request.
  func setsCookies(_ head: ResponseHead, from url: URL? = nil) -> Bool {
    guard head.fields["Set-Cookie"] != nil, cookies != nil, let request = currentRequest,
      let url = url ?? request.url
    else { return false }
    return session.core.values.httpCookieAcceptPolicy.accepts(from: url, document: request.mainDocumentURL)
  }

  /// Stores the cookies of a response. `url`: the URL of the response; nil for that of the current request.
  /// Blocks on the disk, because the shared storage writes a file.
  func storeCookies(of head: ResponseHead, from url: URL? = nil) {
    guard let url = url ?? currentRequest?.url else { return }
    cookies?.store(head, from: url)
  }
}
