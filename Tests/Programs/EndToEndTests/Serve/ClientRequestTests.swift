import Clocks
import Foundation
import NetworkTestSupport
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

extension EndToEndTests {
  /// Requests to the network that clients cause: their number, their end, and whose passwords they carry.
  @Suite struct ClientRequestTests {
    /// Threads and open descriptors of a process.
    private struct Usage: Sendable {
      var threads = 0
      var descriptors = 0

      init() {}
      init(of process: pid_t) {
        func count(_ folder: String) -> Int {
          (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/\(folder)").count) ?? 0
        }
        threads = count("task")
        descriptors = count("fd")
      }

      func larger(_ other: Usage) -> Usage {
        var result = self
        result.threads = max(threads, other.threads)
        result.descriptors = max(descriptors, other.descriptors)
        return result
      }
    }

    @Test(
      "336 playlists, pictures and loads of URLs at once: few threads, few descriptors, ten requests a second"
    )
    func flood() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let server = try HostileServer { _ in [.wait(0.2)] + HostileFile.plain("404 Not Found") }
      defer { server.stop() }
      let port = try LoopbackSocket.freePort()
      let served = try await studio.serve(
        ["--output", "simulated", "--no-state", "--network", "all", "--listen", "127.0.0.1:\(port)"])
      let process = served.child.identifier
      let first = try Conversation(port: port)
      _ = try await first.ask("listplaylist \(server.url("/first.m3u"))")
      // Those of the test's process that it has inherited, too.
      let inherited = Usage(of: process).descriptors
      let peak = Observed(Usage())
      let began = Date()
      let before = try served.child.counters().peakMemory
      let answers = try await withThrowingTaskGroup(of: [String].self) { group in
        for client in 0..<28 {
          let conversation = try Conversation(port: port)
          group.addTask {
            defer { conversation.finish() }
            var answers: [String] = []
            for call in 0..<12 {
              let url = server.url("/\(client)-\(call)")
              let command = ["listplaylist \(url).m3u", "readpicture \(url).mp3 0", "load \(url).m3u"][
                call % 3]
              answers.append(try await conversation.ask(command).last ?? "")
              peak.update { $0 = $0.larger(Usage(of: process)) }
            }
            return answers
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let elapsed = Date().timeIntervalSince(began)
      let usage = peak.value
      let grown = (try served.child.counters().peakMemory - before) >> 20
      print(
        "\(answers.count) calls in \(elapsed) s: \(usage), \(grown) MiB more, \(server.requests.count) requests"
      )
      #expect(answers.count == 336)
      #expect(usage.threads <= 64 && usage.descriptors - inherited <= 100, "\(usage)")
      #expect(grown <= 16)
      #expect(Double(server.requests.count) <= 10 * elapsed + 20, "\(server.requests.count) in \(elapsed) s")
      for answer in answers {
        let isExpected = ["answered 404", "too many requests to the network"].contains { answer.contains($0) }
        #expect(answer == "OK" || isExpected, "\(answer)")
      }
      #expect(answers.contains { $0.contains("too many requests to the network") })
      _ = try await served.ended(by: SIGTERM)
    }

    /// With glibc's default, which keeps freed blocks of up to 32 MiB, the process grew by 500 MB.
    @Test("Pictures of 15 MB leave no memory behind")
    func pictures() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let picture = 15 << 20
      func size(_ count: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(count >> $0 & 127) } }
      let frame = Array("APIC".utf8) + size(picture + 13) + [0, 0, 0] + Array("image/png\0".utf8) + [3, 0]
      let tag =
        Array("ID3".utf8) + [4, 0, 0] + size(frame.count + picture) + frame
        + [UInt8](repeating: UInt8(ascii: "x"), count: picture)
      let answer = HostileFile.head(
        "200 OK", ["Content-Type: audio/mpeg", "Content-Length: \(tag.count)"])
      let server = try HostileServer { _ in [.send(answer), .send(tag)] }
      defer { server.stop() }
      let served = try await studio.serve(["--output", "simulated", "--no-state", "--network", "all"])
      let before = try served.child.counters().peakMemory
      let answers = try await withThrowingTaskGroup(of: [String].self) { group in
        for client in 0..<4 {
          let conversation = try Conversation(studio.socketPath)
          group.addTask {
            defer { conversation.finish() }
            var answers: [String] = []
            for call in 0..<8 {
              let command = "readpicture \(server.url("/\(client)-\(call).mp3")) 0"
              answers.append(try await conversation.ask(command).first ?? "")
            }
            return answers
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      // What a busy machine does not bring within the limit of a request is no picture.
      #expect(answers.count == 32 && answers.contains("size: \(picture)"))
      #expect(answers.allSatisfy { ["size: \(picture)", "OK"].contains($0) })
      // Each of four has its tag and its picture at a time.
      let grown = (try served.child.counters().peakMemory - before) >> 20
      #expect(grown < 256, "\(grown) MiB")
      _ = try await served.ended(by: SIGTERM)
    }

    @Test("What a client has asked for ends soon after the client has left", arguments: [false, true])
    func leaving(isLocal: Bool) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let (asked, closed) = (Observed(0), Observed(0))
      let server = try HostileServer { _ in
        asked.update { $0 += 1 }
        return [.hang]
      } onClose: {
        closed.update { $0 += 1 }
      }
      defer { server.stop() }
      let port = try LoopbackSocket.freePort()
      let served = try await studio.serve(
        ["--output", "simulated", "--no-state", "--network", "all", "--listen", "127.0.0.1:\(port)"])
      for (number, command) in ["listplaylist \(server.url("/a.m3u"))", "readpicture \(server.url("/a")) 0"]
        .enumerated()
      {
        let client = try isLocal ? Conversation(studio.socketPath) : Conversation(port: port)
        client.send(command)
        _ = try await asked.wait(for: "the request") { $0 > number }
        let left = Date()
        client.finish()
        _ = try await closed.wait(for: "its end") { $0 > number }
        // Both would end by themselves after 15 s.
        #expect(Date().timeIntervalSince(left) < 10)
      }
      _ = try await served.ended(by: SIGTERM)
    }

    @Test("A client neither uses nor replaces the password of another one; requests need the permission add")
    func passwords() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = try await Song(duration: 5).write(into: studio.folder)
      let content = Array(try Data(contentsOf: URL(fileURLWithPath: song)))
      let right = "Basic \(Data("u:S3CRET".utf8).base64EncodedString())"
      let server = try HostileServer { request in
        guard request.fields["authorization"] == right else { return HostileFile.plain("401 Unauthorized") }
        return request.target.hasSuffix(".m3u")
          ? [
            .send(HostileFile.head("200 OK", ["Content-Type: audio/x-mpegurl"]) + Array("a.mp3\n".utf8)),
            .close,
          ]
          : HostileFile(content).answer(request)
      }
      defer { server.stop() }
      let host = "127.0.0.1:\(server.port)"
      let passwords = try studio.write(
        "owner@read,add,player,control\nreader@read\nadder@read,add\n".utf8, to: "passwords")
      chmod(passwords, 0o600)
      let port = try LoopbackSocket.freePort()
      let served = try await studio.serve(
        [
          "--output", "simulated", "--no-state", "--network", "all", "--listen", "127.0.0.1:\(port)",
          "--password", passwords,
        ])
      func client(_ password: String) async throws -> Conversation {
        let client = try Conversation(port: port)
        #expect(try await client.ask("password \(password)") == ["OK"])
        return client
      }
      let (owner, reader, adder) = (
        try await client("owner"), try await client("reader"), try await client("adder")
      )
      #expect(try await owner.ask("add http://u:S3CRET@\(host)/list.m3u") == ["OK"])
      let list = try await owner.ask("listplaylist http://u:S3CRET@\(host)/list.m3u")
      #expect(list == ["file: http://\(host)/a.mp3", "OK"])
      let asked = server.requests.count
      for command in ["listplaylist", "listplaylistinfo"] {
        let answer = try await reader.ask("\(command) http://\(host)/list.m3u")
        #expect(answer.last?.hasPrefix("ACK [4@0] {\(command)}") == true, "\(answer)")
      }
      let picture = try await reader.ask("readpicture http://evil:evil@\(host)/a.mp3 0")
      #expect(picture.last?.hasPrefix("ACK [4@0] {readpicture}") == true, "\(picture)")
      #expect(server.requests.count == asked)
      for credentials in ["", "evil:evil@"] {
        for command in ["listplaylist", "load"] {
          let answer = try await adder.ask("\(command) http://\(credentials)\(host)/list.m3u")
          #expect(answer.last?.contains("127.0.0.1 answered 401") == true, "\(answer)")
        }
      }
      #expect(try await adder.ask("add http://evil:evil@\(host)/b.mp3") == ["OK"])
      #expect(try await owner.ask("play 0") == ["OK"])
      try await owner.passes(0.2)
      // The song of the other client is played with that one's password alone.
      #expect(try await owner.ask("play 1") == ["OK"])
      try await owner.comes("error: http://\(host)/b.mp3: 127.0.0.1 answered 401", in: "status")
      let told = try await owner.ask("playlistinfo") + served.log.value.errors
      #expect(!told.contains { $0.contains("S3CRET") || $0.contains("evil") })
      _ = try await served.ended(by: SIGTERM)
    }
  }
}
