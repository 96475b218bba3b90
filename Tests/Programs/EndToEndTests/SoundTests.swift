import Foundation
import PulseOutput
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// What leaves the sink is what libmpg123 decodes.
  @Suite struct SoundTests {
    @Test(arguments: [MonitorCapture.SampleFormat.float32, .int16])
    func threeSongsAreWhatMPG123Decodes(format: MonitorCapture.SampleFormat) async throws {
      let studio = try Studio()
      defer { studio.close() }
      var songs: [String] = []
      for (index, duration) in [1.0, 0.777, 1.3].enumerated() {
        songs.append(try await Song(duration: duration, seed: UInt64(index + 1)).write(into: studio.folder))
      }
      let expected = try await Sound.mpg123(songs, format: format)
      let frameCount = [44100, 34266, 57330].reduce(0, +)
      #expect(expected.frames.count == frameCount)
      let server = try studio.startServer(format: format)
      let capture = try await studio.capture(server.address, format: format)
      let player = try studio.play(songs, server: server)
      #expect(try await player.ended().status == 0)
      let heard = Sound(try await capture.untilSilence()).trimmed
      #expect(player.log.value.errors.isEmpty)
      expectSame(heard, expected.trimmed, "\(format)")
    }

    @Test func formatsFollowEachOtherWithoutAGap() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let songs = [
        Song(duration: 0.8, seed: 1), Song(duration: 1, rate: 48000, seed: 2, tone: 1000),
        Song(duration: 0.7, channels: 1, seed: 3),
        Song(duration: 1, rate: 22050, channels: 1, seed: 4, tone: 441),
        Song(duration: 0.9, rate: 22050, seed: 5, tone: 800), Song(duration: 0.6, seed: 6),
      ]
      let (paths, player, recording) = try await studio.playThrough(songs)
      let heard = Sound(recording).trimmed
      let lengths = songs.map { Int(($0.duration * 44100).rounded()) }
      // A frame may be silent by itself at the very beginning or end of everything.
      #expect(abs(heard.frames.count - lengths.reduce(0, +)) <= 2)
      #expect(heard.silences.isEmpty)
      var start = 0
      for (index, song) in songs.enumerated() {
        let part = heard[start..<min(start + lengths[index], heard.frames.count)]
        start += lengths[index]
        if let tone = song.tone {
          expectTone(part, tone, "item \(index)")
        } else {
          // mpg123 gives both channels of a mono file the same samples too.
          expectSame(part, try await Sound.mpg123([paths[index]], options: ["--stereo"]), "item \(index)")
        }
        #expect(player.events.steps(of: index).map(\.value) == song.steps, "item \(index)")
      }
    }

    /// The stream's format is that of the first item, whatever the sink's is.
    @Test func otherRateThanTheSinksIsWholeToo() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let songs = [
        Song(duration: 1, rate: 48000, seed: 1, tone: 1000),
        Song(duration: 1, rate: 48000, seed: 2, tone: 500),
      ]
      let (_, player, recording) = try await studio.playThrough(songs)
      let heard = Sound(recording).trimmed
      // PulseAudio's own resampler adds some frames of its filter at the end, and quantizes blocks.
      #expect(abs(heard.frames.count - 88200) < 100)
      #expect(heard.silences.isEmpty)
      for (index, song) in songs.enumerated() {
        #expect(player.events.steps(of: index).map(\.value) == song.steps, "item \(index)")
      }
    }

    /// The pieces that come with the project, all at once: too long for real time.
    @Test func mediaOfTheProjectIsWhatMPG123Decodes() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let media = Repository.folder.appendingPathComponent("Media")
      let names = try FileManager.default.contentsOfDirectory(atPath: media.path).filter {
        $0.hasSuffix(".mp3")
      }
      #expect(names.count >= 3)
      let paths = names.sorted().map { media.appendingPathComponent($0).path }
      let player = try studio.play(
        [media.path, "--output", "wav:\(studio.folder)/all.wav"], hasEvents: false)
      #expect(try await player.ended().status == 0)
      #expect(player.log.value.errors.isEmpty)
      #expect(player.log.value.output.count == names.count)
      expectSame(try Sound(waveFile: "\(studio.folder)/all.wav"), try await Sound.mpg123(paths))
    }

    /// Expects a tone as it was encoded, in time to a fraction of a frame; the ends, where an encoder smears, are left
    /// out.
    private func expectTone(_ sound: Sound, _ tone: Double, _ what: String) {
      var (sine, cosine, left, right) = (0.0, 0.0, 0.0, 0.0)
      let samples = sound.samples
      // Whole periods: a tenth of a second or more of each tone used here.
      let range = 4410..<(samples.count - 4410) / 4410 * 4410
      for index in range {
        let phase = 2 * .pi * tone * Double(index) / 44100
        sine += Double(samples[index].left) * sin(phase)
        cosine += Double(samples[index].left) * cos(phase)
        left += Double(samples[index].left * samples[index].left)
        right += Double(samples[index].right * samples[index].right)
      }
      let scale = 2 / Double(range.count)
      let amplitude = (sine * sine + cosine * cosine).squareRoot() * scale
      let late = -atan2(cosine, sine) / (2 * .pi * tone) * 44100
      let rest = left / Double(range.count) - amplitude * amplitude / 2
      print(
        "\(what): amplitude \(amplitude), \(late) frames late, the rest is \(rest.magnitude.squareRoot())")
      #expect(abs(amplitude / (Song.amplitude * Song.encodingGain) - 1) < 0.02, "\(what)")
      // libsyn123's filters are half a frame late or early, by the ratio; a lost frame would be a whole one.
      #expect(abs(late) < 0.75, "\(what)")
      #expect(rest.magnitude.squareRoot() < 0.01, "\(what)")
      #expect(abs(left / right - 1) < 0.001, "\(what)")
    }
  }
}
