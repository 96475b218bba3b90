import Clocks
import Foundation
import PulseOutput
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// Servers that do not tell the time as well as a null sink with `norewinds=1`, and none at all.
  @Suite struct OtherServerTests {
    @Test func everyStepComesOnAPlainNullSink() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 1)
      let path = try await song.write(into: studio.folder)
      let server = try studio.startServer(noRewinds: false)
      let player = try studio.play([path], server: server)
      #expect(try await player.ended().status == 0)
      #expect(player.events.steps(of: 0).map(\.value) == song.steps)
    }

    @Test func pipeWirePlaysAQueue() async throws {
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
      }
      // The sink's own format is not the song's, so tones are counted: a wave crosses zero upwards once.
      let left = try await capture.passed(8820).left
      let first = try #require(left.firstIndex { abs($0) > 0.05 })
      let last = try #require(left.lastIndex { abs($0) > 0.05 })
      let seconds = Double(last - first) / 44100
      print("PipeWire: \(seconds) s of 5 s heard")
      // None is missing; a cycle that comes late is silent.
      #expect((-0.02..<1).contains(seconds - 5))
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
