package import Foundation
import TestSupport

/// Certificates of a test's own, and openssl's server with one of them, all in one folder.
package enum OpenSSL {
  /// Makes an authority, `ca.pem`, and its certificates, which are valid for so many days from now: each a `FILE.pem` with
  /// its `FILE.key`.
  package static func makeCertificates(
    _ certificates: [(file: String, name: String, days: Int)] = [("server", "IP:127.0.0.1", 10)],
    in folder: String
  ) throws {
    func openssl(_ arguments: String) throws {
      try runTool("openssl", arguments.split(separator: " ").map(String.init), in: folder)
    }
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    try openssl("req -x509 \(key) -keyout ca.key -out ca.pem -days 30 -subj /CN=Test-Authority")
    for (file, name, days) in certificates {
      try Data("subjectAltName=\(name)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(file).ext"))
      try openssl("req \(key) -keyout \(file).key -out \(file).csr -subj /CN=x")
      try openssl(
        "x509 -req -in \(file).csr -CA ca.pem -CAkey ca.key -CAcreateserial -out \(file).pem -days \(days) "
          + "-extfile \(file).ext")
    }
  }

  /// Starts a server of the folder's files, each of them a whole answer.
  package static func serve(_ certificate: String, in folder: String) throws -> (port: Int, process: Process)
  {
    let port = try LoopbackSocket.freePort()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "openssl", "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", "\(certificate).pem", "-key",
      "\(certificate).key", "-HTTP",
    ]
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardInput = Pipe()
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    return (port, process)
  }
}
