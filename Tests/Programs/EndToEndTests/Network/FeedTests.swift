import Foundation
import NetworkTestSupport
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// Feeds of episodes, wherever playlists are taken.
  @Suite struct FeedTests {
    private static let feed = """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0"><channel><title>Show</title>
      <item><title>Second &amp; last</title><enclosure url="/2.mp3" type="audio/mpeg" length="1"/></item>
      <item><title>Film</title><enclosure url="/film.mp4" type="video/mp4"/></item>
      <item><title>First</title><enclosure url="1.mp3" type="audio/mpeg"/></item>
      </channel></rss>
      """

    private func serve(_ songs: [String: [UInt8]]) throws -> HostileServer {
      try HostileServer { request in
        if let song = songs[request.target] { return HostileFile(song).answer(request) }
        guard request.target == "/show.xml" || request.target == "/show" else {
          return HostileFile.plain("404 Not Found")
        }
        let body = Array(Self.feed.utf8)
        let head = ["Content-Type: application/rss+xml; charset=utf-8", "Content-Length: \(body.count)"]
        return [.send(HostileFile.head("200 OK", head)), .send(body)]
      }
    }

    @Test("The episodes of a feed that are MPEG audio are played in its order")
    func played() async throws {
      let studio = try Studio()
      defer { studio.close() }
      var songs: [String: [UInt8]] = [:]
      var paths: [String] = []
      for number in [2, 1] {
        let path = try await Song(duration: 0.5, seed: UInt64(number)).write(into: studio.folder)
        paths.append(path)
        songs["/\(number).mp3"] = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
      }
      let server = try serve(songs)
      defer { server.stop() }
      let file = "\(studio.folder)/heard.wav"
      let player = try studio.play([server.url("/show.xml"), "--output", "wav:\(file)"])
      #expect(try await player.ended().status == 0, "\(player.log.value)")
      let expected = try await Sound.mpg123([paths[0]]) + Sound.mpg123([paths[1]])
      expectSame(try Sound(waveFile: file), expected)
    }

    @Test("continuo add and load take a feed; its titles are the songs' names")
    func added() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let server = try serve([:])
      defer { server.stop() }
      let served = try await studio.serve(["--output", "simulated", "--no-state"])
      let add = try Player(
        ["add", "--socket", studio.socketPath, server.url("/show.xml")], environment: studio.environment,
        folder: studio.folder, hasEvents: false)
      #expect(try await add.ended().status == 0)
      let client = try Conversation(studio.socketPath)
      // A URL that does not look like one of a feed.
      _ = try await client.ask("load \(server.url("/show"))")
      let songs = try await client.ask("playlistinfo")
      #expect(
        songs.filter { $0.hasPrefix("file: ") }
          == ["/2.mp3", "/1.mp3", "/2.mp3", "/1.mp3"].map { "file: \(server.url($0))" })
      #expect(
        songs.filter { $0 == "Name: Second & last" }.count == 2, "\(songs)")
      _ = try await served.ended(by: SIGTERM)
    }
  }
}
