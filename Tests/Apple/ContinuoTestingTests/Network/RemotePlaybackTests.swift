import Continuo
import ContinuoTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Players whose songs come from a network that misbehaves.
@MainActor
@Suite("Playing from the network in virtual time")
struct RemotePlaybackTests {
  private static let url = "https://radio.test/a.mp3"

  /// Players end with their last reference.
  private final class Held {
    var player: AVPlayer?
  }

  private let held = Held()

  /// Plays `urls` on a device in the foreground.
  private func play(_ urls: [URL]) async -> AVQueuePlayer {
    let player = AVQueuePlayer(items: urls.map { AVPlayerItem(url: $0) })
    try? AVAudioSession.sharedInstance().setCategory(.playback)
    player.play()
    held.player = player
    return player
  }

  @Test("a song is heard as a whole, with a request at its beginning")
  func song() async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(60), at: Self.url)
      device.network.link = .init(bytesPerSecond: 40_000, latency: .milliseconds(80))
      await device.launch()
      let player = await play([song.url])
      await device.advance(by: .seconds(70))
      #expect(device.heard.passages == [song.whole])
      #expect(device.heard.silences.isEmpty)
      #expect(device.network.requests.map(\.range) == ["bytes=0-"])
      #expect(player.currentItem == nil)
    }
  }

  @Test("a network that is gone for 45 s: the very next frame follows")
  func tunnel() async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(60), at: Self.url)
      device.network.link = .init(bytesPerSecond: 20_000, latency: .milliseconds(80))
      await device.launch()
      _ = await play([song.url])
      await device.advance(by: .seconds(10))
      device.network.goOffline(for: .seconds(45))
      await device.advance(by: .seconds(120))
      #expect(device.heard.passages == [song.whole])
      #expect(device.heard.silences.count == 1)
    }
  }

  @Test("gone for ever: the item fails when nothing came for 60 s, and the queue goes on")
  func gone() async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(60), at: Self.url)
      let local = device.song("local", duration: .seconds(10))
      device.network.link = .init(bytesPerSecond: 20_000, latency: .milliseconds(80))
      await device.launch()
      let player = await play([song.url, local.url])
      let error = Mutex<NSError?>(nil)
      let observer = NotificationCenter.default.addObserver(
        forName: AVPlayerItem.failedToPlayToEndTimeNotification, object: player.currentItem, queue: nil
      ) { notification in
        error.withLock { $0 = notification.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? NSError }
      }
      await device.advance(by: .seconds(10))
      device.network.goOffline()
      await device.advance(by: .seconds(120))
      NotificationCenter.default.removeObserver(observer)
      #expect(error.withLock { $0?.code } == AVError.failedToLoadMediaData.rawValue)
      let underlying = error.withLock { $0?.userInfo[NSUnderlyingErrorKey] as? NSError }
      #expect(underlying?.domain == NSURLErrorDomain && underlying?.code == NSURLErrorNotConnectedToInternet)
      #expect(device.heard.passages.count == 2 && device.heard.passages.last == local.whole)
      // Counted from the moment when the decoder, which is ahead of what is heard, found nothing.
      let silence = device.heard.silences.first
      #expect(silence.map { ($0.end - $0.start) / .seconds(1) }.map { (57...60).contains($0) } == true)
    }
  }

  @Test(
    "suspended for ten minutes, while the server closes what is idle: no request meanwhile, the song as a whole"
  )
  func suspended() async {
    await withTestDevice { device in
      let song = device.song("song", duration: .seconds(60), at: Self.url)
      device.network.link = .init(bytesPerSecond: 20_000, latency: .milliseconds(80))
      device.network.host("radio.test").closesIdle(after: .seconds(5))
      await device.launch()
      _ = await play([song.url])
      await device.advance(by: .seconds(10))
      await device.pressHomeButton()
      #expect(device.state == .suspended)
      await device.advance(by: .seconds(600))
      #expect(device.network.requests.count == 1)
      await device.foreground()
      await device.advance(by: .seconds(60))
      #expect(device.heard.passages == [song.whole])
    }
  }

  @Test("paused for twenty minutes, then played: no silence beyond half a second, the song as a whole")
  func paused() async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(60), at: Self.url)
      device.network.link = .init(bytesPerSecond: 20_000, latency: .milliseconds(80))
      device.network.host("radio.test").closesIdle(after: .seconds(60))
      device.network.host("radio.test").closes(every: 300_000)
      await device.launch()
      let player = await play([song.url])
      await device.advance(by: .seconds(10))
      player.pause()
      await device.advance(by: .seconds(1_200))
      player.play()
      await device.advance(by: .seconds(60))
      #expect(device.heard.passages == [song.whole])
      let silence = device.heard.silences.map { $0.end - $0.start }
      #expect(silence.count == 1 && silence[0] < .seconds(1_200.5))
    }
  }

  @Test("two songs whose servers take 2 s to answer follow each other without a frame between")
  func seam() async {
    await withTestDevice(modes: [.audio]) { device in
      let songs = (0..<4).map {
        device.song("song\($0)", duration: .seconds(5), at: "https://h\($0).test/a.mp3")
      }
      for index in 0..<4 { device.network.host("h\(index).test").answers(after: .seconds(2)) }
      await device.launch()
      _ = await play(songs.map(\.url))
      await device.advance(by: .seconds(40))
      #expect(device.heard.passages == songs.map(\.whole))
      #expect(device.heard.silences.isEmpty)
    }
  }

  @Test("a URL that nobody serves is a host that was not found, and the queue goes on")
  func nobody() async throws {
    try await withTestDevice(modes: [.audio]) { device in
      let local = device.song("local", duration: .seconds(2))
      await device.launch()
      let url = try #require(URL(string: "https://nobody.test/a.mp3"))
      let player = await play([url, local.url])
      let item = player.currentItem
      await device.advance(by: .seconds(80))
      let error = try #require(item?.error) as NSError
      let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
      #expect(cause?.domain == NSURLErrorDomain && cause?.code == NSURLErrorCannotFindHost)
      #expect(device.heard.passages == [local.whole])
    }
  }

  @Test("Random cut points and piece sizes: every song as a whole")
  func cuts() async {
    var random = RandomSource(seed: 3)
    for round in Rounds.seeds(2) {
      await withTestDevice(modes: [.audio]) { device in
        let songs = (0..<100).map { number in
          device.song(
            "\(number)", duration: .seconds(2), at: "https://h\(number).test/a.mp3", sampleRate: 8_000)
        }
        device.network.seed(round)
        device.network.link = .init(
          bytesPerSecond: 60_000, latency: .milliseconds(20),
          pieces: 1...Int.random(in: 1...65_536, using: &random))
        for number in 0..<100 {
          let cuts = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            Int.random(in: 0..<33_000, using: &random)
          }
          device.network.host("h\(number).test").closes(after: cuts)
        }
        await device.launch()
        _ = await play(songs.map(\.url))
        await device.advance(by: .seconds(400))
        #expect(device.heard.passages == songs.map(\.whole), "round \(round)")
      }
    }
  }
}
