import ContinuoTesting
import Testing

@MainActor @Suite struct Smoke {
  @Test func music() async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("a", duration: .seconds(20))
      await device.launch()
      let player = AVQueuePlayer(url: song.url)
      device.watch(player)
      player.play()
      await device.advance(by: .seconds(5))
      await device.pressHomeButton()
      await device.advance(by: .seconds(20))
      print(device.record)
      print(device.heard)
      #expect(device.heard.passages == [song.whole])
    }
    await withTestDevice { device in
      let song = device.song("a", duration: .seconds(20))
      await device.launch()
      let player = AVQueuePlayer(url: song.url)
      device.watch(player)
      player.play()
      Task { while true { try await device.clock.sleep(for: .seconds(2)); device.note("tick") } }
      await device.advance(by: .seconds(5))
      await device.pressHomeButton()
      await device.advance(by: .seconds(20))
      await device.foreground()
      await device.advance(by: .seconds(20))
      print(device.record)
      print(device.heard)
      #expect(device.heard.passages == [song.whole])
    }
  }
}
