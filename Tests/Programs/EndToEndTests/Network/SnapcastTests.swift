import Clocks
import Foundation
import PulseOutput
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// Rooms that a server is heard in by way of Debian's Snapcast, set up with the lines of the page "Several rooms".
  @Suite struct SnapcastTests {
    /// The page's line that begins like that, with the pipe in a folder.
    private func line(_ start: String, in folder: String) throws -> String {
      let page = Repository.folder.appendingPathComponent("Sources/Apple/Continuo/Continuo.docc/Rooms.md")
      let text = try String(contentsOf: page, encoding: .utf8)
      let line = try #require(text.components(separatedBy: "\n").first { $0.hasPrefix(start) })
      return line.replacingOccurrences(of: "/tmp/rooms", with: "\(folder)/rooms")
        .replacingOccurrences(of: " &", with: "")
    }

    /// Runs Snapcast's server with the page's line. What an installation gives it is in the folder here.
    private func startServer(_ port: Int, in studio: Studio) throws -> Child {
      let log = open("\(studio.folder)/snapserver.log", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      defer { close(log) }
      let own = """
        --server.datadir=\(studio.folder) --stream.bind_to_address=127.0.0.1 --stream.port=\(port) \
        --tcp.enabled=0 --http.enabled=0 --config=/dev/null --logging.sink=stderr
        """
      return try Child(
        ["sh", "-c", "exec \(try line("snapserver ", in: studio.folder)) \(own)"],
        environment: studio.environment, streams: .descriptors(input: log, output: log, error: log))
    }

    /// Starts a room as soon as there is a server, and waits until it plays, if only silence.
    private func startRoom(_ port: Int, in studio: Studio) async throws -> MonitorCapture {
      let end = Date().addingTimeInterval(120)
      while (try? LoopbackSocket.connected(to: port)) == nil {
        guard Date() < end else { throw Failure("no server at port \(port)") }
        try await Task.sleep(for: .milliseconds(5))
      }
      let room = try MonitorCapture(
        of: [
          "snapclient", "--host", "127.0.0.1", "--port", "\(port)", "--hostID", "room", "--player",
          "file:filename=stdout", "--logsink", "null",
        ], format: .int16)
      try await room.started()
      return room
    }

    @Test("The sound arrives in another room, and the time that is told is the time when it is heard there")
    func room() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 2, seed: 61).write(into: studio.folder)
      let pulse = try studio.startServer()
      let words = try line("pactl load-module ", in: studio.folder).split(separator: " ").map(String.init)
      try pactl(pulse.address, words.dropFirst())
      let port = try LoopbackSocket.freePort()
      let server = try startServer(port, in: studio)
      defer { server.signal(SIGKILL) }
      let options = try line("continuo serve --sink rooms ", in: studio.folder).split(separator: " ")
        .map(String.init).dropFirst(2).prefix { $0 != "--home" }
      let served = try await studio.serve(["--no-state"] + options, server: pulse)
      let room = try await startRoom(port, in: studio)
      defer { room.stop() }
      let client = try Conversation(studio.socketPath)
      let watcher = try Conversation(studio.socketPath)
      watcher.send("watch time 0.1")
      _ = try await client.ask("add \"\(path)\"")
      #expect(try await client.ask("play") == ["OK"])
      // When it is told that the room hears this, it has.
      let steps = Steps(
        try await watcher.lines(from: 0, until: "the song's last step") { $0 == "elapsed: 1.8" })
      let recording = try await room.passed(8820)
      let song = try await Sound.mpg123([path], format: .int16)
      let heard = Passages(of: song, in: Sound(recording))
      // A room on a busy machine drops what comes too late, which brings the rest of it forward.
      #expect(heard.frames.count >= 6, "\(heard.frames)")
      // Each by the piece that it came in: no time of the capture holds for all that a room leaves out.
      let late = heard.frames.compactMap { tenth, frame -> Double? in
        guard let told = steps.times[tenth], let piece = recording.arrivals.last(where: { $0.index <= frame })
        else { return nil }
        return piece.time.seconds + Double(frame - piece.index) / 44_100 - told
      }
      print("the room hears the steps so many seconds after they are told: \(late)")
      // The second on the way is counted.
      #expect(try #require(late.map(abs).min()) < 0.25)
      for conversation in [client, watcher] { conversation.finish() }
      _ = try await served.ended(by: SIGTERM)
      server.signal(SIGKILL)
      _ = try await server.ended()
    }

    /// When each tenth of a second was told to be heard, in seconds of the monotonic clock.
    private struct Steps {
      private(set) var times: [Int: Double] = [:]

      init(_ lines: [String]) {
        var tenth: Int?
        for line in lines {
          let parts = line.components(separatedBy: ": ")
          guard parts.count == 2, let value = Double(parts[1]) else { continue }
          if parts[0] == "elapsed" { tenth = Int((value * 10).rounded()) }
          if parts[0] == "host", let tenth { times[tenth] = value }
        }
      }
    }

    /// Where the tenths of a second of a song begin in what a room heard.
    private struct Passages {
      private(set) var frames: [Int: Int] = [:]

      init(of song: Sound, in room: Sound) {
        /// Both samples of a frame, which PulseAudio rounds differently.
        func samples(_ sound: Sound) -> [(Int, Int)] {
          sound.frames.map { (Int(Int16(truncatingIfNeeded: $0)), Int(Int16(truncatingIfNeeded: $0 >> 16))) }
        }
        let (song, room) = (samples(song), samples(room))
        var from = 0
        for tenth in 0..<(song.count / 4410) {
          let passage = song[(tenth * 4410)...].prefix(64)
          let found = (from..<max(from, room.count - 64)).first { start in
            zip(passage, room[start...]).allSatisfy { abs($0.0 - $1.0) <= 3 && abs($0.1 - $1.1) <= 3 }
          }
          guard let found else { continue }
          frames[tenth] = found
          from = found
        }
      }
    }
  }
}
