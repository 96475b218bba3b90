import Foundation
import NetworkTestSupport
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// Where URLs and redirects may lead. Addresses 192.31.196.… stand for public ones.
  @Suite struct ReachTests {
    /// What a client from the network is told of a URL that it adds and plays.
    private func complaint(of client: Conversation, _ url: String) async throws -> String {
      #expect(try await client.ask("clear") == ["OK"])
      #expect(try await client.ask("add \(url)") == ["OK"], "\(url)")
      #expect(try await client.ask("play") == ["OK"])
      let end = Date().addingTimeInterval(120)
      while Date() < end {
        let status = try await client.ask("status")
        if status.contains("state: stop"), let error = status.first(where: { $0.hasPrefix("error: ") }) {
          return String(error.dropFirst(7))
        }
        try await Task.sleep(for: .milliseconds(5))
      }
      throw Failure("\(url) did not fail: \(try await client.ask("status"))")
    }

    @Test(
      "a client from the network reaches no private address: not by number, nor by name, nor by a name that changes, nor by a redirect"
    )
    func privateAddresses() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let secret = try HostileServer { _ in HostileFile.plain("200 OK") }
      defer { secret.stop() }
      let door = try HostileServer { request in
        let port = request.fields["host"]?.split(separator: ":").last ?? ""
        switch request.target {
        case "/number": return HostileFile.plain("302 Found", ["Location: \(secret.url("/"))"])
        case "/name":
          return HostileFile.plain("302 Found", ["Location: http://local.test:\(secret.port)/"])
        case "/again":
          return HostileFile.plain("302 Found", ["Location: http://changing.test:\(secret.port)/"])
        default: return HostileFile.plain("404 Not Found", ["X-Port: \(port)"])
        }
      }
      defer { door.stop() }
      let network = try await Interposer.network(
        in: studio.folder,
        names: [
          "local.test": ["127.0.0.1"], "local6.test": ["::1"], "mapped.test": ["::ffff:127.0.0.1"],
          "meta.test": ["169.254.169.254"], "nothing.test": ["0.0.0.0"], "public.test": ["192.31.196.1"],
          // Public when it is asked for first, and private from then on.
          "changing.test": ["192.31.196.1", "127.0.0.1"],
        ])
      let port = try LoopbackSocket.freePort()
      let served = try await studio.serve(
        ["--output", "simulated", "--no-state", "--network", "public", "--listen", "127.0.0.1:\(port)"],
        environment: network.environment)
      let client = try Conversation(port: port)
      for host in [
        "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "169.254.169.254", "0.0.0.0",
        "local.test", "local6.test", "mapped.test", "meta.test", "nothing.test",
      ] {
        let url = "http://\(host):\(secret.port)/a.mp3"
        let said = try await complaint(of: client, url)
        #expect(said.hasSuffix("is not reachable"), "\(host): \(said)")
      }
      // The public one is reached, or nothing of this would be worth anything.
      let gone = try await complaint(of: client, "http://public.test:\(door.port)/gone")
      #expect(gone.hasSuffix("public.test answered 404"), "\(gone)")
      for (path, host) in [
        ("http://public.test:\(door.port)/number", "127.0.0.1"),
        ("http://public.test:\(door.port)/name", "local.test"),
        ("http://changing.test:\(door.port)/again", "changing.test"),
      ] {
        let said = try await complaint(of: client, path)
        #expect(said.hasSuffix("\(host) is not reachable"), "\(path): \(said)")
      }
      #expect(door.requests.count == 4 && secret.connections == 0)
      _ = try await served.ended(by: SIGTERM)
    }

    @Test(
      "Header fields and ~/.netrc are for the user's own songs, playlists and pictures, not for those of others"
    )
    func fieldsOfTheUser() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let server = try HostileServer { request in
        request.target.hasSuffix(".m3u")
          ? HostileFile.plain("200 OK", ["Content-Type: audio/x-mpegurl"])
          : HostileFile.plain("404 Not Found")
      }
      defer { server.stop() }
      let netrc = try studio.write("machine public.test login me password S3CRET\n".utf8, to: ".netrc")
      chmod(netrc, 0o600)
      let network = try await Interposer.network(in: studio.folder, names: ["public.test": ["192.31.196.1"]])
      let port = try LoopbackSocket.freePort()
      let served = try await studio.serve(
        [
          "--output", "simulated", "--no-state", "--listen", "127.0.0.1:\(port)", "--header",
          "X-Mine: S3CRET",
          "--netrc",
        ], environment: network.environment)
      let url = "http://public.test:\(server.port)"
      for (name, client) in [
        ("own", try Conversation(studio.socketPath)), ("other", try Conversation(port: port)),
      ] {
        _ = try await client.ask("load \(url)/\(name).m3u")
        _ = try await client.ask("readpicture \(url)/\(name).mp3 0")
        _ = try await complaint(of: client, "\(url)/\(name)")
      }
      for target in ["m3u", "mp3", ""] {
        for name in ["own", "other"] {
          let path = target.isEmpty ? "/\(name)" : "/\(name).\(target)"
          let request = try #require(server.requests.first { $0.target == path }, "\(path)")
          let secrets = [request.fields["x-mine"], request.fields["authorization"]]
          let isOwn = name == "own"
          #expect(secrets == [isOwn ? "S3CRET" : nil, isOwn ? "Basic bWU6UzNDUkVU" : nil], "\(path)")
        }
      }
      _ = try await served.ended(by: SIGTERM)
    }

    @Test("--network none: other users' clients name no URL at all; all: any")
    func choices() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let server = try HostileServer { _ in HostileFile.plain("404 Not Found") }
      defer { server.stop() }
      for choice in ["none", "all"] {
        let port = try LoopbackSocket.freePort()
        let served = try await studio.serve(
          ["--output", "simulated", "--no-state", "--network", choice, "--listen", "127.0.0.1:\(port)"])
        let client = try Conversation(port: port)
        if choice == "none" {
          let answer = try await client.ask("add \(server.url("/a.mp3"))")
          #expect(answer.last?.hasPrefix("ACK [4@0] {add}") == true, "\(answer)")
        } else {
          #expect(try await complaint(of: client, server.url("/a.mp3")).hasSuffix("127.0.0.1 answered 404"))
        }
        _ = try await served.ended(by: SIGTERM)
      }
      #expect(server.requests.count == 1)
    }

    @Test(
      "redirects to a file, and from a public address to a private one, are refused by name, for everybody")
    func redirects() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 0.3).write(into: studio.folder)
      let secret = try HostileServer { _ in HostileFile.plain("404 Not Found") }
      defer { secret.stop() }
      let server = try HostileServer { request in
        let place = request.target == "/file" ? "file://\(path)" : secret.url("/a.mp3")
        return HostileFile.plain("302 Found", ["Location: \(place)"])
      }
      defer { server.stop() }
      let network = try await Interposer.network(
        in: studio.folder, names: ["public.test": ["192.31.196.1"]])
      let urls = [server.url("/file"), "http://public.test:\(server.port)/private"]
      let player = try studio.play(
        urls + ["--output", "simulated", "--no-socket"], environment: network.environment)
      #expect(try await player.ended().status == 66, "\(player.log.value)")
      for (index, error) in [
        "127.0.0.1 redirects to file:, which is not followed", "127.0.0.1 is not reachable",
      ].enumerated() {
        #expect(
          player.events.events.contains(.failed(index: index, url: urls[index], error: error)),
          "\(player.log.value)")
      }
      #expect(secret.connections == 0)
    }
  }
}
