import Foundation
import PulseOutput
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// What leaves the sink is what libmpg123 decodes.
  @Suite(.serialized) struct SoundTests {
    @Test(arguments: [MonitorCapture.SampleFormat.float32, .int16])
    func threeSongsAreWhatMPG123Decodes(format: MonitorCapture.SampleFormat) async throws {
      let studio = try Studio()
      defer { studio.close() }
      var songs: [String] = []
      for (index, duration) in [1.0, 0.777, 1.3].enumerated() {
        songs.append(try await Song(duration: duration, seed: UInt64(index + 1)).write(into: studio.folder))
      }
      let expected = try await Sound.mpg123(songs, format: format)
      #expect(expected.frames.count == 44100 + 34266 + 57330)
      let server = try studio.startServer(format: format)
      let capture = try await studio.capture(server.address, format: format)
      let player = try studio.play(songs, server: server)
      #expect(try await player.ended().status == 0)
      let heard = Sound(try await capture.passed(8820)).trimmed
      #expect(player.log.value.errors.isEmpty)
      expectSame(heard, expected.trimmed, "\(format)")
    }
  }
}
