import Continuo
import ContinuoTesting
import Testing

@MainActor
struct TunnelTests {
  @Test func theStreamSurvivesATunnel() async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(60), at: "https://radio.test/a.mp3", bitRate: 128_000)
      device.network.link = .init(bytesPerSecond: 60_000, latency: .milliseconds(80))
      await device.launch()
      let player = AVPlayer(url: song.url)
      player.play()
      await device.advance(by: .seconds(10))
      device.network.goOffline(for: .seconds(20))
      await device.advance(by: .seconds(60))
      #expect(device.heard.passages == [song.whole])
      #expect(device.heard.silences.isEmpty)
    }
  }

  @Test func aSlowLinkLeavesASilenceAndTheVeryNextFrameFollows() async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(60), at: "https://radio.test/a.mp3", bitRate: 128_000)
      device.network.link = .init(bytesPerSecond: 20_000, latency: .milliseconds(80))
      await device.launch()
      let player = AVPlayer(url: song.url)
      player.play()
      await device.advance(by: .seconds(10))
      device.network.goOffline(for: .seconds(20))
      await device.advance(by: .seconds(15))
      #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
      await device.advance(by: .seconds(75))
      #expect(device.heard.passages == [song.whole])
      #expect(device.heard.silences.count == 1)
    }
  }

  @Test func aServerThatHangsUpIsAskedForTheRest() async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(16), at: "https://radio.test/a.mp3", bitRate: 128_000)
      device.network.host("radio.test").closes(every: 65_536)
      await device.launch()
      let player = AVPlayer(url: song.url)
      player.play()
      await device.advance(by: .seconds(20))
      #expect(device.heard.passages == [song.whole])
      #expect(device.heard.silences.isEmpty)
      // Each request asks for the last 4 KiB again, to see that they are those of the same file.
      #expect(
        device.network.requests.map(\.range) == [
          "bytes=0-", "bytes=61440-", "bytes=122880-", "bytes=184320-", "bytes=245760-",
        ])
      #expect(device.network.requests[1]["If-Range"] == "\"1\"")
    }
  }
}
