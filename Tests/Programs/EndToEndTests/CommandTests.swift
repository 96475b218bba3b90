import Foundation
import PulseOutput
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// Each command of `--at`: what observers see of it, and what is heard.
  @Suite struct CommandTests {
    /// A run of the player with what was heard of it, silence around it cut off.
    private struct Run {
      let player: Player
      let heard: Sound
      let end: Child.End
      var steps: [Int64] { player.events.steps(of: 0).map(\.value) }
      var statuses: [String] {
        player.events.withoutTime.compactMap {
          if case .timeControlStatus(let status, _) = $0 { status } else { nil }
        }
      }
      var currentItems: [Int] {
        player.events.withoutTime.compactMap {
          if case .currentItem(let index?, _) = $0 { index } else { nil }
        }
      }
    }

    private func run(_ paths: [String], at commands: String..., in studio: Studio) async throws -> Run {
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let player = try studio.play(paths + commands.flatMap { ["--at", $0] }, server: server)
      let end = try await player.ended()
      let heard = Sound(try await capture.untilSilence()).trimmed
      #expect(player.log.value.errors.isEmpty)
      return Run(player: player, heard: heard, end: end)
    }

    @Test(arguments: [["0.3:pause", "2.8:play"], ["0.3:toggle", "2.8:toggle"]])
    func pauseAndPlay(commands: [String]) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 3, seed: 11)
      let path = try await song.write(into: studio.folder)
      let run = try await run([path], at: commands[0], commands[1], in: studio)
      #expect(run.end.status == 0)
      expectSame(run.heard.withoutSilence, try await Sound.mpg123([path]).withoutSilence)
      let silence = Double(run.heard.longestSilence.count) / 44100
      #expect(silence > 0.1, "\(silence)")
      #expect(run.steps == song.steps)
      #expect(run.statuses.starts(with: ["waitingToPlayAtSpecifiedRate", "playing", "paused"]))
      #expect(run.statuses.last == "playing")
      // Time stands still in between.
      #expect(run.player.events.longestWait(of: 0) > silence / 2)
    }

    @Test func nextIsHeardAtOnce() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let songs = [Song(duration: 4, seed: 12), Song(duration: 0.5, seed: 13)]
      let first = try await songs[0].write(into: studio.folder)
      let second = try await songs[1].write(into: studio.folder)
      let run = try await run([first, second], at: "0.4:next", in: studio)
      #expect(run.end.status == 0)
      let expected = try await Sound.mpg123([second])
      let start = run.heard.frames.count - expected.trimmed.frames.count
      expectSame(run.heard[start..<run.heard.frames.count], expected.trimmed, "the second song")
      try expectSplice(run.heard[0..<start], isBeginningOf: try await Sound.mpg123([first]), after: 0.4)
      #expect(run.currentItems == [0, 1])
      #expect(run.player.events.steps(of: 1).map(\.value) == songs[1].steps)
      // Nothing of the first song after the second has begun.
      #expect(run.steps == Array(0..<Int64(run.steps.count)))
      #expect(!run.player.events.events.contains(.didPlayToEndTime(index: 0)))
    }

    @Test func previousGoesBack() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let songs = [Song(duration: 0.5, seed: 14), Song(duration: 3, seed: 15)]
      var paths: [String] = []
      for song in songs { paths.append(try await song.write(into: studio.folder)) }
      let run = try await run(paths, at: "0.8:previous", in: studio)
      #expect(run.end.status == 0)
      #expect(run.currentItems == [0, 1, 0, 1])
      let both = try await Sound.mpg123(paths).trimmed
      let start = run.heard.frames.count - both.frames.count
      expectSame(run.heard[start..<run.heard.frames.count], both, "both songs once more")
      try expectSplice(run.heard[0..<start], isBeginningOf: both, after: 0.8)
    }

    @Test(arguments: ["seek 5.5", "seek +3.1", "seek 0:05.5"])
    func seekForward(command: String) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 8, seed: 16)
      let path = try await song.write(into: studio.folder)
      let run = try await run([path], at: "2:\(command)", in: studio)
      #expect(run.end.status == 0)
      let expected = try await Sound.mpg123([path])
      // What follows the jump is the end of the file.
      let splice = try #require(run.steps.firstIndex { $0 >= 500 })
      let target: Int
      if command.contains("+") {
        // From wherever it was at that moment.
        let tail = Sound(format: .float32, frames: run.heard.frames.suffix(15000))
        let place = try #require(tail.place(in: expected))
        #expect(place == song.frameCount - 15000)
        let jump = zip(run.heard.frames, expected.frames).prefix { $0 == $1 }.count
        let start = try #require(
          run.heard[jump..<run.heard.frames.count].withoutSilence.place(in: expected))
        target = start
        // The seek was from the present place, two seconds from the beginning, and the flush took a little. A sink that is
        // late has not played what it should have by then.
        #expect((-22_050..<44_100).contains(jump + 136_710 - start), "\(jump) to \(start)")
      } else {
        target = 242_550
        #expect(run.steps[splice] == 550)
      }
      let tail = expected[target..<expected.frames.count].trimmed
      let start = run.heard.frames.count - tail.frames.count
      expectSame(run.heard[start..<run.heard.frames.count], tail, "after the seek")
      try expectSplice(run.heard[0..<start], isBeginningOf: expected, after: 2)
      // Each step once on either side.
      #expect(Array(run.steps[..<splice]) == Array(0..<Int64(splice)))
      #expect(Array(run.steps[splice...]) == Array(run.steps[splice]..<800))
      #expect(!run.statuses.dropFirst(2).contains("paused"))
    }

    @Test func seekBackward() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 3, seed: 17)
      let path = try await song.write(into: studio.folder)
      let run = try await run([path], at: "0.7:seek 0.2", in: studio)
      let expected = try await Sound.mpg123([path])
      let tail = expected[8820..<132_300].trimmed
      let start = run.heard.frames.count - tail.frames.count
      expectSame(run.heard[start..<run.heard.frames.count], tail, "after the seek")
      try expectSplice(run.heard[0..<start], isBeginningOf: expected, after: 0.7)
      let again =
        try #require(zip(run.steps, run.steps.dropFirst()).enumerated().first { $0.element.1 < $0.element.0 })
        .offset + 1
      #expect(run.steps[..<again] == ArraySlice(0..<Int64(again)))
      #expect(Array(run.steps[again...]) == Array(20..<300))
    }

    @Test func seekWhilePausedIsHeardLater() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 2, seed: 18).write(into: studio.folder)
      let run = try await run([path], at: "0.3:pause", "0.4:seek 1.6", "3.4:play", in: studio)
      let expected = try await Sound.mpg123([path])
      let tail = expected[70560..<88200].trimmed
      let start = run.heard.frames.count - tail.frames.count
      expectSame(run.heard[start..<run.heard.frames.count], tail, "after the seek")
      #expect(run.heard[0..<start].silences.last?.count ?? 0 > 8820)
    }

    @Test func volumeAndMute() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 8, seed: 19)
      let path = try await song.write(into: studio.folder)
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let player = try studio.play(
        [path] + ["1:volume 50", "2.5:mute", "4:mute", "5.5:volume 100"].flatMap { ["--at", $0] },
        server: server)
      #expect(try await player.ended().status == 0)
      let heard = Sound(try await capture.untilSilence())
      let expected = try await Sound.mpg123([path])
      let first = try #require(expected.place(in: heard))
      // Time and sound go on as if nothing were.
      #expect(player.events.steps(of: 0).map(\.value) == song.steps)
      // Each level with how many samples had it in a row, where the song is loud enough to tell.
      var levels: [(factor: Float, count: Int)] = []
      for (one, other) in zip(heard.samples[first...], expected.samples) where abs(other.left) >= 0.05 {
        let factor = one.left / other.left
        if let last = levels.indices.last, abs(levels[last].factor - factor) < 0.001 {
          levels[last].count += 1
        } else {
          levels.append((factor, 1))
        }
      }
      // A change may take a block of the sink's. The commands may be late, but not out of order.
      let factors = levels.filter { $0.count > 1_000 }.map(\.factor)
      try #require(factors.count == 5, "\(factors)")
      print("volume 50 is a factor of \(factors[1])")
      #expect(factors[0] == 1 && factors[2] == 0 && factors[4] == 1, "\(factors)")
      #expect((0.05..<0.6).contains(factors[1]) && abs(factors[3] - factors[1]) < 0.001, "\(factors)")
    }

    @Test func quitEndsIt() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 5, bitRate: 64).write(into: studio.folder)
      let run = try await run([path], at: "0.4:quit", in: studio)
      #expect(run.end.status == 0)
      #expect((1..<450).contains(run.steps.count))
    }

    @Test func transportWakesASuspendedPlayerOnlyWithAudioMode() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 3, seed: 20)
      let path = try await song.write(into: studio.folder)
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let with = try studio.play(
        [path] + ["0.3:pause", "0.4:home", "3.4:play"].flatMap { ["--at", $0] }, server: server)
      #expect(try await with.ended().status == 0)
      expectSame(
        Sound(try await capture.untilSilence()).withoutSilence, try await Sound.mpg123([path]).withoutSilence)
      #expect(
        with.events.withoutTime.filter { !$0.isOfThePlayer }.suffix(3)
          == ["background", "suspended", "background"].map { .applicationState($0) })

      let without = try studio.play(
        [path, "--background-modes", "none"]
          + ["0.3:home", "3.3:next", "3.4:seek 0.9", "3.5:foreground"].flatMap { ["--at", $0] },
        server: server)
      #expect(try await without.ended().status == 0)
      #expect(without.log.value.errors.count { $0.contains("suspended") } == 2)
      #expect(without.events.steps(of: 0).map(\.value) == song.steps)
    }

    /// Expects `sound` to begin as `song` does and to break off not before a time.
    private func expectSplice(
      _ sound: Sound, isBeginningOf song: Sound, after seconds: Double,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let part = sound.trimmed
      expectSame(
        part, song.trimmed[0..<min(part.frames.count, song.trimmed.frames.count)], "before the splice",
        sourceLocation: sourceLocation)
      let end = Double(part.frames.count) / 44100
      // Timers start when the first sound does; a command may come late.
      #expect(end > seconds - 0.06, sourceLocation: sourceLocation)
    }
  }
}
