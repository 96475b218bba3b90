import ContinuoTesting
import Testing

@Test @MainActor func musicGoesOnBehindTheHomeButton() async throws {
  try await withTestDevice(modes: [.audio]) { device in
    let song = device.song("song", duration: .seconds(60))
    await device.launch()
    try AVAudioSession.sharedInstance().setCategory(.playback)
    let player = AVQueuePlayer(items: [AVPlayerItem(url: song.url)])
    player.play()
    await device.advance(by: .seconds(3))
    await device.pressHomeButton()
    await device.advance(by: .seconds(60))
    #expect(device.heard.passages == [song.whole])
  }
}
