import Foundation
import NetworkTestSupport
import PulseTestSupport
import TestSupport

/// Servers of openssl's with certificates of an authority that the test has made.
struct EncryptedServers {
  /// What a server shows.
  enum Certificate: String, CaseIterable {
    case good, wrongHost, expired
  }

  private let folder: String

  /// Makes the authority and its certificates in a folder.
  init(in folder: String) throws {
    self.folder = folder
    try OpenSSL.makeCertificates(
      Certificate.allCases.map {
        ($0.rawValue, $0 == .wrongHost ? "DNS:example.org" : "IP:127.0.0.1", $0 == .expired ? -1 : 1)
      }, in: folder)
  }

  /// The authority's certificate, for `--cacert`.
  var authority: String { "\(folder)/ca.pem" }

  /// A whole answer, head and body, that servers send for that name.
  func answer(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
  }

  /// A server of the answers.
  func start(_ certificate: Certificate = .good) throws -> EncryptedServer {
    let (port, process) = try OpenSSL.serve(certificate.rawValue, in: folder)
    return EncryptedServer(port: port, authority: authority, process: process)
  }
}

/// A server of openssl's that runs.
struct EncryptedServer: Sendable {
  let port: Int
  /// Of its certificate's authority, for `--cacert`.
  let authority: String
  fileprivate let process: Process

  /// The URL of an answer.
  func url(_ name: String) -> String { "https://127.0.0.1:\(port)/\(name)" }

  /// A server of `a.mp3` that stands still: the kernel makes connections to it, and it says nothing.
  static func standingStill(_ content: [UInt8], in folder: String) async throws -> EncryptedServer {
    let servers = try EncryptedServers(in: folder)
    try servers.answer(
      "a.mp3",
      HostileFile.head("200 OK", ["Content-Length: \(content.count)", "Connection: close"]) + content)
    let server = try servers.start()
    // Until it listens.
    while (try? LoopbackSocket.connected(to: server.port)) == nil {
      try await Task.sleep(for: .milliseconds(5))
    }
    kill(server.process.processIdentifier, SIGSTOP)
    return server
  }

  /// Goes on after it stood still.
  func resume() { kill(process.processIdentifier, SIGCONT) }

  func stop() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
