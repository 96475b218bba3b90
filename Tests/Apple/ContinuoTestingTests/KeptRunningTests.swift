import ContinuoTesting
import Testing

/// "What keeps an application running in the background", item by item.
@MainActor
@Suite("Life cycle: what keeps an application running", .timeLimit(.minutes(10)))
struct KeptRunningTests {
  @Test("Audio: until it is paused")
  func untilPaused() async {
    await withTestDevice(modes: [.audio]) { device in
      await device.launch()
      let player = device.play([device.song("a", duration: .seconds(600), sampleRate: 8000)])
      await device.pressHomeButton()
      await device.advance(by: .seconds(300))
      #expect(device.state == .background && device.system.keptRunningBy == .audio)
      player.pause()
      await device.advance(by: .zero)
      #expect(device.record.moments(of: "state suspended") == [.seconds(300)])
    }
  }

  @Test("Audio: until the end of the queue, and going from item to item does not count as stopping")
  func untilEndOfQueue() async {
    await withTestDevice(modes: [.audio]) { device in
      await device.launch()
      let songs = ["a", "b", "c"].map { device.song($0, duration: .seconds(2), sampleRate: 8000) }
      _ = device.play(songs)
      await device.pressHomeButton()
      await device.advance(by: .seconds(60))
      #expect(device.record.moments(of: "state suspended") == [.seconds(6)])
      #expect(device.heard.passages == songs.map(\.whole))
    }
  }

  @Test("Audio: a broken item in the queue does not count as stopping")
  func brokenItem() async {
    await withTestDevice(modes: [.audio]) { device in
      await device.launch()
      let songs = ["a", "b"].map { device.song($0, duration: .seconds(2), sampleRate: 8000) }
      let urls = [
        songs[0].url, device.brokenSong("broken"), device.brokenSong("gone", .missing), songs[1].url,
      ]
      device.playsMusic()
      let player = AVQueuePlayer(items: urls.map { AVPlayerItem(url: $0) })
      player.play()
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      await device.advance(by: .seconds(60))
      #expect(device.heard.passages == songs.map(\.whole))
      #expect(device.record.moments(of: "state suspended") == [.seconds(4)])
    }
  }

  @Test("Audio: not without the mode, and not by a player that waits with no item")
  func notWithoutModeOrItem() async {
    await withTestDevice { device in
      await device.launch()
      _ = device.play([device.song("a", duration: .seconds(600), sampleRate: 8000)])
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      #expect(device.state == .suspended)
    }
    await withTestDevice(modes: [.audio]) { device in
      await device.launch()
      let player = device.play([])
      await device.advance(by: .seconds(1))
      #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
      await device.pressHomeButton()
      #expect(device.state == .suspended)
    }
  }

  @Test(
    "Audio: not with a category that does not sound in the background: its players pause",
    arguments: [AVAudioSession.Category.ambient, .soloAmbient])
  func otherCategory(_ category: AVAudioSession.Category) async throws {
    try await withTestDevice(modes: [.audio]) { device in
      await device.launch()
      let player = device.play([device.song("a", duration: .seconds(60), sampleRate: 8000)])
      try AVAudioSession.sharedInstance().setCategory(category)
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      #expect(device.state == .suspended)
      await device.foreground()
      #expect(player.timeControlStatus == .paused)
      #expect(device.record.contains("rate 0.0 (in the background)"))
    }
  }

  @Test("Audio: silence that is played counts as sound, until its end")
  func silence() async {
    await withTestDevice(modes: [.audio]) { device in
      await device.launch()
      let player = device.play([device.song("a", duration: .seconds(600), sampleRate: 8000)])
      player.volume = 0
      player.isMuted = true
      await device.pressHomeButton()
      await device.advance(by: .seconds(599))
      #expect(device.state == .background && device.system.keptRunningBy == .audio)
      await device.advance(by: .seconds(60))
      #expect(device.record.moments(of: "state suspended") == [.seconds(600)])
    }
  }

  @Test("Audio that starves for less than 5 s does not count as stopped; for longer it does")
  func starving() async {
    await withTestDevice(modes: [.audio], output: .starving(from: .seconds(10), until: .seconds(14))) {
      device in
      await device.launch()
      let song = device.song("a", duration: .seconds(30), sampleRate: 8000)
      _ = device.play([song])
      await device.pressHomeButton()
      await device.advance(by: .seconds(60))
      #expect(device.heard.passages == [song.whole])
      #expect(device.record.moments(of: "state suspended") == [.seconds(34)])
    }
    await withTestDevice(modes: [.audio], output: .starving(from: .seconds(10), until: .seconds(20))) {
      device in
      await device.launch()
      let song = device.song("a", duration: .seconds(30), sampleRate: 8000)
      _ = device.play([song])
      await device.pressHomeButton()
      await device.advance(by: .seconds(60))
      #expect(device.record.moments(of: "state suspended") == [.seconds(15)])
      await device.foreground()
      await device.advance(by: .seconds(60))
      #expect(device.heard.passages == [song.whole])
    }
  }

  @Test("Audio whose server vanishes for 2 s does not count as stopped")
  func vanishingServer() async {
    await withTestDevice(modes: [.audio], output: .vanishing(at: .seconds(10), returning: .seconds(12))) {
      device in
      await device.launch()
      _ = device.play([device.song("a", duration: .seconds(30), sampleRate: 8000)])
      await device.pressHomeButton()
      await device.advance(by: .seconds(25))
      #expect(device.state == .background)
      #expect(device.heard.isAudible(at: .seconds(20)))
      #expect(device.record.moments(of: "state suspended").isEmpty)
    }
  }

  @Test("A background task, begun and not ended, while time remains; the last one's end is what counts")
  func task() async {
    await withTestDevice { device in
      await device.launch()
      let first = device.application.beginBackgroundTask(withName: "first")
      let second = device.application.beginBackgroundTask(withName: "second")
      await device.pressHomeButton()
      await device.advance(by: .seconds(10))
      #expect(device.state == .background && device.system.keptRunningBy == .task)
      device.application.endBackgroundTask(second)
      await device.advance(by: .seconds(10))
      #expect(device.state == .background)
      device.application.endBackgroundTask(first)
      await device.advance(by: .zero)
      #expect(device.record.moments(of: "state suspended") == [.seconds(20)])
    }
  }

  @Test("A background fetch, until it is completed")
  func fetch() async {
    await withTestDevice(modes: [.fetch]) { device in
      let app = ObservantApp(on: device)
      app.onFetch = { complete in
        device.schedule(after: .seconds(10)) { complete(.newData) }
      }
      device.application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
      await device.launch(app)
      await device.pressHomeButton()
      await device.advance(by: .seconds(1000))
      await device.performBackgroundFetch()
      #expect(device.state == .background && device.system.keptRunningBy == .fetch)
      await device.advance(by: .seconds(60))
      #expect(device.record.moments(of: "state suspended") == [.zero, .seconds(1010)])
      #expect(device.termination == nil)
    }
  }

  @Test("A fetch that takes 30 s: terminated with 0x2182bad4")
  func endlessFetch() async throws {
    try await withTestDevice(modes: [.fetch]) { device in
      let app = ObservantApp(on: device)
      let keep = Box<(@Sendable (UIBackgroundFetchResult) -> Void)?>(nil)
      app.onFetch = { keep.value = $0 }
      device.application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
      await device.launch(app)
      await device.pressHomeButton()
      await device.performBackgroundFetch()
      await device.advance(by: .milliseconds(29_999))
      #expect(device.termination == nil)
      await device.advance(by: .seconds(60))
      let report = try #require(device.termination)
      #expect(report.code == .backgroundFetch && report.code.rawValue == 0x2182_bad4)
      #expect(report.culprit == .fetch)
      #expect(device.record.moments(of: "state notRunning") == [.seconds(30)])
      keep.value?(.newData)
      #expect(device.state == .notRunning)
    }
  }

  @Test("No fetch without the mode, and none for an application that did not ask")
  func refusedFetch() async {
    await withTestDevice { device in
      let app = ObservantApp(on: device)
      device.application.setMinimumBackgroundFetchInterval(0)
      await device.launch(app)
      await device.pressHomeButton()
      await device.performBackgroundFetch()
      #expect(device.state == .suspended && device.record.only("refused").entries.count == 1)
    }
    await withTestDevice(modes: [.fetch]) { device in
      await device.launch(ObservantApp(on: device))
      await device.pressHomeButton()
      await device.performBackgroundFetch()
      #expect(device.state == .suspended && device.record.only("refused").entries.count == 1)
    }
  }
}
