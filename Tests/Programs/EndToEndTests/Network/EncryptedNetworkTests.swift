import Foundation
import NetworkTestSupport
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// URLs of servers with certificates.
  @Suite struct EncryptedNetworkTests {
    @Test(
      "A certificate of a strange authority, for another host, or expired, is refused; --cacert makes a good one play"
    )
    func certificates() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let folder = studio.folder
      let path = try await Song(duration: 0.5).write(into: folder)
      let content = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
      let servers = try EncryptedServers(in: folder)
      try servers.answer(
        "a.mp3",
        HostileFile.head("200 OK", ["Content-Length: \(content.count)", "Connection: close"]) + content)
      for certificate in EncryptedServers.Certificate.allCases {
        let server = try servers.start(certificate)
        defer { server.stop() }
        let url = server.url("a.mp3")
        if certificate == .good {
          let trusted = try studio.play(
            [url, "--cacert", servers.authority, "--output", "wav:\(folder)/heard.wav"])
          #expect(try await trusted.ended().status == 0, "\(trusted.log.value)")
          expectSame(try Sound(waveFile: "\(folder)/heard.wav"), try await Sound.mpg123([path]))
        }
        let authority = certificate == .good ? [] : ["--cacert", servers.authority]
        let refused = try studio.play([url, "--output", "simulated", "--no-socket"] + authority)
        #expect(try await refused.ended().status == 66, "\(certificate)")
        #expect(
          refused.events.events.contains {
            if case .failed(0, url, let error) = $0 { error.contains("certificate") } else { false }
          }, "\(certificate): \(refused.log.value)")
      }
    }

    @Test("From https nothing leads to http")
    func downgrade() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let plain = try HostileServer { _ in HostileFile.plain("404 Not Found") }
      defer { plain.stop() }
      let servers = try EncryptedServers(in: studio.folder)
      try servers.answer(
        "a.mp3",
        HostileFile.head("302 Found", ["Location: \(plain.url("/b.mp3"))", "Connection: close"]))
      let server = try servers.start()
      defer { server.stop() }
      let player = try studio.play(
        [server.url("a.mp3"), "--cacert", servers.authority, "--output", "simulated", "--no-socket"])
      #expect(try await player.ended().status == 66)
      #expect(
        player.events.events.contains(
          .failed(
            index: 0, url: server.url("a.mp3"),
            error: "127.0.0.1 redirects from https to http, which is not followed")), "\(player.log.value)")
      #expect(plain.connections == 0)
    }
  }
}
