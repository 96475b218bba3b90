import Continuo
import ContinuoTesting
import Foundation
import Testing

/// TN2277, "Background Execution": an application that plays is not suspended until it stops playing, and one whose song
/// waits for the network has not stopped yet.
@MainActor
@Suite("Playing from the network in the background")
struct RemoteBackgroundTests {
  private static let url = "https://radio.test/a.mp3"

  /// Plays a song of a minute over a link that is little faster than the song. The home button is pressed after 10 s; after
  /// 20 s the network is gone for a while. Returns when the stall began.
  private func play(on device: TestDevice, offlineFor seconds: Int, for duration: Duration) async throws
    -> (song: Song, stalled: [Duration])
  {
    let song = device.song("song", duration: .seconds(60), at: Self.url)
    device.network.link = .init(bytesPerSecond: 20_000, latency: .milliseconds(80))
    await device.launch()
    try AVAudioSession.sharedInstance().setCategory(.playback)
    let item = AVPlayerItem(url: song.url)
    var stalled: [Duration] = []
    let observer = NotificationCenter.default.addObserver(
      forName: AVPlayerItem.playbackStalledNotification, object: item, queue: .main
    ) { _ in MainActor.assumeIsolated { stalled.append(device.now) } }
    defer { NotificationCenter.default.removeObserver(observer) }
    let player = AVQueuePlayer(items: [item])
    player.play()
    await device.advance(to: .seconds(10))
    await device.pressHomeButton()
    await device.advance(to: .seconds(20))
    if seconds > 0 { device.network.goOffline(for: .seconds(seconds)) }
    await device.advance(to: duration)
    if device.state == .suspended, duration < .seconds(100) {
      await device.foreground()
      await device.advance(by: .seconds(60))
    }
    withExtendedLifetime(player) {}
    return (song, stalled)
  }

  @Test("T13: the home button changes nothing, and at the end of the song the application is suspended")
  func home() async throws {
    try await withTestDevice(modes: [.audio]) { device in
      let (song, stalled) = try await play(on: device, offlineFor: 0, for: .seconds(120))
      #expect(device.heard.passages == [song.whole] && device.heard.silences.isEmpty)
      #expect(stalled.isEmpty)
      #expect(device.network.requests.count == 1)
      #expect(device.record.moments(of: "state suspended").count == 1)
    }
  }

  @Test("T13: a stall of less than 30 s keeps the application running, and the very next frame follows")
  func shortStall() async throws {
    try await withTestDevice(modes: [.audio]) { device in
      let (song, stalled) = try await play(on: device, offlineFor: 25, for: .seconds(120))
      #expect(stalled.count == 1)
      #expect(device.heard.passages == [song.whole] && device.heard.silences.count == 1)
      // At its end.
      let suspended = device.record.moments(of: "state suspended")
      #expect(suspended.count == 1 && suspended.first ?? .zero > .seconds(75))
    }
  }

  @Test(
    "T13: after a stall of 30 s it is suspended, and in front it goes on by itself with the very next frame")
  func longStall() async throws {
    try await withTestDevice(modes: [.audio]) { device in
      let (song, stalled) = try await play(on: device, offlineFor: 50, for: .seconds(90))
      #expect(stalled.count == 1)
      let suspended = device.record.moments(of: "state suspended")
      #expect(suspended.count == 1 && suspended.first == stalled.first.map { $0 + .seconds(30) })
      #expect(device.state == .active)
      #expect(device.heard.passages == [song.whole] && device.heard.silences.count == 1)
    }
  }

  @Test(
    "T13: the home button before the first sound has come does not keep it from coming", arguments: [2, 60])
  func beforeTheFirstSound(delay: Int) async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(10), at: Self.url)
      device.network.host("radio.test").answers(after: .seconds(delay))
      await device.launch()
      let player = device.play([song])
      await device.advance(by: .milliseconds(100))
      await device.pressHomeButton()
      await device.advance(by: .seconds(29))
      #expect(device.heard.passages == (delay == 2 ? [song.whole] : []))
      #expect(device.state == (delay == 2 ? .suspended : .background))
      await device.advance(by: .seconds(100))
      #expect(device.state == .suspended)
      withExtendedLifetime(player) {}
    }
  }
}
