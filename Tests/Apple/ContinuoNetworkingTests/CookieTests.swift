import ContinuoNetworking
import Dispatch
import NetworkTestSupport
import TestSupport
import Testing

private let acceptances: [(HTTPCookie.AcceptPolicy, document: String?, isStored: Bool)] = [
  (.always, "http://other.test/", true), (.never, nil, false),
  (.onlyFromMainDocumentDomain, nil, true), (.onlyFromMainDocumentDomain, "http://other.test/", false),
  (.onlyFromMainDocumentDomain, "http://127.0.0.1/page", true),
  (.onlyFromMainDocumentDomain, "http://a.127.0.0.1/page", true),
  (.onlyFromMainDocumentDomain, "http://a127.0.0.1/page", false),
  (.onlyFromMainDocumentDomain, "file:///page", false),
]

@Suite("Cookies on loopback", .blocksThread, .timeLimit(.minutes(10)))
struct CookieTests {
  /// A server that sets the cookies that the query lists, separated by "!", and redirects from `/old` to `/new`.
  private func server() throws -> HostileServer {
    try HostileServer { request in
      let query = request.target.split(separator: "?").dropFirst().first.map(String.init) ?? ""
      var fields = query.split(separator: "!").map { text in
        "Set-Cookie: \(text.replacingOccurrences(of: "+", with: " "))"
      }
      fields.append("Content-Length: 0")
      guard request.target.hasPrefix("/old") else { return [.send(HostileFile.head("200 OK", fields))] }
      return [.send(HostileFile.head("302 Found", fields + ["Location: /new"]))]
    }
  }

  private func get(_ session: URLSession, _ server: HostileServer, _ target: String, cookie: String? = nil)
    async throws -> String?
  {
    var request = URLRequest(url: try #require(URL(string: server.url(target))))
    if let cookie { request.setValue(cookie, forHTTPHeaderField: "Cookie") }
    _ = try await session.data(for: request)
    return server.requests.last?.fields["cookie"]
  }

  @Test("what a response sets is sent to its path, longer paths first, until it expires or is secure")
  func kept() async throws {
    let server = try server()
    let session = URLSession(configuration: .ephemeral)
    let cookies = "x=1;+Path=/!y=2;+Path=/deep;+Max-Age=60!z=3;+Secure;+Path=/"
    #expect(try await get(session, server, "/a?" + cookies) == nil)
    #expect(try await get(session, server, "/a") == "x=1")
    #expect(try await get(session, server, "/deep/a") == "y=2; x=1")
    #expect(try await get(session, server, "/deeper") == "x=1")
    #expect(try await get(session, server, "/a?x=1;+Path=/;+Max-Age=0") == "x=1")
    #expect(try await get(session, server, "/a") == nil)
    #expect(session.configuration.httpCookieStorage?.cookies?.count == 2)
    #expect(try await get(URLSession(configuration: .ephemeral), server, "/deep/a") == nil)
  }

  @Test("a delegate and a download hear after the cookies were stored")
  func order() async throws {
    let server = try server()
    let configuration = URLSessionConfiguration.ephemeral
    let session = URLSession(configuration: configuration)
    let (file, _) = try await session.download(
      from: try #require(URL(string: server.url("/a?x=1;+Path=/"))))
    try FileManager.default.removeItem(at: file)
    #expect(try await get(session, server, "/a") == "x=1")
    let ended = DispatchSemaphore(value: 0)
    let log = TransferLog(onEnd: { ended.signal() })
    let delegated = URLSession(configuration: configuration, delegate: log, delegateQueue: nil)
    delegated.dataTask(with: try #require(URL(string: server.url("/a?y=2;+Path=/")))).resume()
    #expect(await wait(for: ended) && log.lines == ["response 200", "complete"])
    #expect(configuration.httpCookieStorage?.cookies?.count == 2)
    delegated.invalidateAndCancel()
  }

  private func wait(for semaphore: DispatchSemaphore) async -> Bool {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: semaphore.wait(timeout: .now() + 120) == .success)
      }
    }
  }

  @Test("a redirect's cookies are sent to where it leads")
  func redirect() async throws {
    let server = try server()
    #expect(try await get(URLSession(configuration: .ephemeral), server, "/old?x=1;+Path=/") == "x=1")
  }

  @Test(
    "the session's policy decides which cookies are stored, and not the storage's",
    arguments: acceptances, [HTTPCookie.AcceptPolicy.always, .onlyFromMainDocumentDomain])
  func documents(
    _ row: (policy: HTTPCookie.AcceptPolicy, document: String?, isStored: Bool),
    storage: HTTPCookie.AcceptPolicy
  ) async throws {
    let server = try server()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieAcceptPolicy = row.policy
    configuration.httpCookieStorage?.cookieAcceptPolicy = storage
    let session = URLSession(configuration: configuration)
    for target in ["/a?x=1;+Path=/", "/old?y=2;+Path=/"] {
      var request = URLRequest(url: try #require(URL(string: server.url(target))))
      request.mainDocumentURL = row.document.flatMap { URL(string: $0) }
      _ = try await session.data(for: request)
    }
    #expect(try await get(session, server, "/a") == (row.isStored ? "x=1; y=2" : nil))
  }

  @Test("a request's own field comes first; and policies, and no storage")
  func policies() async throws {
    let server = try server()
    let configuration = URLSessionConfiguration.ephemeral
    let session = URLSession(configuration: configuration)
    _ = try await get(session, server, "/a?x=1;+Path=/")
    #expect(try await get(session, server, "/a", cookie: "mine=2") == "mine=2")
    configuration.httpShouldSetCookies = false
    #expect(try await get(URLSession(configuration: configuration), server, "/a") == nil)
    configuration.httpShouldSetCookies = true
    configuration.httpCookieAcceptPolicy = .never
    #expect(try await get(URLSession(configuration: configuration), server, "/a?y=2;+Path=/") == "x=1")
    #expect(try await get(URLSession(configuration: configuration), server, "/a") == "x=1")
    configuration.httpCookieStorage = nil
    #expect(try await get(URLSession(configuration: configuration), server, "/a") == nil)
    var request = URLRequest(url: try #require(URL(string: server.url("/a"))))
    request.httpShouldHandleCookies = false
    _ = try await session.data(for: request)
    #expect(server.requests.last?.fields["cookie"] == nil)
  }
}
