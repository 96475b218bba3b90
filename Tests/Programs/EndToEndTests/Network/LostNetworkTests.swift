import Clocks
import Foundation
import NetworkTestSupport
import PulseOutput
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// Networks that are gone for a while or for ever, or slow.
  @Suite struct LostNetworkTests {
    private func bytes(_ path: String) throws -> [UInt8] {
      Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// A server of a song that loses its network, with the connection, at the 40,000th byte.
    private func losing(_ content: [UInt8], marking offline: String) throws -> HostileServer {
      try HostileServer { request in
        var file = HostileFile(content)
        if request.number == 1 {
          file.cut = 40_000
          file.ending = .reset
          _ = FileManager.default.createFile(atPath: offline, contents: nil)
        }
        return file.answer(request)
      }
    }

    @Test("the network is gone for longer than there is sound, and back: the very next step follows")
    func goneForAWhile() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let content = try bytes(try await Song(duration: 6).write(into: studio.folder))
      let offline = "\(studio.folder)/offline"
      let network = try await Interposer.network(in: studio.folder, offline: offline)
      let server = try losing(content, marking: offline)
      defer { server.stop() }
      let player = try studio.play(
        [server.url("/a.mp3"), "--output", "simulated", "--no-socket"], environment: network.environment)
      try await player.seen("the stall") { $0 == .stalled(index: 0) }
      try await player.seen("a second attempt that fails") {
        if case .network(0, let seen) = $0 {
          seen.what == "retry" && (seen.error ?? "").contains("no way")
        } else {
          false
        }
      }
      try FileManager.default.removeItem(atPath: offline)
      #expect(try await player.ended().status == 0, "\(player.log.value)")
      #expect(player.events.steps(of: 0).map(\.value) == Array(0..<600))
      #expect(server.requests.count == 2)
      #expect(player.events.network(of: 0).last?.what == "complete")
    }

    @Test(
      "gone for ever: the song fails when it has been dry for the time that it is given, and the queue goes on"
    )
    func goneForEver() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 6).write(into: studio.folder)
      let next = try await Song(duration: 0.5, seed: 2).write(into: studio.folder)
      let offline = "\(studio.folder)/offline"
      let network = try await Interposer.network(in: studio.folder, offline: offline)
      let server = try losing(try bytes(path), marking: offline)
      defer { server.stop() }
      let player = try studio.play(
        [server.url("/a.mp3"), next, "--output", "simulated", "--no-socket", "--network-timeout", "2"],
        environment: network.environment)
      #expect(try await player.ended().status == 1, "\(player.log.value)")
      let failure = PlayerEvent.failed(
        index: 0, url: server.url("/a.mp3"), error: "there is no way to 127.0.0.1")
      let stalled = try #require(player.events.host(of: .stalled(index: 0)))
      let failed = try #require(player.events.host(of: failure), "\\(player.log.value)")
      // The decoder, which is ahead of what is heard, was dry before.
      #expect(failed > stalled, "\(failed - stalled)")
      #expect(player.events.events.contains(.didPlayToEndTime(index: 1)))
      let steps = player.events.steps(of: 0).map(\.value)
      #expect(steps == Array(0..<Int64(steps.count)) && (200..<260).contains(steps.count))
    }

    @Test(
      "half the bit rate: each stall is told, no step comes twice or is left out, and what is heard is the file"
    )
    func slow() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let content = try bytes(try await Song(duration: 5).write(into: studio.folder))
      let server = try HostileServer { request in
        let steps = HostileFile(content).answer(request)
        return [steps[0], .sendSlowly(content, piece: 400, pause: 0.05)]
      }
      defer { server.stop() }
      let player = try studio.play([server.url("/a.mp3"), "--output", "simulated", "--no-socket"])
      #expect(try await player.ended().status == 0, "\(player.log.value)")
      let events = player.events
      let stalls = events.events.count { $0 == .stalled(index: 0) }
      #expect((1...2).contains(stalls), "\(stalls)")
      #expect(
        events.events.count { $0 == .timeControlStatus("playing", reason: nil) } == stalls + 1)
      #expect(events.steps(of: 0).map(\.value) == Array(0..<500))
      #expect(events.events.contains(.didPlayToEndTime(index: 0)) && server.requests.count == 1)
    }

    @Test(
      "servers that take a second to answer: one song behind the other without a frame between, bit for bit")
    func seams() async throws {
      let studio = try Studio()
      defer { studio.close() }
      var contents: [String: [UInt8]] = [:]
      var paths: [String] = []
      for number in 1...3 {
        let path = try await Song(duration: 3, seed: UInt64(number)).write(into: studio.folder)
        paths.append(path)
        if number != 2 { contents["/\(number).mp3"] = try bytes(path) }
      }
      let server = try HostileServer { [contents] request in
        guard let content = contents[request.target] else { return HostileFile.plain("404 Not Found") }
        return [.wait(1)] + HostileFile(content).answer(request)
      }
      defer { server.stop() }
      let sink = try studio.startServer()
      let capture = try await studio.capture(sink.address)
      let player = try studio.play(
        [server.url("/1.mp3"), paths[1], server.url("/gone.mp3"), server.url("/3.mp3")], server: sink)
      #expect(try await player.ended().status == 1, "\(player.log.value)")
      expectSame(
        Sound(try await capture.untilSilence()).trimmed, try await Sound.mpg123(paths).trimmed)
    }

    @Test(
      "a seek beyond what is there is one request, at the place; one into what is there is none"
    )
    func seeks() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let content = try bytes(try await Song(duration: 60).write(into: studio.folder))
      // Fast, but not so fast that all of it is there before anybody has looked at it.
      let server = try HostileServer { request in
        guard case .send(let body)? = HostileFile(content).answer(request).last else { return [.close] }
        return [HostileFile(content).answer(request)[0], .sendSlowly(body, piece: 32_768, pause: 0.05)]
      }
      defer { server.stop() }
      let socket = "\(studio.folder)/socket"
      let player = try studio.play(
        [server.url("/a.mp3"), "--output", "simulated", "--socket", socket, "--buffer", "5"])
      try await player.reached(10)
      let client = try Conversation(socket)
      #expect(server.requests.count == 1)
      #expect(try await client.ask("seek 0 40") == ["OK"])
      try await client.passes(40.2)
      #expect(server.requests.count == 2)
      // 40 s of 16,000 bytes each, and the frames before that the decoder needs.
      let first = try #require(server.requests.last?.first)
      #expect((600_000..<640_000).contains(first), "\(first)")
      #expect(try await client.time(of: "seek 0 41", repeats: 3) < 5)
      try await client.passes(41.2)
      #expect(try await client.time(of: "seek 0 0.5", repeats: 3) < 5)
      let place = try await client.elapsed()
      #expect(place < 5)
      try await client.passes(place + 0.3)
      #expect(server.requests.count == 2)
      _ = try await player.ended(by: SIGTERM)
    }
  }
}
