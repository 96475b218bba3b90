import Foundation
import PulseOutput
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// What is heard of a server that clients drive.
  @Suite struct ServeSoundTests {
    @Test(arguments: ["home", "lock"])
    func pressedOverTheSocketWithAudioModeNothingIsHeardOfIt(way: String) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let songs = [Song(duration: 1.0, seed: 21), Song(duration: 5, seed: 22)]
      var paths: [String] = []
      for song in songs { paths.append(try await song.write(into: studio.folder)) }
      let pulse = try studio.startServer()
      let capture = try await studio.capture(pulse.address)
      let served = try await studio.serve(["--no-state"], server: pulse)
      let client = try Conversation(studio.socketPath)
      for path in paths { #expect(try await client.ask("add \"\(path)\"") == ["OK"]) }
      #expect(try await client.ask("play") == ["OK"])
      _ = try await capture.heard(8_000)
      #expect(try await client.ask(way) == ["OK"])
      #expect(
        try await client.ask("lifecycle").prefix(3) == [
          "application: background", "backgroundmodes: audio", "keptrunningby: audio",
        ])
      #expect(try await client.field("state", of: "status") == "play")
      #expect(try await client.ask(way == "home" ? "foreground" : "unlock") == ["OK"])
      #expect(try await client.field("application", of: "lifecycle") == "active")
      try await client.comes("state: stop", in: "status")
      expectSame(Sound(try await capture.untilSilence()).trimmed, try await Sound.mpg123(paths).trimmed)
      client.finish()
      #expect(try await served.ended(by: SIGTERM).end.status == 128 + SIGTERM)
      #expect(!FileManager.default.fileExists(atPath: studio.socketPath))
    }

    @Test func withoutAudioModeItStopsAndGoesOn() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 6, seed: 23).write(into: studio.folder)
      let pulse = try studio.startServer()
      let capture = try await studio.capture(pulse.address)
      let served = try await studio.serve(["--no-state", "--background-modes", "none"], server: pulse)
      let client = try Conversation(studio.socketPath)
      let watcher = try Conversation(studio.socketPath)
      _ = try await client.ask("add \"\(path)\"")
      _ = try await client.ask("play")
      _ = try await capture.heard(8_000)
      watcher.send("watch time 0.01 events")
      #expect(try await client.ask("home") == ["OK"])
      #expect(try await client.field("application", of: "lifecycle") == "suspended")
      #expect(try await client.field("state", of: "status") == "pause")
      // What the sink holds is heard still, and counts.
      _ = try await capture.untilSilence()
      let standing = try await client.elapsed()
      #expect(
        try await client.ask("play")
          == ["ACK [55@0] {play} the application is suspended and has no audio background mode"])
      // The system's side answers, and edits the queue.
      #expect(try await client.ask("add \"\(path)\"") == ["OK"])
      #expect(try await client.ask("delete 1") == ["OK"])
      _ = try await capture.passed(20_000)
      let later = try await client.elapsed()
      #expect(later == standing)
      let before = watcher.received.count
      #expect(try await client.ask("foreground") == ["OK"])
      try await client.comes("state: stop", in: "status")
      let heard = Sound(try await capture.untilSilence()).trimmed
      expectSame(heard.withoutSilence, try await Sound.mpg123([path]).withoutSilence, "both parts together")
      #expect(heard.longestSilence.count > 15_000)
      // Nothing was told between the suspension and the return.
      let told = watcher.received[..<before]
      let suspended = try #require(told.lastIndex(of: "state: suspended"))
      #expect(!told[suspended...].contains("event: time"))
      for conversation in [client, watcher] { conversation.finish() }
      _ = try await served.ended(by: SIGTERM)
    }

    @Test func terminatedAndLaunchedItGoesOnWhereItWas() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 6, seed: 24).write(into: studio.folder)
      let pulse = try studio.startServer()
      let capture = try await studio.capture(pulse.address)
      let served = try await studio.serve(["--no-state"], server: pulse)
      let client = try Conversation(studio.socketPath)
      _ = try await client.ask("add \"\(path)\"")
      _ = try await client.ask("play")
      _ = try await capture.heard(20_000)
      #expect(try await client.ask("terminate") == ["OK"])
      #expect(try await client.field("application", of: "lifecycle") == "notRunning")
      #expect(try await client.field("state", of: "status") == "pause")
      #expect(try await client.ask("play") == ["ACK [55@0] {play} the application is not running"])
      #expect(try await client.field("playlistlength", of: "status") == "1")
      #expect(try await client.ask("launch") == ["OK"])
      try await client.comes("state: stop", in: "status")
      let heard = Sound(try await capture.untilSilence()).trimmed
      let whole = try await Sound.mpg123([path]).trimmed
      // The first life is the beginning of the song, the second one its end.
      let first = zip(heard.frames, whole.frames).prefix { $0 == $1 }.count
      let rest = Sound(format: heard.format, frames: heard.frames[first...].drop(while: Sound.isSilent))
      expectSame(rest, whole[(whole.frames.count - rest.frames.count)..<whole.frames.count], "the rest")
      // What the sink held when the player went may sound twice, and on a busy machine it goes late. A sink that is late
      // there has not played all that it should have by then, a block at most.
      let twice = first + rest.frames.count - whole.frames.count
      print("\(twice) frames were heard twice")
      #expect((-2_205..<22_050).contains(twice))
      client.finish()
      _ = try await served.ended(by: SIGTERM)
    }

    /// The call has the sound still; the application is told of it and of its end.
    @Test func launchedDuringAnInterruptionItPlaysWhenThatEnds() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 5, bitRate: 64, seed: 27).write(into: studio.folder)
      let served = try await studio.serve(["--no-state", "--output", "simulated"])
      let client = try Conversation(studio.socketPath)
      _ = try await client.ask("add \"\(path)\"")
      _ = try await client.ask("play")
      try await client.comes("state: play", in: "status")
      #expect(try await client.ask("interrupt begin") == ["OK"])
      try await client.comes("state: pause", in: "status")
      for command in ["terminate", "launch", "play"] { #expect(try await client.ask(command) == ["OK"]) }
      #expect(try await client.field("application", of: "lifecycle") == "active")
      #expect(try await client.field("state", of: "status") == "pause")
      let standing = try await client.elapsed()
      #expect(try await client.ask("interrupt end") == ["OK"])
      try await client.comes("state: play", in: "status")
      try await client.passes(standing)
      client.finish()
      _ = try await served.ended(by: SIGTERM)
    }

    /// The length is estimated by the first frame, which is four times as long as the others.
    @Test func aSongThatIsLongerThanItSeemedIsNotLeftByASeek() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let bytes =
        SongBytes.make(["TIT2": "Long"], frames: 5, bitRate: 256)
        + SongBytes.make(frames: 2000, bitRate: 64)
      var paths = [try studio.write(bytes, to: "long.mp3")]
      paths.append(try studio.write(SongBytes.make(frames: 200), to: "next.mp3"))
      let server = try await studio.serve(["--no-state", "--output", "simulated"])
      let client = try Conversation(studio.socketPath)
      for path in paths { _ = try await client.ask("add \"\(path)\"") }
      // Tags and length are read in the background.
      try await client.comes("Title: Long", in: "playlistinfo 0")
      let end = try #require(Double(try await client.field("duration", of: "playlistinfo 0") ?? ""))
      #expect(end < 20)
      #expect(try await client.ask("seek 0 \(end - 1)") == ["OK"])
      try await client.passes(end + 0.5)
      for (distance, range) in [("-0.3", end...end + 10), ("+20", end + 20...end + 32)] {
        #expect(try await client.ask("seekcur \(distance)") == ["OK"])
        #expect(try await client.field("song", of: "status") == "0")
        #expect(range.contains(try await client.elapsed()))
      }
      client.finish()
      _ = try await server.ended(by: SIGTERM)
    }

    @Test func watchersGetEveryStepOnce() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let songs = [Song(duration: 0.93, seed: 25), Song(duration: 0.61, seed: 26)]
      let pulse = try studio.startServer()
      let served = try await studio.serve(["--no-state"], server: pulse)
      let client = try Conversation(studio.socketPath)
      let watcher = try Conversation(studio.socketPath)
      for song in songs { _ = try await client.ask("add \"\(try await song.write(into: studio.folder))\"") }
      watcher.send("watch time 0.01 events")
      _ = try await watcher.lines(from: 1, until: "the present state") { $0 == "state: active" }
      _ = try await client.ask("play")
      _ = try await watcher.lines(from: 1, until: "the end") {
        $0 == "status: waitingToPlayAtSpecifiedRate"
      }
      try await client.comes("state: stop", in: "status")
      watcher.send("noidle")
      _ = try await watcher.lines(from: 1, until: "the end of the watch") { $0 == "OK" }
      // Fields of each time record, by song.
      var steps: [String: [Int]] = [:]
      var record: [String: String] = [:]
      func take() {
        if record["event"] == "time", record["timescale"] == "100", let song = record["songid"],
          let value = record["value"].flatMap(Int.init)
        {
          steps[song, default: []].append(value)
          #expect(record["elapsed"].flatMap(Double.init) == Double(value) / 100)
        }
        record = [:]
      }
      for line in watcher.received.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.count == 2 else { continue }
        if parts[0] == "event" { take() }
        record[parts[0]] = parts[1]
      }
      take()
      #expect(steps["1"] == Array(0...92))
      #expect(steps["2"] == Array(0...60))
      for conversation in [client, watcher] { conversation.finish() }
      _ = try await served.ended(by: SIGTERM)
    }
  }
}
