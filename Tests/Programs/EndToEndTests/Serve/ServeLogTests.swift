import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// What `serve` says of its library, its songs and its clients.
  @Suite struct ServeLogTests {
    private let simulated = ["--no-state", "--output", "simulated"]

    @Test func songsOfTheLibraryAndWhatIsNone() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = try await Song(duration: 3).write(into: studio.folder)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: song))
      for name in ["a.mp3", "b/c.mp3", "d.wma"] { _ = try studio.write(bytes, to: "Music/\(name)") }
      let home = "\(studio.folder)/Music"
      let server = try await studio.serve(simulated + ["--home", home])
      _ = try await server.log.wait(for: "the library's lines") { log in
        log.errors.contains("continuo: \(home): 2 songs found")
          && log.errors.contains("continuo: \(home): 1 file cannot be played: 1 .wma")
      }
      _ = try await server.ended(by: SIGTERM)
    }

    /// Clients of the socket that systemd has created would wait for ever.
    @Test(arguments: ["--socket", "--socket-mode", "--socket-group"])
    func optionsOfASocketThatSystemdHasCreatedAreRefused(_ option: String) async throws {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let value = option == "--socket" ? folder.file("other") : "0600"
      let program = passingSocket(
        at: folder.file("passed"), to: [product("continuo"), "serve", option, value] + simulated)
      let log = try await Run(program[0], Array(program.dropFirst())).finished(status: 64)
      #expect(
        log.errors.contains { $0.contains("\(option): systemd has created the socket") }, "\(log.errors)")
    }

    @Test func anErrorOfASongIsSaidOnce() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = try await Song(duration: 30).write(into: studio.folder)
      let broken = try studio.write("no sound".utf8, to: "broken.mp3")
      let other = try studio.write("no sound".utf8, to: "other.mp3")
      let server = try await studio.serve(simulated + [broken, song, other])
      let client = try Conversation(studio.socketPath)
      for _ in 0..<2 {
        #expect(try await client.ask("play 0") == ["OK"])
        try await client.comes("song: 1", in: "status")
      }
      #expect(try await client.ask("repeat 1") == ["OK"])
      #expect(try await client.ask("play 2") == ["OK"])
      let log = try await server.log.wait(for: "the other song's error") { log in
        log.errors.contains { $0.hasPrefix("continuo: other.mp3: ") || $0.hasPrefix("continuo: \(other): ") }
      }
      #expect(log.errors.count { $0.contains("broken.mp3: ") } == 1, "\(log.errors)")
      client.finish()
      _ = try await server.ended(by: SIGTERM)
    }

    @Test func clientsAndRefusedCommandsWhereDebuggingIsAskedFor() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let server = try await studio.serve(simulated + ["--log-level", "debug"])
      let client = try Conversation(studio.socketPath)
      #expect(try await client.ask("play 7") == ["ACK [2@0] {play} Bad song index"])
      #expect(try await client.ask("dance").last?.hasPrefix("ACK [5@0] {}") == true)
      client.send("close")
      let log = try await server.log.wait(for: "a client that left") { log in
        log.errors.contains("continuo: client 1 left")
      }
      let lines = log.errors.filter { $0.hasPrefix("continuo: client") }
      #expect(lines.first == "continuo: client 1 connected (user \(getuid()))")
      #expect(lines.contains("continuo: client 1: ACK [2@0] {play} Bad song index"))
      #expect(lines.contains { $0.hasPrefix("continuo: client 1: ACK [5@0] {}") })
      client.finish()
      _ = try await server.ended(by: SIGTERM)
    }

    @Test(arguments: [nil, "error"]) func clientsAreNotNamedOtherwise(level: String?) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let server = try studio.beginServing(simulated + (level.map { ["--log-level", $0] } ?? []))
      let client = try await studio.firstClient()
      #expect(try await client.ask("play 7") == ["ACK [2@0] {play} Bad song index"])
      client.finish()
      // The first client may be served before the line is written.
      if level == nil {
        _ = try await server.log.wait(for: "the place") { $0.errors.contains { $0.contains("listening at") } }
      }
      _ = try await server.ended(by: SIGTERM)
      let lines = server.log.value.errors
      #expect(!lines.contains { $0.contains("client") }, "\(lines)")
      #expect(lines.contains { $0.contains("listening at") } == (level == nil), "\(lines)")
    }
  }
}
