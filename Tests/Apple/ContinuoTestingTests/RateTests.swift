import Continuo
import ContinuoTesting
import Synchronization
import Testing

/// Rates in virtual time.
@MainActor
@Suite("Test device: rates", .timeLimit(.minutes(10)))
struct RateTests {
  @Test("At rate 2 a song takes half its time, also behind the home button")
  func twice() async throws {
    try await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(60))
      await device.launch()
      try AVAudioSession.sharedInstance().setCategory(.playback)
      let player = AVQueuePlayer(items: [AVPlayerItem(url: song.url)])
      player.rate = 2
      await device.advance(by: .seconds(10))
      await device.pressHomeButton()
      await device.advance(by: .seconds(10))
      #expect(abs(player.currentTime().seconds - 40) < 0.01)
      await device.advance(by: .seconds(11))
      #expect(player.currentItem == nil)
      let passages = device.heard.passages
      #expect(passages.count == 1 && passages.first?.song == "song")
      let frames = try #require(passages.first?.frames)
      #expect(frames.lowerBound == 0 && abs(frames.upperBound - song.whole.frames.upperBound) <= 2)
    }
  }
}
