import Foundation
import NetworkTestSupport
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

extension EndToEndTests {
  /// Answers without measure: bounded memory, and an error or sound.
  @Suite struct HostileAnswerTests {
    enum Answer: CaseIterable {
      case longHead, endlessHead, endlessBody, endlessNoise, endlessPlaylist, hugeLength, longRedirect,
        tooLongRedirect
      case byteByByte

      /// What is said of it; nil: it is heard.
      var error: String? {
        switch self {
        case .longHead, .endlessHead, .tooLongRedirect: "the head of the answer is too long"
        case .longRedirect: "127.0.0.1 redirects to a URL that is too long"
        case .endlessNoise: "no MPEG audio"
        case .endlessPlaylist: "the playlist is too long"
        case .endlessBody, .hugeLength, .byteByByte: nil
        }
      }

      func steps(_ song: [UInt8]) -> [HostileServer.Step] {
        let line = Array("X-Line: something that nobody wants to know\r\n".utf8)
        let status = Array("HTTP/1.1 200 OK\r\n".utf8)
        func head(_ lines: [String]) -> HostileServer.Step { .send(HostileFile.head("200 OK", lines)) }
        func many(_ line: String, _ count: Int) -> [UInt8] {
          Array(String(repeating: line, count: count).utf8)
        }
        func redirect(_ count: Int) -> [HostileServer.Step] {
          HostileFile.plain("302 Found", ["Location: /\(String(repeating: "a", count: count))"])
        }
        switch self {
        case .longHead:
          return [.send(status)]
            + [HostileServer.Step](
              repeating: .send(many("X-Line: something that nobody wants to know\r\n", 25_000)), count: 10)
            + [.send([13, 10])]
        case .endlessHead: return [.send(status), .sendForEver(line)]
        case .endlessBody: return [head(["Content-Type: audio/mpeg"]), .send(song), .sendForEver(song)]
        case .endlessNoise:
          return [head(["Content-Type: audio/mpeg"]), .sendForEver([UInt8](repeating: 0x61, count: 65_536))]
        case .endlessPlaylist:
          return [
            head(["Content-Type: audio/x-mpegurl"]),
            .sendForEver(many("# a comment\n", 1_000)),
          ]
        case .hugeLength: return [head(["Content-Length: \(1 << 62)"]), .sendForEver(song)]
        case .longRedirect: return redirect(60_000)
        case .tooLongRedirect: return redirect(100_000)
        case .byteByByte:
          // Each byte of the beginning arrives by itself; the others may be together in a packet, in no time.
          let bytes = HostileFile.head("200 OK", ["Content-Length: \(song.count)"]) + song
          return [
            .sendSlowly(Array(bytes[..<2_000]), piece: 1, pause: 0.0001),
            .sendSlowly(Array(bytes[2_000...]), piece: 1, pause: 0),
          ]
        }
      }
    }

    /// MiB by which a player may get larger than with an ordinary song: 36 and 9 are the 45 that it may have as a release,
    /// and a build for tests is larger by itself.
    private static let most = 9
    private static let ordinary = Mutex<Int?>(nil)

    /// The most memory that a player held up to its second song.
    private func peak(_ player: Player) async throws -> Int {
      try await player.reached(50, of: 1)
      return try player.child.counters().peakMemory >> 20
    }

    private func ordinaryPeak(_ song: String, _ next: String, in studio: Studio) async throws -> Int {
      if let known = Self.ordinary.withLock({ $0 }) { return known }
      let content = Array(try Data(contentsOf: URL(fileURLWithPath: song)))
      let server = try HostileServer { HostileFile(content).answer($0) }
      defer { server.stop() }
      let player = try studio.play([server.url("/a.mp3"), next, "--output", "simulated", "--no-socket"])
      let peak = try await peak(player)
      try await player.ended()
      Self.ordinary.withLock { $0 = peak }
      return peak
    }

    @Test("the player stays small, and plays on", arguments: Answer.allCases)
    func answers(_ answer: Answer) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = try await Song(duration: 2).write(into: studio.folder)
      let next = try await Song(duration: 1, seed: 2).write(into: studio.folder)
      let content = Array(try Data(contentsOf: URL(fileURLWithPath: song)))
      let steps = answer.steps(content)
      let server = try HostileServer { _ in steps }
      defer { server.stop() }
      let isEndless = [.endlessBody, .hugeLength].contains(answer)
      let player = try studio.play(
        [server.url("/a.mp3"), next, "--output", "simulated", "--no-socket"]
          + (isEndless ? ["--at", "3:next"] : []))
      let peak = try await peak(player)
      let ordinary = try await ordinaryPeak(song, next, in: studio)
      #expect(peak <= ordinary + Self.most, "\(peak) MiB, an ordinary song \(ordinary)")
      #expect(try await player.ended().status == (answer.error == nil ? 0 : 1), "\(player.log.value)")
      let failures = player.events.events.compactMap {
        if case .failed(0, _, let error) = $0 { error } else { nil as String? }
      }
      #expect(failures.count == (answer.error == nil ? 0 : 1))
      for failure in failures { #expect(failure.contains(answer.error ?? ""), "\(failure)") }
      if answer.error == nil { #expect(player.events.steps(of: 0).count >= 200) }
    }
  }
}
