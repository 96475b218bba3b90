import ContinuoTesting
import Testing

@MainActor
struct MusicAppTests {
  @Test func musicGoesOnOverTheHomeButton() async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(20))
      await device.launch(MusicApp(songs: [song.url]))
      await device.advance(by: .seconds(5))
      await device.pressHomeButton()
      await device.advance(by: .seconds(60))
      #expect(device.heard.passages == [song.whole])
      #expect(device.heard.silences.isEmpty)
    }
  }

  @Test func withoutTheModeItStopsAndGoesOnLater() async {
    await withTestDevice { device in
      let song = device.song("song", duration: .seconds(20))
      await device.launch(MusicApp(songs: [song.url]))
      await device.advance(by: .seconds(5))
      await device.pressHomeButton()
      await device.advance(by: .seconds(60))
      await device.foreground()
      await device.advance(by: .seconds(60))
      #expect(
        device.record.only("home", "state suspended", "foreground", "sound", "silence") == """
          0.000 sound song from frame 0
          5.000 home
          5.000 state suspended
          5.000 silence
          65.000 foreground
          65.000 sound song from frame 220500
          80.000 silence
          """)
    }
  }
}
