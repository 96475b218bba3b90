import Foundation
import NetworkTestSupport
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

extension EndToEndTests {
  /// Songs from the network in the queue of a server.
  @Suite struct ServeRemoteTests {
    static let arguments = ["--output", "simulated"]

    /// An MP3 file with tags.
    private func song(_ studio: Studio, seconds: Double) async throws -> [UInt8] {
      let path = try await Song(duration: seconds).write(into: studio.folder)
      let tags = SongBytes.make(["TIT2": "A title", "TPE1": "An artist"], frames: 0)
      return tags + (FileManager.default.contents(atPath: path) ?? Data())
    }

    /// Runs a client's command to its end.
    private func run(_ studio: Studio, _ arguments: [String]) async throws -> (status: Int32, said: [String])
    {
      let player = try Player(
        arguments + ["--socket", studio.socketPath], environment: studio.environment, folder: studio.folder,
        hasEvents: false)
      let end = try await player.ended()
      return (end.status, player.log.value.errors + player.log.value.output)
    }

    @Test func urlsAreAddedPlayedAndToldOf() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let file = HostileFile(try await song(studio, seconds: 20))
      let web = try HostileServer { file.answer($0) }
      let served = try await studio.serve(Self.arguments + ["--no-state"])
      let client = try Conversation(studio.socketPath)
      let added = try await run(studio, ["add", web.url("/song.mp3?a=b#c"), "ftp://u:S3CRET@host/x"])
      #expect(added.status == 1)
      #expect(added.said == ["continuo: ftp://host/x: ftp: URLs are not supported"])
      // Nobody has asked for it yet.
      #expect(web.requests.isEmpty)
      #expect(
        try await client.ask("playlistinfo") == [
          "file: \(web.url("/song.mp3?a=b"))", "Pos: 0", "Id: 1", "OK",
        ])
      #expect(try await client.ask("play") == ["OK"])
      try await client.passes(0.2)
      try await client.comes("duration: 20.000", in: "playlistinfo")
      try await client.comes("Title: A title", in: "currentsong")
      #expect(
        try await client.ask("currentsong") == [
          "file: \(web.url("/song.mp3?a=b"))", "Format: 44100:f:2", "Title: A title", "Artist: An artist",
          "Time: 20", "duration: 20.000", "Pos: 0", "Id: 1", "OK",
        ])
      #expect(try await client.ask("seekcur 12") == ["OK"])
      try await client.passes(12)
      let status = try await client.ask("status")
      #expect(status.contains("state: play") && status.contains("bitrate: 128"), "\(status)")
      #expect(status.contains { $0.hasPrefix("time: 12:20") } && status.contains("duration: 20.000"))
      _ = try await served.ended(by: SIGTERM)
    }

    @Test("The bit rate that status tells is that of the last second that was heard, of files and URLs alike")
    func bitRateOfWhatIsHeard() async throws {
      let studio = try Studio()
      defer { studio.close() }
      // Eight seconds of each.
      let bytes = SongBytes.make(frames: 306, bitRate: 64) + SongBytes.make(frames: 306, bitRate: 256)
      let path = try studio.write(bytes, to: "song.mp3")
      let web = try HostileServer { HostileFile(bytes).answer($0) }
      let served = try await studio.serve(Self.arguments + ["--no-state", path])
      let client = try Conversation(studio.socketPath)
      #expect(try await client.ask("add \(web.url("/song.mp3"))") == ["OK"])
      for song in 0...1 {
        #expect(try await client.ask("play \(song)") == ["OK"])
        try await client.passes(0.1)
        #expect(try await client.field("bitrate", of: "status") == "64")
        #expect(try await client.ask("seekcur 7.9") == ["OK"])
        try await client.passes(9.1)
        #expect(try await client.field("bitrate", of: "status") == "256")
        // While it is paused what was heard counts, and behind a seek what is about to be heard.
        #expect(try await client.ask("pause 1") == ["OK"])
        #expect(try await client.field("bitrate", of: "status") == "256")
        #expect(try await client.ask("seekcur 3") == ["OK"])
        try await client.comes("bitrate: 64", in: "status")
        #expect(try await client.field("state", of: "status") == "pause")
        #expect(try await client.ask("stop") == ["OK"])
        #expect(try await client.field("bitrate", of: "status") == nil)
      }
      web.stop()
      _ = try await served.ended(by: SIGTERM)
    }

    @Test func aServerThatHangsIsNamedAndHoldsUpNobody() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let bytes = try await song(studio, seconds: 20)
      let isLate = Mutex(true)
      let web = try HostileServer { request in
        var file = HostileFile(bytes)
        if isLate.withLock({ $0 }) {
          file.cut = 60_000
          file.ending = .hang
        }
        return file.answer(request)
      }
      let served = try await studio.serve(Self.arguments + ["--no-state"])
      let client = try Conversation(studio.socketPath)
      let watcher = try Conversation(studio.socketPath)
      #expect(try await client.ask("add \(web.url("/song.mp3"))") == ["OK"])
      #expect(try await client.ask("play") == ["OK"])
      // Three and a half seconds of sound came. Before them it may have waited for the first bytes.
      try await client.passes(3)
      try await client.comes("error: waiting for 127.0.0.1", in: "status")
      let status = try await client.ask("status")
      #expect(status.contains("state: pause"), "\(status)")
      // What it is decoded to, as for a file.
      try await client.comes("audio: 44100:f:2", in: "status")
      try await client.comes("Format: 44100:f:2", in: "currentsong")
      let elapsed = try await client.elapsed()
      // Those who wait for news are told when it goes on.
      let start = watcher.received.count
      watcher.send("idle player")
      _ = try await watcher.lines(from: start, until: "news of the wait") { $0 == "OK" }
      isLate.withLock { $0 = false }
      // 15 s without a byte are a loss of the connection.
      try await client.comes("state: play", in: "status")
      try await client.passes(elapsed + 0.2)
      #expect(try await client.field("error", of: "status") == nil)
      let began = Date()
      #expect(try await client.ask("stop") == ["OK"])
      #expect(Date().timeIntervalSince(began) < 12)
      _ = try await served.ended(by: SIGTERM)
    }

    @Test func aSecretIsFoundNowhere() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let file = HostileFile(try await song(studio, seconds: 5))
      let web = try HostileServer { request in
        request.fields["authorization"] == "Basic dXNlcjpTM0NSRVQ=" && request.target == "/song.mp3"
          ? file.answer(request) : HostileFile.plain("401 Unauthorized")
      }
      let state = "\(studio.folder)/state"
      let url = "http://user:S3CRET@127.0.0.1:\(web.port)"
      let list = try studio.write("\(url)/song.mp3\n".utf8, to: "list.m3u")
      var said: [String] = []
      let timeline = "\(studio.folder)/timeline.svg"
      let first = try await studio.serve(Self.arguments + ["--state", state, "--timeline", timeline, list])
      let client = try Conversation(studio.socketPath)
      let watcher = try Conversation(studio.socketPath)
      watcher.send("watch events")
      try FileManager.default.removeItem(atPath: list)
      try await client.passes(0.2)
      said += try await run(studio, ["add", "\(url)/missing.mp3"]).said
      said += try await run(studio, ["add", "http://user:S3/CRET@127.0.0.1/"]).said
      #expect(try await client.ask("save list") == ["OK"])
      #expect(try await client.ask("play 1") == ["OK"])
      try await client.comes("state: stop", in: "status")
      let error = try await client.field("error", of: "status") ?? ""
      #expect(error == "http://127.0.0.1:\(web.port)/missing.mp3: 127.0.0.1 answered 401")
      #expect(try await client.ask("delete 1") == ["OK"])
      for command in ["playlistinfo", "currentsong", "status", "listplaylist list", "playlist"] {
        _ = try await client.ask(command)
      }
      _ = try await first.ended(by: SIGTERM)
      said += first.log.value.errors + first.log.value.output + client.received + watcher.received
      // What is not known any more is asked for.
      let second = try await studio.serve(Self.arguments + ["--state", state])
      let next = try Conversation(studio.socketPath)
      #expect(try await next.ask("play 0") == ["OK"])
      try await next.comes(
        "error: http://127.0.0.1:\(web.port)/song.mp3: 127.0.0.1 answered 401", in: "status")
      _ = try await second.ended(by: SIGTERM)
      said += second.log.value.errors + next.received
      #expect(!said.contains { $0.contains("S3") || $0.contains("dXNlcjpTM0NSRVQ") }, "\(said)")
      #expect(said.contains { $0.contains("song.mp3") })
      let files = FileManager.default.enumerator(atPath: studio.folder)?.allObjects as? [String] ?? []
      #expect(files.contains { $0.hasPrefix("state/queue") } && files.contains("timeline.svg"))
      for name in files {
        let bytes = FileManager.default.contents(atPath: "\(studio.folder)/\(name)") ?? Data()
        #expect(bytes.range(of: Data("S3CRET".utf8)) == nil, "\(name)")
      }
    }

    @Test func aStationHasNoPlaces() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let bytes = try await song(studio, seconds: 20)
      let web = try HostileServer { _ in
        [
          .send(
            HostileFile.head(
              "200 OK", ["Content-Type: audio/mpeg", "icy-name: A station", "icy-genre: Noise"])),
          .sendSlowly(bytes, piece: 16_384, pause: 0.5), .hang,
        ]
      }
      let served = try await studio.serve(Self.arguments + ["--no-state"])
      let client = try Conversation(studio.socketPath)
      #expect(try await client.ask("add \(web.url("/"))") == ["OK"])
      #expect(try await client.ask("play") == ["OK"])
      try await client.passes(0.2)
      try await client.comes("Name: A station", in: "currentsong")
      #expect(try await client.ask("seekcur 1") == ["ACK [5@0] {seekcur} Not seekable"])
      #expect(try await client.ask("seek 0 1") == ["ACK [5@0] {seek} Not seekable"])
      #expect(try await client.ask("seekid 1 1") == ["ACK [5@0] {seekid} Not seekable"])
      _ = try await served.ended(by: SIGTERM)
    }
  }
}
