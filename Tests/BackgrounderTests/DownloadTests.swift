import Foundation
import NetworkTestSupport
import PulseTestSupport
import TestSupport
import Testing

extension BackgrounderTests {
  /// The download screen with a real server.
  @Suite struct DownloadTests {
    private static let names = ["one", "two", "three", "four"].map { "\($0).mp3" }
    private let content = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }

    /// A server of four files, which sends them so many bytes at a time with a tenth of a second between.
    private func server(piece: Int) throws -> HostileServer {
      let file = HostileFile(content)
      return try HostileServer { request in
        file.answer(request).map { step in
          if case .send(let bytes) = step, bytes.count > 1000 {
            .sendSlowly(bytes, piece: piece, pause: 0.1)
          } else {
            step
          }
        }
      }
    }

    private func download(_ server: HostileServer, _ arguments: [String]) async throws -> Transcript {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let transcript = try await Run(
        ["download", "--service", server.url("/music"), "--downloads", folder.path] + arguments
      ).ended()
      for name in Self.names {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        #expect(data.elementsEqual(content), "\(name)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 4)
      #expect(
        transcript.application.filter { $0.hasPrefix("Downloaded") } == Self.names.map { "Downloaded \($0)" })
      #expect(transcript.application.last == "No more downloads")
      #expect(transcript.errors.isEmpty)
      return transcript
    }

    @Test func filesAreTheServers() async throws {
      let server = try server(piece: 100_000)
      let transcript = try await download(server, ["--script", "tap@0 home@0.5 quit@5"])
      #expect(server.requests.map(\.target) == Self.names.map { "/music/\($0)" })
      #expect(transcript.system.contains("> task 1 \"Download\" ended"))
    }

    /// T6: where a suspended application has lost its connection it goes on by Range, and the file is the server's.
    @Test func aReclaimedConnectionIsReplaced() async throws {
      let server = try server(piece: 20_000)
      // No time for tasks: it is suspended at once.
      let transcript = try await download(
        server, ["--background-time", "0", "--script", "tap@0 home@1 foreground@2 quit@12"])
      #expect(transcript.system.contains { $0.hasPrefix("> sockets reclaimed: 127.0.0.1:") })
      #expect(transcript.application.contains { $0.hasPrefix("Download interrupted: ") })
      #expect(transcript.application.contains { $0.hasPrefix("Going on at byte ") })
      #expect(server.requests.contains { $0.first ?? 0 > 0 && $0.fields["if-range"] == "\"1\"" })
      #expect(server.bytesSent < 4 * content.count + 500_000)
    }

    /// T10: begun before, asked for in didEnterBackground, closed by the expiration handler; no termination, and the rest in
    /// front.
    @Test func theExpirationHandlerClosesTheConnection() async throws {
      let server = try server(piece: 20_000)
      let task = "> task 1 \"Download\""
      let transcript = try await download(
        server,
        [
          "--background-time", "2", "--expiration-warning", "1", "--script",
          "tap@0 home@0.5 foreground@3 quit@13",
        ])
      #expect(
        // The network's thread may come to close the connection only after the system has taken it.
        transcript.system.filter { !$0.contains("reclaimed") } == Transcript.launch + ["> tap"]
          + Transcript.home + [
            "\(task) begun", "> state background", "\(task) expires", "\(task) ended", "\(task) has expired",
            "> state suspended",
          ] + Transcript.foreground + ["> state active", "> quit"])
      #expect(transcript.application.contains("Out of time, 4 downloads left"))
      #expect(transcript.application.contains { $0.hasPrefix("Going on at byte ") })
    }

    @Test func whatIsNotThereIsSaidSo() async throws {
      let server = try HostileServer { _ in HostileFile.plain("404 Not Found") }
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let transcript = try await Run([
        "download", "--service", server.url(""), "--downloads", folder.path, "--press", "quit@2",
      ]).ended()
      #expect(
        transcript.application.filter { $0.hasPrefix("Download of ") }.count == 4, "\(transcript.application)"
      )
      #expect(transcript.application.last == "No more downloads")
    }
  }
}
