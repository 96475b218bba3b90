import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// SIGHUP has a server read what it was given again.
  @Suite struct ReloadTests {
    /// Replaces the password file.
    private func setPasswords(_ text: String, in studio: Studio) throws -> String {
      let path = try studio.write(text.utf8, to: "passwords")
      guard chmod(path, 0o600) == 0 else { throw Failure("chmod") }
      return path
    }

    private func reloads(_ server: Player, until count: Int, _ text: String) async throws {
      server.child.signal(SIGHUP)
      _ = try await server.log.wait(for: text) { $0.errors.count { $0.contains(text) } == count }
    }

    @Test func passwordsAreReadAgain() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let passwords = try setPasswords("old@read,control\n", in: studio)
      let server = try await studio.serve([
        "--no-state", "--output", "simulated", "--listen", "127.0.0.1:0", "--password", passwords,
      ])
      let log = try await server.log.wait(for: "a port") { log in
        log.errors.contains { $0.hasPrefix("continuo: listening at 127.0.0.1:") }
      }
      let port = try #require(
        log.errors.first { $0.contains("at 127.0.0.1:") }?.split(separator: ":").last.flatMap { Int($0) })
      let (known, stranger) = (try Conversation(port: port), try Conversation(port: port))
      #expect(try await known.ask("password old") == ["OK"])
      #expect(try await stranger.ask("status").last?.hasPrefix("ACK [4@0] {status}") == true)

      _ = try setPasswords("new@read\n", in: studio)
      try await reloads(server, until: 1, "reloaded")
      #expect(try await known.ask("repeat 1") == ["OK"])
      #expect(try await stranger.ask("password new") == ["OK"])
      #expect(try await stranger.ask("status").last == "OK")
      #expect(try await stranger.ask("repeat 1").last?.hasPrefix("ACK [4@0] {repeat}") == true)
      let late = try Conversation(port: port)
      #expect(try await late.ask("password old") == ["ACK [3@0] {password} incorrect password"])

      _ = try setPasswords("no permissions\n", in: studio)
      try await reloads(
        server, until: 1, "missing @ between password and permissions; the earlier passwords stay valid")
      #expect(try await late.ask("password new") == ["OK"])
      for client in [known, stranger, late] { client.finish() }
      #expect(try await server.ended(by: SIGTERM).end.status == 128 + SIGTERM)
    }

    @Test func theMusicIsScannedAndPlaylistsAreListedAgain() async throws {
      let studio = try Studio()
      defer { studio.close() }
      _ = try studio.write("".utf8, to: "Music/notes.txt")
      let server = try await studio.serve([
        "--no-state", "--output", "simulated", "--home", "\(studio.folder)/Music",
      ])
      _ = try await server.log.wait(for: "the first scan") { log in
        log.errors.contains { $0.hasSuffix("Music: 0 songs found") }
      }
      let client = try Conversation(studio.socketPath)
      for subsystem in ["update", "stored_playlist"] {
        let start = client.received.count
        client.send("idle \(subsystem)")
        // The answer to a command of another client: the one before it has begun to wait.
        #expect(try await Conversation(studio.socketPath).ask("ping") == ["OK"])
        server.child.signal(SIGHUP)
        _ = try await client.lines(from: start, until: "the reload") { $0 == "changed: \(subsystem)" }
        _ = try await client.lines(from: start, until: "its end") { $0 == "OK" }
      }
      client.finish()
      #expect(try await server.ended(by: SIGTERM).end.status == 128 + SIGTERM)
    }

    @Test func songsInTheQueueGetTheTagsOfTheirChangedFiles() async throws {
      let studio = try Studio()
      defer { studio.close() }
      _ = try studio.write(SongBytes.make(["TPE1": "Old"]), to: "Music/a.mp3")
      let server = try await studio.serve([
        "--no-state", "--output", "simulated", "--home", "\(studio.folder)/Music",
      ])
      let client = try Conversation(studio.socketPath)
      #expect(try await client.ask("add a.mp3") == ["OK"])
      try await client.comes("Artist: Old", in: "playlistinfo")
      _ = try studio.write(SongBytes.make(["TPE1": "New"], frames: 200), to: "Music/a.mp3")
      try await client.comes("Artist: New", in: "playlistinfo")
      try await client.comes("Time: 5", in: "playlistinfo")
      client.finish()
      #expect(try await server.ended(by: SIGTERM).end.status == 128 + SIGTERM)
    }
  }
}
