import Foundation
import HostTime
import PulseOutput
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// Servers that do not tell the time as well as a null sink with `norewinds=1`, and none at all.
  @Suite struct OtherServerTests {
    /// How far from evenly spaced steps are. The first ones are left out: the line through a server's reports may
    /// still be found then.
    private func spread(of steps: [(value: Int64, host: Double)], after hundredths: Int64) -> Spread {
      let origins = steps.filter { $0.value >= hundredths }.map { $0.host - Double($0.value) / 100 }
      let median = origins.sorted()[origins.count / 2]
      return Spread(origins.map { $0 - median })
    }

    @Test func plainNullSinkWithoutAStallOrAJump() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 4)
      let path = try await song.write(into: studio.folder)
      let server = try studio.startServer(noRewinds: false)
      let player = try studio.play([path], server: server)
      let end = try await player.ended()
      #expect(end.status == 0)
      let steps = player.events.steps(of: 0)
      #expect(steps.map(\.value) == song.steps)
      let gaps = zip(steps, steps.dropFirst()).map { $1.host - $0.host }
      print("plain null sink: \(spread(of: steps, after: 0)); longest gap \((gaps.max() ?? .nan) * 1000) ms")
      // Such a sink idles in blocks of 2 s, in which a raw clock stalls for half a second and more.
      // The bounds have room for a machine with twice the work it can do.
      #expect(spread(of: steps, after: 0).quantile(0.9) < 20)
      #expect((gaps.max() ?? 1) < 0.3)
      // The end is heard, not written.
      let last = try #require(steps.last)
      #expect(end.time.seconds - last.host < 1)
    }

    @Test func pipeWirePlaysAQueueEvenly() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let songs = [
        Song(duration: 3, seed: 1, tone: 500), Song(duration: 1, rate: 48000, seed: 2, tone: 1000),
        Song(duration: 1, rate: 22050, channels: 1, seed: 3, tone: 2000),
      ]
      var paths: [String] = []
      for song in songs { paths.append(try await song.write(into: studio.folder)) }
      let server = try await PipeWireServer()
      defer { server.stop() }
      let capture = try await studio.capture(server.address, sink: server.sink)
      let player = try studio.play(paths + ["--server", server.address, "--sink", server.sink])
      #expect(try await player.ended().status == 0)
      for (index, song) in songs.enumerated() {
        let steps = player.events.steps(of: index)
        #expect(steps.map(\.value) == song.steps, "item \(index)")
        let spread = spread(of: steps, after: index == 0 ? 50 : 0)
        print("PipeWire, item \(index): \(spread)")
        #expect(spread.quantile(0.9) < 20)
      }
      // The sink's own format is not the song's, so tones are counted: a wave crosses zero upwards once.
      let left = try await capture.passed(8820).left
      let first = try #require(left.firstIndex { abs($0) > 0.05 })
      let last = try #require(left.lastIndex { abs($0) > 0.05 })
      let seconds = Double(last - first) / 44100
      print("PipeWire: \(seconds) s of 5 s heard")
      #expect(abs(seconds - 5) < 0.02)
      for (start, tone) in [(0.5, 500), (2.5, 500), (3.5, 1000), (4.5, 2000)] {
        let begin = first + Int(start * 44100)
        let part = left[begin..<begin + 11025]
        let crossings = zip(part, part.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect(abs(crossings - tone / 4) <= 2, "at \(start) s")
      }
    }

    @Test func withoutAnyServerAPrivateOneTakesItsPlace() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 0.5)
      let path = try await song.write(into: studio.folder)
      let player = try studio.play([path])
      try await player.reached(10)
      #expect(studio.leftovers().contains { $0.contains("pulseaudio") })
      #expect(try await player.ended().status == 0)
      #expect(player.log.value.errors.count == 1)
      #expect(player.log.value.errors[0].contains("private null sink"))
      #expect(player.events.steps(of: 0).map(\.value) == song.steps)
      #expect(studio.leftovers().isEmpty)
    }

    @Test func withoutAnyServerProgramItIsUnavailable() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 0.2).write(into: studio.folder)
      for option in [[], ["--null-sink"]] {
        let player = try studio.play([path] + option, environment: ["PATH": studio.folder])
        #expect(try await player.ended().status == 69)
        #expect(player.log.value.errors.last?.contains("pulseaudio is not installed") == true)
      }
    }

    @Test func serverOfTheEnvironmentIsUsed() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 0.3).write(into: studio.folder)
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let player = try studio.play([path], environment: ["PULSE_SERVER": server.address])
      #expect(try await player.ended().status == 0)
      expectSame(Sound(try await capture.untilSilence()).trimmed, try await Sound.mpg123([path]).trimmed)
      #expect(player.log.value.errors.isEmpty)
    }
  }
}
