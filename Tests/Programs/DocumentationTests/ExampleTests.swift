import AppLifecycle
import Continuo
import ContinuoTesting
import Foundation
import QueuePlayer
import TestSupport
import Testing

/// The examples of the pages "From iOS to Linux" and "Cookbook", in virtual time.
@MainActor
@Suite("The documentation's examples")
struct ExampleTests {
  /// Runs `body` with a player of two songs of ten seconds.
  private func withPlayer(_ body: (TestDevice, AVQueuePlayer) async throws -> Void) async throws {
    try await withTestDevice(modes: [.audio]) { device in
      await device.launch()
      try AVAudioSession.sharedInstance().setCategory(.playback)
      let songs = ["first", "second"].map { device.song($0, duration: .seconds(10)) }
      try await body(device, AVQueuePlayer(items: songs.map { AVPlayerItem(url: $0.url) }))
    }
  }

  @Test("A display follows the player")
  func songDisplay() async throws {
    try await withPlayer { device, player in
      let display = SongDisplay(player: player)
      #expect(display.title.contains("first") && !display.isPlaying)
      player.play()
      await device.advance(by: .seconds(1))
      #expect(display.isPlaying && display.isReady)
      await device.advance(by: .seconds(10))
      #expect(display.title.contains("second"))
      await device.advance(by: .seconds(10))
      #expect(display.title == "nothing" && !display.isPlaying && !display.isReady)
    }
  }

  @Test("After an interruption the player goes on if it should", arguments: [true, false])
  func interruption(shouldResume: Bool) async throws {
    try await withPlayer { device, player in
      let handler = InterruptionHandler(player: player)
      player.play()
      await device.advance(by: .seconds(1))
      await device.beginInterruption()
      await device.advance(by: .seconds(1))
      #expect(player.rate == 0)
      await device.endInterruption(shouldResume: shouldResume)
      await device.advance(by: .seconds(1))
      #expect(player.timeControlStatus == (shouldResume ? .playing : .paused))
      withExtendedLifetime(handler) {}
    }
  }

  @Test("A screen's button plays and pauses, and its label shows the time")
  func playerScreen() async throws {
    try await withPlayer { device, player in
      let screen = PlayerScreen(player: player)
      screen.playButton.press()
      await device.advance(by: .seconds(3))
      #expect(screen.timeLabel == "3.0")
      screen.playButton.press()
      await device.advance(by: .seconds(3))
      #expect(screen.timeLabel == "3.0" && player.timeControlStatus == .paused)
    }
  }

  @Test("A sleep timer pauses the player in time, and not once it is cancelled")
  func sleepTimer() async throws {
    try await withPlayer { device, player in
      let timer = SleepTimer(clock: device.clock)
      player.play()
      timer.start(.seconds(4), player: player)
      await device.advance(by: .seconds(6))
      #expect(abs(player.currentTime().seconds - 4) < 0.1 && player.rate == 0)
      player.play()
      timer.start(.seconds(4), player: player)
      timer.cancel()
      await device.advance(by: .seconds(5))
      #expect(player.rate == 1)
    }
  }

  @Test("An audiobook resumes in the part and at the second where it was left")
  func audiobook() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = URL(fileURLWithPath: folder.file("bookmark"))
    await withTestDevice(modes: [.audio]) { device in
      await device.launch()
      let parts = ["first", "second"].map { device.song($0, duration: .seconds(10)).url }
      let book = Audiobook(parts: parts, file: file)
      book.player.play()
      await device.advance(by: .seconds(13.5))
      book.player.pause()
      await device.advance(by: .seconds(1))
      #expect(book.bookmark.part == 1 && abs(book.bookmark.seconds - 3.5) < 0.6)
      let left = book.bookmark.seconds

      let again = Audiobook(parts: parts, file: file)
      again.player.play()
      await device.advance(by: .seconds(2))
      #expect((again.player.currentItem?.asset as? AVURLAsset)?.url == parts[1])
      #expect(abs(again.player.currentTime().seconds - left - 2) < 0.1)
    }
  }

  @Test("A property's values come as a sequence")
  func values() async throws {
    try await withPlayer { device, player in
      var seen: [AVPlayer.TimeControlStatus] = []
      let reader = Task {
        for await status in player.values(of: \.timeControlStatus) { seen.append(status) }
      }
      await device.advance(by: .seconds(1))
      player.play()
      await device.advance(by: .seconds(1))
      player.pause()
      await device.advance(by: .seconds(1))
      #expect(seen.first == .paused && seen.contains(.playing) && seen.last == .paused)
      reader.cancel()
      await reader.value
    }
  }
}
