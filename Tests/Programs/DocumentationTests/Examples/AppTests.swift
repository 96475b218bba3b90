import ContinuoTesting
import Testing

@MainActor
struct AppTests {
  @Test func musicGoesOnInTheBackground() async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(60))
      await device.launch(App(songs: [song.url], clock: device.clock))
      await device.advance(by: .seconds(3))
      await device.pressHomeButton()
      await device.advance(by: .seconds(180))
      #expect(device.heard.passages == [song.whole])
      #expect(device.state == .suspended)
    }
  }

  @Test func withoutTheModeItPlaysOnWhileTheTaskIsOpen() async {
    await withTestDevice { device in
      let song = device.song("song", duration: .seconds(60))
      await device.launch(App(songs: [song.url], clock: device.clock))
      await device.advance(by: .seconds(3))
      await device.pressHomeButton()
      await device.advance(by: .seconds(180))
      #expect(device.record.moments(of: "state suspended") == [.seconds(3.5)])
      await device.foreground()
      await device.advance(by: .seconds(60))
      #expect(device.heard.passages == [song.whole])
    }
  }
}
