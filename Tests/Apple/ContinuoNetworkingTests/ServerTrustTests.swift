import Clocks
import ContinuoNetworking
import CurlTransport
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import AppLifecycle

private typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

/// Decides about certificates, in the method for sessions.
private class SessionGuard: NSObject, URLSessionDelegate, @unchecked Sendable {
  // Unchecked, because there is a subclass; its state is immutable or guarded by a lock.
  let decide: @Sendable (SecTrust) -> Answer
  let seen = Mutex<[(certificate: Data, isValid: Bool, reason: String)]>([])
  var count: Int { seen.withLock { $0.count } }

  init(_ decide: @escaping @Sendable (SecTrust) -> Answer) { self.decide = decide }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    guard let trust = space.serverTrust, space.authenticationMethod == NSURLAuthenticationMethodServerTrust,
      space.host == "127.0.0.1", let first = SecTrustGetCertificateAtIndex(trust, 0)
    else { return completionHandler(.cancelAuthenticationChallenge, nil) }
    var error: (any Error)?
    let isValid = SecTrustEvaluateWithError(trust, &error)
    seen.withLock {
      $0.append((SecCertificateCopyData(first), isValid, (error as? URLError)?.localizedDescription ?? ""))
    }
    let (disposition, credential) = decide(trust)
    completionHandler(disposition, credential)
  }
}

/// Has a method for tasks too, which is for passwords.
private final class BothGuard: SessionGuard, URLSessionTaskDelegate, @unchecked Sendable {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) { completionHandler(.cancelAuthenticationChallenge, nil) }
}

/// Decides in the `async` method for tasks only.
private final class TaskGuard: NSObject, URLSessionTaskDelegate {
  let count = Mutex(0)
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    count.withLock { $0 += 1 }
    return (.useCredential, challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) })
  }
}

/// Answers each challenge twice: accepts the certificate, and refuses it.
private final class TwiceGuard: NSObject, URLSessionDelegate {
  let refusesFirst: Bool
  let count = Mutex(0)

  init(refusesFirst: Bool) { self.refusesFirst = refusesFirst }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    count.withLock { $0 += 1 }
    let credential = challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) }
    for refuses in [refusesFirst, !refusesFirst] {
      completionHandler(refuses ? .cancelAuthenticationChallenge : .useCredential, refuses ? nil : credential)
    }
  }
}

/// Passes challenges to a delegate without the method, or refuses them.
private final class Forwarder: NSObject, URLSessionDelegate {
  let other: Plain?

  init(to other: Plain?) { self.other = other }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    guard let other else { return (.cancelAuthenticationChallenge, nil) }
    return await other.urlSession(session, didReceive: challenge)
  }
}

/// Has none of the methods. What is known of a type holds for the whole process.
private final class Plain: NSObject, URLSessionTaskDelegate {}

/// Has none of the methods, for another test.
private final class Silent: NSObject, URLSessionTaskDelegate {}

@Suite("Server trust", .blocksThread, .timeLimit(.minutes(10)))
struct ServerTrustTests {
  private let folder: TemporaryFolder

  /// Certificates `a` and `b`, each its own authority.
  init() throws {
    folder = try TemporaryFolder()
    for name in ["a", "b"] {
      let options =
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key -out \(name).pem -days 9 -subj /CN=\(name) -addext subjectAltName=IP:127.0.0.1"
      try runTool("openssl", options.split(separator: " ").map(String.init), in: folder.path)
    }
  }

  /// Servers whose connections and requests the test counts.
  private func serve<Result>(
    _ certificate: String, on port: Int, _ body: (Server) async throws -> Result
  ) async throws -> Result {
    let server = try Server(certificate, on: port, in: folder)
    do {
      let result = try await body(server)
      server.stop()
      return result
    } catch {
      server.stop()
      throw error
    }
  }

  /// A server of Python's with connections that stay open.
  private final class Server {
    private let process = Process()
    private let log: String
    let url: URL

    init(_ certificate: String, on port: Int, in folder: TemporaryFolder) throws {
      log = folder.file("log-\(UUID().uuidString)")
      url = try #require(URL(string: "https://127.0.0.1:\(port)/answer"))
      let program = """
        import http.server, ssl, sys
        log = open(sys.argv[3], "a", buffering=1)
        class Handler(http.server.BaseHTTPRequestHandler):
          protocol_version = "HTTP/1.1"
          def log_message(self, *_): pass
          def do_GET(self):
            log.write("request\\n")
            if self.path == "/part":
              asked = self.headers.get("Range")
              first = int(asked[6:-1]) if asked else 0
              self.send_response(206 if asked else 200)
              self.send_header("ETag", '"1"')
              self.send_header("Accept-Ranges", "bytes")
              self.send_header("Content-Range", "bytes %d-299999/300000" % first)
              self.send_header("Content-Length", str(300000 - first))
              self.end_headers()
              self.wfile.write(bytes((300000 if asked else 200000) - first))
              self.close_connection = True
              return
            self.send_response(200)
            self.send_header("Content-Length", "5")
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(b"sound")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2] + ".pem", sys.argv[2] + ".key")
        class Server(http.server.ThreadingHTTPServer):
          daemon_threads = True
          def get_request(self):
            connection, address = self.socket.accept()
            log.write("connection\\n")
            return context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address
          def handle_error(self, *_): pass
        server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
        log.write("ready\\n")
        server.serve_forever()
        """
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["python3", "-c", program, "\(port)", certificate, log]
      process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
      try process.run()
      let end = Date(timeIntervalSinceNow: 120)
      while count("ready") == 0, process.isRunning, Date() < end { Thread.sleep(forTimeInterval: 0.02) }
      #expect(count("ready") == 1)
    }

    func count(_ line: String) -> Int {
      ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").count { $0 == line }
    }

    func stop() {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  /// A device with a libcurl of that name, which trusts `a` beside the system's authorities.
  private func device(_ library: String, trusting file: String? = nil) -> Device {
    let device = Device(
      modes: BackgroundModes(), clock: SystemClock.shared, mainQueue: SerialQueue(),
      isOnMainQueue: { false }, isActive: true)
    var options = CurlOptions()
    options.libraryNames = [library]
    options.certificateFile = file
    options.requestsPerSecond = 10_000
    device.networking.transport = CurlHTTPTransport(options: options)
    return device
  }

  private func session(on device: Device, _ delegate: (any URLSessionDelegate)?) -> URLSession {
    Device.withCurrent(device) {
      URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    }
  }

  private func fetch(_ session: URLSession, _ server: Server) async -> String {
    do {
      return String(decoding: try await session.data(from: server.url).0, as: UTF8.self)
    } catch {
      return "\((error as? URLError)?.code.rawValue ?? 0)"
    }
  }

  static let libraries = ["libcurl.so.4", "libcurl-gnutls.so.4"]

  @Test(
    "a certificate that is not valid: the delegate learns why and accepts it, before anything is sent",
    arguments: libraries)
  func invalid(_ library: String) async throws {
    let device = device(library)
    try await serve("a", on: LoopbackSocket.freePort()) { server in
      #expect(await fetch(session(on: device, nil), server) == "-1202")
      for (answer, expected) in [
        ((.performDefaultHandling, nil), "-1202"), ((.useCredential, nil), "-1202"),
        ((.cancelAuthenticationChallenge, nil), "-999"), ((.rejectProtectionSpace, nil), "-999"),
      ] as [(Answer, String)] {
        let delegate = SessionGuard { _ in answer }
        let session = session(on: device, delegate)
        #expect(await fetch(session, server) == expected && delegate.count == 1)
        session.invalidateAndCancel()
      }
      #expect(server.count("request") == 0)
      let delegate = BothGuard { (.useCredential, URLCredential(trust: $0)) }
      let session = session(on: device, delegate)
      for _ in 0..<3 { #expect(await fetch(session, server) == "sound") }
      let seen = delegate.seen.withLock { $0 }
      let pem = try String(contentsOfFile: folder.file("a.pem"), encoding: .utf8)
      let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("---") }
      #expect(seen.count == 1 && seen.first?.certificate == Data(base64Encoded: lines.joined()))
      #expect(seen.first?.isValid == false)
      #expect(seen.first?.reason.contains("the certificate of 127.0.0.1 is not valid") == true)
      #expect(server.count("request") == 3)
      session.invalidateAndCancel()
    }
  }

  @Test("a valid certificate: asked for too, once for a session; connections are kept", arguments: libraries)
  func valid(_ library: String) async throws {
    let device = device(library, trusting: folder.file("a.pem"))
    try await serve("a", on: LoopbackSocket.freePort()) { server in
      let delegate = SessionGuard { _ in (.performDefaultHandling, nil) }
      let session = session(on: device, delegate)
      for _ in 0..<3 { #expect(await fetch(session, server) == "sound") }
      #expect(delegate.count == 1 && delegate.seen.withLock { $0.first?.isValid } == true)
      #expect(server.count("connection") == 2)
      session.invalidateAndCancel()
      // A connection that another session has accepted is none that this one has.
      let refusing = SessionGuard { _ in (.cancelAuthenticationChallenge, nil) }
      let other = self.session(on: device, refusing)
      #expect(await fetch(other, server) == "-999" && refusing.count == 1)
      #expect(server.count("request") == 3)
      other.invalidateAndCancel()
    }
  }

  @Test("another certificate at the same address is asked for again, before anything is sent")
  func changed() async throws {
    let device = device(Self.libraries[0])
    let port = try LoopbackSocket.freePort()
    let accepted = Mutex<Data?>(nil)
    // It pins the first certificate that it sees.
    let delegate = SessionGuard { trust in
      let own = SecTrustCopyCertificateChain(trust)?.first.map { SecCertificateCopyData($0) }
      let isSame = accepted.withLock { accepted in
        accepted = accepted ?? own
        return accepted == own
      }
      return isSame ? (.useCredential, URLCredential(trust: trust)) : (.cancelAuthenticationChallenge, nil)
    }
    let session = session(on: device, delegate)
    try await serve("a", on: port) { #expect(await fetch(session, $0) == "sound") }
    try await serve("b", on: port) { server in
      #expect(await fetch(session, server) == "-999" && server.count("request") == 0 && delegate.count == 2)
    }
    #expect(!delegate.seen.withLock { $0.contains { $0.isValid } })
    #expect(Set(delegate.seen.withLock { $0.map(\.certificate) }).count == 2)
    session.invalidateAndCancel()
  }

  @Test("a connection of a session without a delegate is no way around the delegate of another")
  func shared() async throws {
    let device = device(Self.libraries[0], trusting: folder.file("a.pem"))
    try await serve("a", on: LoopbackSocket.freePort()) { server in
      #expect(await fetch(session(on: device, nil), server) == "sound")
      let delegate = SessionGuard { _ in (.cancelAuthenticationChallenge, nil) }
      let session = session(on: device, delegate)
      #expect(await fetch(session, server) == "-999" && delegate.count == 1)
      #expect(server.count("request") == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(
    "the method for tasks serves where there is none for sessions; a delegate with neither costs one connection"
  )
  func forms() async throws {
    let device = device(Self.libraries[0], trusting: folder.file("a.pem"))
    try await serve("a", on: LoopbackSocket.freePort()) { server in
      let delegate = TaskGuard()
      let session = session(on: device, delegate)
      #expect(await fetch(session, server) == "sound" && delegate.count.withLock { $0 } == 1)
      session.invalidateAndCancel()
      for _ in 0..<2 {
        let plain = self.session(on: device, Plain())
        #expect(await fetch(plain, server) == "sound")
        plain.invalidateAndCancel()
      }
      let (connections, requests) = (server.count("connection"), server.count("request"))
      #expect(connections == 3 && requests == 3, "\(connections) \(requests)")
    }
  }

  @Test("a task's delegate without a method leaves the decision to the session's")
  func taskDelegate() async throws {
    let device = device(Self.libraries[0], trusting: folder.file("a.pem"))
    try await serve("a", on: LoopbackSocket.freePort()) { server in
      let delegate = SessionGuard { _ in (.cancelAuthenticationChallenge, nil) }
      let session = session(on: device, delegate)
      for count in 1...2 {
        let error = await #expect(throws: URLError.self) {
          _ = try await session.data(for: URLRequest(url: server.url), delegate: Silent())
        }
        #expect(error?.code == .cancelled && delegate.count == count)
      }
      #expect(server.count("request") == 0)
      session.invalidateAndCancel()
    }
  }

  @Test("a resumed download whose server is refused keeps its bytes")
  func resumed() async throws {
    let device = device(Self.libraries[0])
    try await serve("a", on: LoopbackSocket.freePort()) { server in
      let part = try #require(URL(string: "/part", relativeTo: server.url)).absoluteURL
      let accepting = SessionGuard { (.useCredential, URLCredential(trust: $0)) }
      let first = session(on: device, accepting)
      var error = await #expect(throws: URLError.self) { _ = try await first.download(from: part) }
      for answer in [(.cancelAuthenticationChallenge, nil), (.performDefaultHandling, nil)] as [Answer] {
        let data = try #require(error?.downloadTaskResumeData)
        let refusing = session(on: device, SessionGuard { _ in answer })
        error = await #expect(throws: URLError.self) { _ = try await refusing.download(resumeFrom: data) }
        refusing.invalidateAndCancel()
      }
      let data = try #require(error?.downloadTaskResumeData)
      let (file, _) = try await first.download(resumeFrom: data)
      #expect(try Data(contentsOf: file) == Data(count: 300_000))
      try FileManager.default.removeItem(at: file)
      #expect(accepting.count == 1 && server.count("request") == 2)
      first.invalidateAndCancel()
    }
  }

  @Test("a second answer is ignored: a refused certificate is not accepted, and an accepted one not refused")
  func answeredTwice() async throws {
    let device = device(Self.libraries[0], trusting: folder.file("a.pem"))
    try await serve("a", on: LoopbackSocket.freePort()) { server in
      for refusesFirst in [true, false] {
        let delegate = TwiceGuard(refusesFirst: refusesFirst)
        let session = session(on: device, delegate)
        for _ in 0..<2 { #expect(await fetch(session, server) == (refusesFirst ? "-999" : "sound")) }
        #expect(delegate.count.withLock { $0 } == (refusesFirst ? 2 : 1))
        session.invalidateAndCancel()
      }
      #expect(server.count("request") == 2)
    }
  }

  @Test("a delegate that passes a challenge to one without the method is asked again")
  func forwarded() async throws {
    let device = device(Self.libraries[0], trusting: folder.file("a.pem"))
    try await serve("a", on: LoopbackSocket.freePort()) { server in
      for (other, expected) in [(Plain(), "sound"), (nil, "-999")] as [(Plain?, String)] {
        let session = session(on: device, Forwarder(to: other))
        #expect(await fetch(session, server) == expected)
        session.invalidateAndCancel()
      }
    }
  }

  @Test("a redirect to a server over TLS asks too")
  func redirect() async throws {
    let device = device(Self.libraries[0])
    try await serve("a", on: LoopbackSocket.freePort()) { server in
      let location = "Location: \(server.url.absoluteString)"
      let plain = try HostileServer { _ in
        [.send(HostileFile.head("302 Found", [location, "Content-Length: 0"]))]
      }
      for (answer, expected) in [
        ((.cancelAuthenticationChallenge, nil), -999), ((.performDefaultHandling, nil), -1202),
      ] as [(Answer, Int)] {
        let delegate = SessionGuard { _ in answer }
        let session = session(on: device, delegate)
        let error = await #expect(throws: URLError.self) {
          _ = try await session.data(from: try #require(URL(string: plain.url("/"))))
        }
        #expect(error?.code.rawValue == expected && delegate.count == 1)
        session.invalidateAndCancel()
      }
      #expect(server.count("request") == 0)
    }
  }
}
