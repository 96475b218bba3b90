import CurlTransport
import Foundation
import NetworkTestSupport
import TestSupport
import Testing
import Transfer

/// Certificates that the test makes, and a server of openssl's that has them.
@Suite("Encrypted connections", .blocksThread)
struct EncryptionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Serves the file `answer`, a whole answer, while `body` runs.
  private func serve<Result>(_ certificate: String, _ body: (Int) throws -> Result) throws -> Result {
    try folder.write(
      "answer", HostileFile.head("200 OK", ["Content-Length: 5", "Connection: close"]) + Array("sound".utf8))
    let (port, process) = try OpenSSL.serve(certificate, in: folder.path)
    defer {
      // The mask of signals is inherited, and a thread of the tests may have them blocked.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    return try body(port)
  }

  /// The transfer's end; as long as the server does not listen yet it is tried again.
  private func fetch(_ port: Int, _ options: CurlOptions) throws -> RecordingSink {
    let end = Date(timeIntervalSinceNow: 120)
    while true {
      let transport = CurlHTTPTransport(options: options)
      let sink = RecordingSink()
      _ = transport.start(
        TransferRequest(url: try WebURL.read("https://127.0.0.1:\(port)/answer").url), sink: sink)
      #expect(sink.wait())
      guard sink.failure?.kind == .refused, Date() < end else { return sink }
      Thread.sleep(forTimeInterval: 0.02)
    }
  }

  @Test(
    "an unknown authority, a wrong name, an expired certificate: refused before anything is sent; --cacert makes it play"
  )
  func certificates() throws {
    try OpenSSL.makeCertificates(
      [("good", "IP:127.0.0.1", 10), ("other", "DNS:example.org", 10), ("old", "IP:127.0.0.1", -1)],
      in: folder.path)
    var options = CurlOptions()
    let unknown = try serve("good") { try fetch($0, options) }
    #expect(unknown.failure?.kind == .certificate && unknown.head == nil, "\(unknown.failure as Any)")
    #expect(unknown.failure?.message.hasPrefix("the certificate of 127.0.0.1 is not valid: ") == true)
    options.certificateFile = folder.path + "/ca.pem"
    let good = try serve("good") { try fetch($0, options) }
    #expect(good.failure == nil && good.body == Array("sound".utf8), "\(good.failure as Any)")
    for bad in ["other", "old"] {
      let sink = try serve(bad) { try fetch($0, options) }
      #expect(sink.failure?.kind == .certificate && sink.head == nil, "\(sink.failure as Any)")
    }
  }

  @Test("a host that does not speak TLS, and one that hangs up in the middle of it")
  func noTLS() throws {
    let plain = try HostileServer { _ in HostileFile.plain("200 OK") }
    // It takes the greeting for an endless head and never answers; it is stopped in the middle.
    let transport = CurlHTTPTransport()
    let sink = RecordingSink()
    _ = transport.start(
      TransferRequest(url: try WebURL.read("https://127.0.0.1:\(plain.port)/").url), sink: sink)
    let end = Date(timeIntervalSinceNow: 120)
    while plain.connections == 0, Date() < end { Thread.sleep(forTimeInterval: 0.01) }
    plain.stop()
    #expect(sink.wait() && sink.failure?.kind == .tls, "\(sink.failure as Any)")
  }
}
