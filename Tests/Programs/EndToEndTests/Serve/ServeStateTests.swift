import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// What a server keeps, whatever way it ends, and how it begins.
  @Suite struct ServeStateTests {
    @Test func secondServerRefusesAndADeadSocketIsReplaced() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let first = try await studio.serve(["--no-state", "--output", "simulated"])
      let second = try studio.beginServing(["--no-state", "--output", "simulated"])
      #expect(try await second.ended().status == 73)
      #expect(second.log.value.errors.contains { $0.contains("already running") })
      #expect(try await Conversation(studio.socketPath).ask("ping") == ["OK"])
      // Killed, it leaves its socket behind.
      first.kill()
      _ = try await first.ended()
      #expect(FileManager.default.fileExists(atPath: studio.socketPath))
      let third = try await studio.serve(["--no-state", "--output", "simulated"])
      #expect(try await Conversation(studio.socketPath).ask("ping") == ["OK"])
      #expect(try await third.ended(by: SIGINT).end.status == 128 + SIGINT)
    }

    /// The first client comes as soon as the socket is there, which is before the application is in front.
    @Test func aClientThatComesAtOnceFindsTheApplicationRunning() async throws {
      let studio = try Studio()
      defer { studio.close() }
      for _ in 0..<10 {
        let server = try studio.beginServing(["--no-state", "--output", "simulated"])
        let client = try await studio.firstClient()
        #expect(try await client.ask("play") == ["OK"])
        client.finish()
        _ = try await server.ended(by: SIGTERM)
      }
    }

    @Test func socketAndDirectoryAreThePersonsOwnUnderAnyMask() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let before = umask(0)
      let served = try await studio.serve(["--no-state", "--output", "simulated"])
      umask(before)
      func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
      }
      #expect(try mode(studio.socketPath) == 0o600)
      #expect(try mode((studio.socketPath as NSString).deletingLastPathComponent) == 0o700)
      _ = try await served.ended(by: SIGTERM)
    }

    @Test func everythingSurvivesARestart() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let state = "\(studio.folder)/state"
      var paths: [String] = []
      for seed in 31...34 {
        paths.append(try await Song(duration: 30, seed: UInt64(seed)).write(into: studio.folder))
      }
      let arguments = ["--output", "simulated", "--state", state]
      let first = try await studio.serve(arguments)
      var client = try Conversation(studio.socketPath)
      for path in paths { _ = try await client.ask("add \"\(path)\"") }
      for command in [
        "repeat 1", "single oneshot", "consume 1", "setvol 37", "play 2", "seekcur 12.5", "move 0 3",
        "replay_gain_mode album",
      ] {
        #expect(try await client.ask(command) == ["OK"])
      }
      let names = try await client.ask("playlist")
      let ids = try await client.ask("playlistinfo").filter { $0.hasPrefix("Id: ") }
      client.finish()
      _ = try await first.ended(by: SIGTERM)

      let second = try await studio.serve(arguments)
      client = try Conversation(studio.socketPath)
      #expect(try await client.ask("playlist") == names)
      #expect(try await client.ask("playlistinfo").filter { $0.hasPrefix("Id: ") } == ids)
      #expect(try await client.field("replay_gain_mode", of: "replay_gain_status") == "album")
      try await client.comes("bitrate: 128", in: "status")
      let status = try await client.ask("status")
      for line in [
        "repeat: 1", "single: oneshot", "consume: 1", "volume: 37", "song: 1", "songid: 3", "state: play",
      ] {
        #expect(status.contains(line), "\(line) in \(status)")
      }
      #expect((12.5...20).contains(try await client.elapsed()))
      _ = try await client.ask("pause 1")
      client.finish()
      _ = try await second.ended(by: SIGTERM)

      let third = try await studio.serve(arguments)
      client = try Conversation(studio.socketPath)
      #expect(try await client.field("state", of: "status") == "pause")
      client.finish()
      _ = try await third.ended(by: SIGTERM)
    }

    /// Music that somebody has switched off at night must not come on with an upgrade.
    @Test func aDisabledOutputStaysDisabled() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 30, seed: 35).write(into: studio.folder)
      let arguments = ["--output", "simulated", "--state", "\(studio.folder)/state"]
      let first = try await studio.serve(arguments)
      var client = try Conversation(studio.socketPath)
      _ = try await client.ask("add \"\(path)\"")
      #expect(try await client.ask("play") == ["OK"])
      try await client.passes(0.1)
      #expect(try await client.ask("disableoutput 0") == ["OK"])
      client.finish()
      _ = try await first.ended(by: SIGTERM)

      let second = try await studio.serve(arguments)
      client = try Conversation(studio.socketPath)
      #expect(try await client.field("outputenabled", of: "outputs") == "0")
      let status = try await client.ask("status")
      #expect(status.contains("state: pause") && status.contains("error: All audio outputs are disabled"))
      let elapsed = try await client.elapsed()
      #expect(try await client.ask("setvol 50") == ["OK"])
      #expect(try await client.elapsed() == elapsed)
      #expect(try await client.ask("enableoutput 0") == ["OK"])
      try await client.comes("state: play", in: "status")
      try await client.passes(elapsed + 0.1)
      client.finish()
      _ = try await second.ended(by: SIGTERM)

      let third = try await studio.serve(arguments)
      client = try Conversation(studio.socketPath)
      #expect(try await client.field("outputenabled", of: "outputs") == "1")
      client.finish()
      _ = try await third.ended(by: SIGTERM)
    }

    @Test func damagedStateIsSetAsideAndStopsNothing() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let noise = (0..<5000).map { _ in UInt8.random(in: 0...255) }
      _ = try studio.write(noise, to: "state/queue")
      _ = try studio.write(noise, to: "state/playback")
      let served = try await studio.serve(["--output", "simulated", "--state", "\(studio.folder)/state"])
      #expect(try await Conversation(studio.socketPath).field("playlistlength", of: "status") == "0")
      let errors = served.log.value.errors
      #expect(errors.contains { $0.contains("queue.damaged-1") })
      #expect(errors.contains { $0.contains("playback.damaged-1") })
      _ = try await served.ended(by: SIGTERM)
    }

    /// As on a full disk: nothing can be written, then there is room again, and nobody does anything.
    @Test func queueOfAFullDiskIsKeptOnceThereIsRoom() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 30, seed: 35).write(into: studio.folder)
      let arguments = ["--output", "simulated", "--state", "\(studio.folder)/state"]
      let first = try await studio.serve(arguments)
      try first.limitFileSize(to: "0")
      let client = try Conversation(studio.socketPath)
      for _ in 0..<400 { #expect(try await client.ask("add \"\(path)\"") == ["OK"]) }
      _ = try await first.log.wait(for: "a warning") { log in
        log.errors.contains { $0.contains("are not saved") }
      }
      try first.limitFileSize(to: "unlimited")
      _ = try await first.log.wait(for: "a word that it works again") { log in
        log.errors.contains { $0.contains("are saved again") }
      }
      first.kill()
      _ = try await first.ended()
      client.finish()
      #expect(first.log.value.errors.count { $0.contains("are not saved") } == 1)

      let second = try await studio.serve(arguments)
      let other = try Conversation(studio.socketPath)
      #expect(try await other.field("playlistlength", of: "status") == "400")
      other.finish()
      _ = try await second.ended(by: SIGTERM)
    }

    @Test func aStalledDiskDoesNotChangeTheStatus() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let stalled = "\(studio.folder)/stalled"
      let disk = try await Interposer.disk(in: studio.folder, stalledBy: stalled)
      let server = try await studio.serve(
        ["--output", "simulated", "--state", "\(studio.folder)/state"], environment: disk.environment)
      #expect(FileManager.default.createFile(atPath: stalled, contents: nil))
      let client = try Conversation(studio.socketPath)
      #expect(try await client.ask("setvol 30") == ["OK"])
      client.finish()
      server.child.signal(SIGTERM)
      #expect(try await server.child.ended().status == 128 + SIGTERM)
    }

    /// How often the server is killed.
    private static let kills = Rounds.count(20)

    /// Again and again: some edits, a kill at a moment of chance, and a look at what came back.
    @Test func killsLoseNothing() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 600, rate: 22050, channels: 1, bitRate: 32, seed: 41).write(
        into: studio.folder)
      let arguments = ["--output", "simulated", "--state", "\(studio.folder)/state"]
      let clock = ContinuousClock()
      /// Queues as their ids, with the moment at which a client knew of them.
      var versions: [(ids: [String], at: ContinuousClock.Instant)] = [([], clock.now)]
      /// Where the song was at the kill, and whether nobody had sent it there within the last second.
      var place: (seconds: Double, id: String?, at: ContinuousClock.Instant, isOld: Bool)?
      var worst = 0.0
      for round in 0..<Self.kills {
        let served = try await studio.serve(arguments)
        let client = try Conversation(studio.socketPath)
        let ids = try await client.ids()
        // What a client knew a second before the kill is there, or something newer.
        let killed = place?.at ?? clock.now
        let known = versions.lastIndex { killed - $0.at >= .seconds(1) } ?? 0
        #expect(
          versions[known...].contains { $0.ids == ids },
          "round \(round): \(ids), not of \(versions[known...])")
        if let place, place.isOld, let id = place.id {
          // It plays on from the start; a second may be lost.
          let status = try await client.ask("status")
          #expect(status.contains("songid: \(id)"))
          let seconds = status.first { $0.hasPrefix("elapsed: ") }.flatMap { Double($0.dropFirst(9)) }
          worst = max(worst, place.seconds - (seconds ?? -1))
        }
        versions = [(ids, clock.now)]
        // Some edits, spread over the time until the kill.
        let deadline = clock.now + .milliseconds(Int.random(in: 0...250))
        repeat {
          let count = versions.last?.ids.count ?? 0
          let command =
            switch Int.random(in: 0...5) {
            case 0 where count > 4: "delete \(Int.random(in: 0..<count))"
            case 1 where count > 1: "swap 0 \(count - 1)"
            case 2 where count > 0: "play \(Int.random(in: 0..<count))"
            case 3 where count > 0: "seekcur \(Int.random(in: 0...500))"
            default: "add \"\(path)\""
            }
          _ = try await client.ask(command)
          versions.append((try await client.ids(), clock.now))
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...20)))
        } while clock.now < deadline
        let isOld = round % 10 == 9
        if isOld {
          if let last = versions.last?.ids.count, last > 0 { _ = try await client.ask("play 0") }
          // What is looked for is what has been kept by now.
          try await Task.sleep(for: .milliseconds(1200))
        }
        let status = try await client.ask("status")
        let id = status.first { $0.hasPrefix("songid: ") }.map { String($0.dropFirst(8)) }
        let elapsed = status.first { $0.hasPrefix("elapsed: ") }.flatMap { Double($0.dropFirst(9)) }
        place = (elapsed ?? 0, id, clock.now, isOld)
        served.kill()
        _ = try await served.ended()
        client.finish()
        #expect(!served.log.value.errors.contains { $0.contains("damaged") })
      }
      print("\(Self.kills) kills: at most \(worst) s of the place lost")
      #expect(worst <= 1)
    }
  }
}

extension Player {
  /// Writing to a file beyond `limit` bytes is an error from now on.
  fileprivate func limitFileSize(to limit: String) throws {
    try runTool("prlimit", ["--pid", "\(child.identifier)", "--fsize=\(limit):unlimited"])
  }
}

extension Conversation {
  /// The numbers of the queue's songs, in order.
  fileprivate func ids() async throws -> [String] {
    try await ask("plchangesposid 0").filter { $0.hasPrefix("Id: ") }.map { String($0.dropFirst(4)) }
  }
}
