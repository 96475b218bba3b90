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

  private func openssl(_ arguments: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "openssl \(arguments)")
  }

  /// An authority `ca.pem`, and a certificate of its for each of these names, valid for so many days.
  private func makeCertificates(_ certificates: [(file: String, name: String, days: Int)]) throws {
    try openssl(
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=Test-Authority"
    )
    for certificate in certificates {
      try Data("subjectAltName=\(certificate.name)\n".utf8).write(
        to: URL(fileURLWithPath: "\(folder.path)/\(certificate.file).ext"))
      try openssl(
        "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(certificate.file).key -out \(certificate.file).csr -subj /CN=x"
      )
      try openssl(
        "x509 -req -in \(certificate.file).csr -CA ca.pem -CAkey ca.key -CAcreateserial -out \(certificate.file).pem "
          + "-days \(certificate.days) -extfile \(certificate.file).ext")
    }
  }

  /// Serves the file `answer`, a whole answer, while `body` runs.
  private func serve<Result>(_ certificate: String, _ body: (Int) throws -> Result) throws -> Result {
    let port = try LoopbackSocket.freePort()
    try Data(HostileFile.head("200 OK", ["Content-Length: 5", "Connection: close"]) + Array("sound".utf8))
      .write(
        to: URL(fileURLWithPath: folder.path + "/answer"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "openssl", "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", certificate + ".pem", "-key",
      certificate + ".key", "-HTTP",
    ]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.standardInput = Pipe()
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
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
    try makeCertificates([
      ("good", "IP:127.0.0.1", 10), ("other", "DNS:example.org", 10), ("old", "IP:127.0.0.1", -1),
    ])
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
