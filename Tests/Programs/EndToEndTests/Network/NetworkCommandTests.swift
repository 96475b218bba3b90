import Foundation
import NetworkTestSupport
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

extension EndToEndTests {
  /// The options of the network, and what the command says and returns.
  @Suite struct NetworkCommandTests {
    private func song(_ studio: Studio, seconds: Double) async throws -> [UInt8] {
      let path = try await Song(duration: seconds).write(into: studio.folder)
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test("A header field that is none is refused without being shown", arguments: ["play", "serve"])
    func headerWithoutColon(command: String) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let player = try Player(
        [
          command, "--header", "Authorization Bearer S3CRET", "--output", "simulated",
          "http://127.0.0.1:9/a.mp3",
        ],
        environment: studio.environment, folder: studio.folder, hasEvents: false)
      #expect(try await player.ended().status == 64)
      let said = player.log.value.errors + player.log.value.output
      #expect(said.contains { $0.contains("--header: a header field is like 'NAME: VALUE'") }, "\(said)")
      #expect(!"\(said)".contains("S3CRET"))
    }

    @Test("A host that refuses is named once while it is waited for; nothing was heard: status 66")
    func refused() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let url = "http://127.0.0.1:\(try LoopbackSocket.freePort())/a.mp3"
      let player = try studio.play(
        [url, "--output", "simulated", "--no-socket", "--network-timeout", "1.5"])
      #expect(try await player.ended().status == 66)
      let said = player.log.value.errors
      #expect(
        said == [
          "continuo: \(url): 127.0.0.1 refuses the connection; waiting for it",
          "continuo: \(url): 127.0.0.1 refuses the connection",
        ], "\(said)")
    }

    @Test("A single URL that breaks off midway: what there was is heard, and the status is 1")
    func brokenOff() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let content = try await song(studio, seconds: 5)
      let server = try HostileServer { request in
        var file = HostileFile(content)
        file.cut = 30_000
        return request.number == 1 ? file.answer(request) : HostileFile.plain("404 Not Found")
      }
      defer { server.stop() }
      let player = try studio.play(
        [server.url("/a.mp3"), "--output", "simulated", "--no-socket", "--network-timeout", "1"])
      #expect(try await player.ended().status == 1, "\(player.log.value)")
      #expect(player.events.steps(of: 0).count > 150)
      #expect(
        player.log.value.errors.last?.hasSuffix("127.0.0.1 answered 404") == true, "\(player.log.value)")
    }

    @Test("A live stream is written to a file until --at ends it")
    func liveFile() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let content = try await song(studio, seconds: 10)
      let server = try HostileServer { _ in
        [
          .send(HostileFile.head("200 OK", ["Content-Type: audio/mpeg", "icy-name: Lab"])),
          .send(Array(content[..<16_000])), .sendSlowly(Array(content[16_000...]), piece: 1_600, pause: 0.1),
        ]
      }
      defer { server.stop() }
      let file = "\(studio.folder)/live.wav"
      let player = try studio.play([server.url("/"), "--output", "wav:\(file)", "--at", "1.5:quit"])
      #expect(try await player.ended().status == 0, "\(player.log.value)")
      let path = try studio.write(content, to: "whole.mp3")
      // The station's sound: without what an Info frame says of the encoder's delay.
      let heard = try Sound(waveFile: file).frames
      let whole = try await Sound.mpg123([path], options: ["--no-gapless", "--ignore-streamlength"]).frames
      #expect((30_000...200_000).contains(heard.count), "\(heard.count)")
      let start = heard.dropFirst(5_000).prefix(20_000)
      let isThere = whole.indices.contains { index in
        whole[index] == start.first && whole[index...].starts(with: start)
      }
      #expect(isThere)
    }

    @Test("--proxy, and credentials of --netrc: through the proxy, to the host that they belong to")
    func proxyAndNetrc() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let content = try await song(studio, seconds: 0.5)
      let proxy = try HostileServer { request in
        request.fields["authorization"] == "Basic \(Data("me:S3CRET".utf8).base64EncodedString())"
          ? HostileFile(content).answer(request) : HostileFile.plain("401 Unauthorized")
      }
      defer { proxy.stop() }
      let netrc = try studio.write("machine radio.test login me password S3CRET\n".utf8, to: ".netrc")
      chmod(netrc, 0o600)
      let player = try studio.play(
        [
          "http://radio.test/a.mp3?b", "http://other.test/a.mp3", "--proxy", "http://127.0.0.1:\(proxy.port)",
          "--netrc", "--output", "simulated", "--no-socket",
        ])
      #expect(try await player.ended().status == 1)
      #expect(proxy.requests.map(\.target) == ["http://radio.test/a.mp3?b", "http://other.test/a.mp3"])
      #expect(player.events.events.contains(.didPlayToEndTime(index: 0)))
      #expect(
        player.events.events.contains(
          .failed(index: 1, url: "http://other.test/a.mp3", error: "other.test answered 401")))
      #expect(proxy.requests.last?.fields["authorization"] == nil)
      #expect(!"\(player.log.value)".contains("S3CRET"))
    }

    @Test("After a restart a URL has its credentials from netrc only, and the state file has none")
    func restart() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let content = try await song(studio, seconds: 20)
      let server = try HostileServer { request in
        request.fields["authorization"] == "Basic \(Data("me:S3CRET".utf8).base64EncodedString())"
          ? HostileFile(content).answer(request) : HostileFile.plain("401 Unauthorized")
      }
      defer { server.stop() }
      let state = "\(studio.folder)/state"
      let arguments = ["--output", "simulated", "--state", state]
      let first = try await studio.serve(arguments)
      let client = try Conversation(studio.socketPath)
      #expect(try await client.ask("add http://me:S3CRET@127.0.0.1:\(server.port)/a.mp3") == ["OK"])
      #expect(try await client.ask("play") == ["OK"])
      try await client.passes(0.2)
      #expect(try await client.ask("stop") == ["OK"])
      _ = try await first.ended(by: SIGTERM)
      for name in FileManager.default.enumerator(atPath: state)?.allObjects as? [String] ?? [] {
        let bytes = FileManager.default.contents(atPath: "\(state)/\(name)") ?? Data()
        #expect(bytes.range(of: Data("S3CRET".utf8)) == nil, "\(name)")
      }
      let netrc = try studio.write("machine 127.0.0.1 login me password S3CRET\n".utf8, to: ".netrc")
      chmod(netrc, 0o600)
      for options in [[], ["--netrc"]] {
        let served = try await studio.serve(arguments + options)
        let next = try Conversation(studio.socketPath)
        #expect(try await next.ask("play 0") == ["OK"])
        if options.isEmpty {
          let error = "http://127.0.0.1:\(server.port)/a.mp3: 127.0.0.1 answered 401"
          try await next.comes("error: \(error)", in: "status")
        } else {
          try await next.passes(0.2)
        }
        _ = try await served.ended(by: SIGTERM)
      }
    }

    @Test(
      "--cache, --cache-size, --buffer: bytes are kept there, without a name, and no more than that ahead")
    func cache() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let content = try await song(studio, seconds: 120)
      let server = try HostileServer { request in
        guard case .send(let body)? = HostileFile(content).answer(request).last else { return [.close] }
        return [HostileFile(content).answer(request)[0], .sendSlowly(body, piece: 32_768, pause: 0.05)]
      }
      defer { server.stop() }
      let folder = "\(studio.folder)/cache"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      let player = try studio.play(
        [
          server.url("/a.mp3"), "--output", "simulated", "--no-socket", "--cache", folder, "--cache-size",
          "1M",
          "--buffer", "20",
        ])
      // 20 s of 16,000 bytes; what is in sockets does not count.
      try await player.seen("the pause") {
        if case .loaded(0, _, let bytes, _) = $0 { bytes >= 320_000 } else { false }
      }
      try await player.reached(200)
      guard
        case .loaded(_, _, let bytes, let total)? = player.events.events.last(where: {
          if case .loaded = $0 { true } else { false }
        })
      else { throw Failure("nothing was loaded") }
      #expect((320_000...450_000).contains(bytes) && total == Int64(content.count), "\(bytes)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(player.child.identifier)/fd")
        .compactMap {
          try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/\(player.child.identifier)/fd/\($0)")
        }
      #expect(open.contains { $0.hasPrefix(folder) && $0.hasSuffix("(deleted)") }, "\(open)")
      _ = try await player.ended(by: SIGTERM)
    }

    @Test(
      "readpicture fetches the cover of a song on the network; what has none has none; albumart knows files only"
    )
    func picture() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let cover = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) & 0x7F }
      func size(_ count: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(count >> $0 & 127) } }
      let content = [0] + Array("image/png".utf8) + [0, 3, 0] + cover
      let frame = Array("APIC".utf8) + size(content.count) + [0, 0] + content
      let plain = try await song(studio, seconds: 1)
      let tagged = Array("ID3".utf8) + [4, 0, 0] + size(frame.count) + frame + plain
      let server = try HostileServer { request in
        HostileFile(request.target == "/cover.mp3" ? tagged : plain).answer(request)
      }
      defer { server.stop() }
      let served = try await studio.serve(["--output", "simulated", "--no-state"])
      let client = try Conversation(studio.socketPath)
      #expect(try await client.ask("binarylimit 8192") == ["OK"])
      let first = try await client.ask("readpicture \(server.url("/cover.mp3")) 0")
      #expect(first.prefix(3) == ["size: 200000", "type: image/png", "binary: 8192"], "\(first.prefix(3))")
      let last = try await client.ask("readpicture \(server.url("/cover.mp3")) 199990")
      #expect(last.prefix(3) == ["size: 200000", "type: image/png", "binary: 10"], "\(last.prefix(3))")
      #expect(server.requests.count == 1)
      #expect(try await client.ask("readpicture \(server.url("/plain.mp3")) 0") == ["OK"])
      #expect(
        try await client.ask("albumart \(server.url("/cover.mp3")) 0") == [
          "ACK [50@0] {albumart} No file exists"
        ])
      _ = try await served.ended(by: SIGTERM)
    }
  }
}
