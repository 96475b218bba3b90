import ContinuoTesting
import Testing

/// "The system side stays up and can launch the application again, with its queue and position restored."
@MainActor
@Suite("Life cycle: launch after a termination", .timeLimit(.minutes(10)))
struct RelaunchTests {
  /// How the application is ended, 2.5 s into the second of three songs.
  enum End: CaseIterable {
    case openTask, slowCallback, hangingHandler, person
  }

  @Test("launch recovers queue and position, to the frame", arguments: End.allCases)
  func relaunch(_ end: End) async throws {
    try await withTestDevice { device in
      let songs = ["a", "b", "c"].map { device.song($0, duration: .seconds(4)) }
      let app = ObservantApp(on: device)
      await device.launch(app)
      let player = device.play(songs)
      await device.advance(by: .milliseconds(6500))
      player.pause()
      switch end {
      case .openTask: _ = device.application.beginBackgroundTask(withName: "upload")
      case .slowCallback: app.onEnterBackground = { device.spend(.seconds(6)) }
      case .hangingHandler:
        _ = device.application.beginBackgroundTask(withName: "upload") { device.hang() }
      case .person: break
      }
      if end == .person { await device.terminate() } else { await device.pressHomeButton() }
      await device.advance(by: .seconds(200))
      #expect(device.state == .notRunning)
      #expect((device.termination == nil) == (end == .person))

      app.onEnterBackground = nil
      let restored = Box<AVQueuePlayer?>(nil)
      app.onLaunch = {
        restored.value = device.takeRestorableSnapshots().first.map(AVQueuePlayer.init(snapshot:))
      }
      await device.launch()
      let queue = try #require(restored.value)
      #expect(queue.items().compactMap { ($0.asset as? AVURLAsset)?.url } == songs.dropFirst().map(\.url))
      #expect(queue.currentTime() == CMTime(value: 5, timescale: 2))
      queue.play()
      await device.advance(by: .seconds(20))
      #expect(device.heard.passages == songs.map(\.whole))
    }
  }

  @Test("Nothing of the application that ended runs after the next launch")
  func nothingOfTheOldOne() async {
    await withTestDevice { device in
      let app = await device.launchApp()
      let old = device.play([device.song("old", duration: .seconds(60), sampleRate: 8000)])
      Task {
        try await device.clock.sleep(for: .seconds(5))
        device.note("old task")
      }
      device.schedule(after: .seconds(5)) { device.note("old timer") }
      await device.advance(by: .seconds(1))
      await device.terminate()
      let end = device.now
      await device.launch()
      await device.advance(by: .seconds(60))
      #expect(device.record.since(end).only("old", "time", "item", "playing").entries.isEmpty)
      device.expectSilence(from: end)
      withExtendedLifetime((app, old)) {}
    }
  }
}
