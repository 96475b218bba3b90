import ContinuoNetworking
import ContinuoTesting
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

/// Answers the first challenge of a task with a credential, each further one by default.
private final class Guard: NSObject, URLSessionTaskDelegate {
  let credential: URLCredential
  let methods = Mutex<[String]>([])

  init(_ credential: URLCredential) { self.credential = credential }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    let proposed = challenge.proposedCredential?.user ?? "nobody"
    methods.withLock { $0.append("\(space.authenticationMethod) \(space.realm ?? "") \(proposed)") }
    let isFirst = challenge.previousFailureCount == 0
    completionHandler(isFirst ? .useCredential : .performDefaultHandling, isFirst ? credential : nil)
  }
}

/// Has no method for challenges.
private final class Bystander: NSObject, URLSessionTaskDelegate {}

@Suite("Credentials on loopback", .blocksThread, .timeLimit(.minutes(10)))
struct CredentialTests {
  /// A server that wants credentials, and the `Authorization` fields that it takes.
  private func server(
    _ challenge: String, takes: @escaping @Sendable (String) -> Bool
  ) throws -> HostileServer {
    try HostileServer { request in
      if let field = request.fields["authorization"], takes(field) { return HostileFile.plain("200 OK") }
      let head = HostileFile.head(
        "401 Unauthorized", ["WWW-Authenticate: \(challenge)", "Content-Length: 6"])
      return [.send(head + Array("refuse".utf8))]
    }
  }

  private func status(_ session: URLSession, _ server: HostileServer) async throws -> Int? {
    let url = try #require(URL(string: server.url("/a")))
    return (try await session.data(from: url).1 as? HTTPURLResponse)?.statusCode
  }

  @Test("a digest is sent to a server that wants one, with the body again")
  func digest() async throws {
    let server = try server("Digest realm=\"files\", nonce=\"abc\", qop=\"auth\", algorithm=MD5") {
      $0.hasPrefix("Digest username=\"ann\"") && $0.contains("nonce=\"abc\"") && $0.contains("response=")
    }
    let delegate = Guard(URLCredential(user: "ann", password: "right", persistence: .none))
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    #expect(try await status(session, server) == 200)
    #expect(delegate.methods.withLock { $0 } == ["\(NSURLAuthenticationMethodHTTPDigest) files nobody"])
    var request = URLRequest(url: try #require(URL(string: server.url("/up"))))
    request.httpMethod = "POST"
    let (_, response) = try await session.upload(for: request, from: Data([1, 2, 3]))
    #expect((response as? HTTPURLResponse)?.statusCode == 200 && server.requests.last?.body == [1, 2, 3])
    #expect(!server.requests.contains { $0.lines.contains { $0.contains("right") } })
    session.invalidateAndCancel()
  }

  @Test("the session's delegate answers for a task's own delegate that has no method for challenges")
  func otherDelegate() async throws {
    let server = try server("Basic realm=\"files\"") { $0.hasPrefix("Basic ") }
    let delegate = Guard(URLCredential(user: "ann", password: "right", persistence: .none))
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    let url = try #require(URL(string: server.url("/a")))
    for (own, count) in [(Bystander(), 1), (delegate, 2)] as [(any URLSessionTaskDelegate, Int)] {
      let (_, response) = try await session.data(from: url, delegate: own)
      #expect(
        (response as? HTTPURLResponse)?.statusCode == 200 && delegate.methods.withLock { $0.count } == count)
    }
    let alone = URLSession(configuration: .ephemeral, delegate: Bystander(), delegateQueue: nil)
    let (_, response) = try await alone.data(from: url, delegate: Bystander())
    #expect((response as? HTTPURLResponse)?.statusCode == 401)
    for session in [session, alone] { session.invalidateAndCancel() }
  }

  @Test("a refused digest is the answer of the server, with its body")
  func refusedDigest() async throws {
    let server = try server("Digest realm=\"files\", nonce=\"abc\", qop=\"auth\"") { _ in false }
    let delegate = Guard(URLCredential(user: "ann", password: "wrong", persistence: .forSession))
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    let (data, response) = try await session.data(from: try #require(URL(string: server.url("/a"))))
    #expect((response as? HTTPURLResponse)?.statusCode == 401 && data == Data("refuse".utf8))
    session.invalidateAndCancel()
  }

  @Test("a credential for the session is used again, without a delegate too; one for no session is not")
  func kept() async throws {
    let server = try server("Basic realm=\"files\"") { $0.hasPrefix("Basic ") }
    for persistence in [URLCredential.Persistence.none, .forSession] {
      let configuration = URLSessionConfiguration.ephemeral
      let delegate = Guard(URLCredential(user: "ann", password: "right", persistence: persistence))
      let first = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await status(first, server) == 200)
      first.invalidateAndCancel()
      let isKept = persistence == .forSession
      #expect(try await status(URLSession(configuration: configuration), server) == (isKept ? 200 : 401))
      configuration.urlCredentialStorage = nil
      #expect(try await status(URLSession(configuration: configuration), server) == 401)
    }
  }
}
