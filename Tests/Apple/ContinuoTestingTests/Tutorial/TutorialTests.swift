import ContinuoTesting
import Testing

/// "Background Modes Tutorial: Getting Started": its screens, and what it says about them.
@MainActor
@Suite("The background modes tutorial", .timeLimit(.minutes(10)))
struct TutorialTests {
  private func phone(
    modes: Set<BackgroundMode> = [], _ operation: @MainActor (TestDevice) async throws -> Void
  ) async rethrows {
    try await withTestDevice(modes: modes) { device in
      Timer.device = device
      Console.lines = []
      defer { Timer.device = nil }
      try await operation(device)
    }
  }

  /// The audio tab after 5 s of playing and 4 s in the background, and what was heard until then.
  private func playsAudio(
    modes: Set<BackgroundMode>, _ check: @MainActor (AudioViewController, TestDevice) async -> Void
  )
    async
  {
    await phone(modes: modes) { device in
      let names = ["FeelinGood", "IronBacon", "WhatYouWant"]
      let songs = names.map { device.song($0, duration: .seconds(3)) }
      await device.launch(AppDelegate())
      let screen = AudioViewController(songs: songs.map(\.url))
      screen.viewDidLoad()
      #expect(Console.lines.isEmpty && screen.songLabel.text == songs[0].url.lastPathComponent)
      screen.playPauseAction(UIButton())
      // Between two of the observer's times.
      await device.advance(by: .milliseconds(5005))
      #expect(screen.songLabel.text == songs[1].url.lastPathComponent && screen.timeLabel.text == "2.00")
      await device.pressHomeButton()
      await device.advance(by: .seconds(2))
      await check(screen, device)
    }
  }

  @Test("With the mode you still hear the music, and see the time updates in the console")
  func audio() async {
    await playsAudio(modes: [.audio]) { screen, device in
      #expect(device.state == .background)
      #expect(Console.lines.contains("Background: 2.50") && Console.lines.last == "Background: 1.00")
      #expect(screen.timeLabel.text == "2.00" && screen.songLabel.text?.hasPrefix("WhatYouWant") == true)
      await device.foreground()
      await device.advance(by: .milliseconds(500))
      #expect(screen.timeLabel.text == "1.50")
      await device.advance(by: .seconds(5))
      #expect(screen.songLabel.text == "Unknown")
      #expect(device.heard.silences.isEmpty)
      #expect(device.heard.passages.map(\.song) == ["FeelinGood", "IronBacon", "WhatYouWant"])
      #expect(AVAudioSession.sharedInstance().category == .playAndRecord)
    }
  }

  @Test("Without the mode the music will stop")
  func withoutMode() async {
    await playsAudio(modes: []) { screen, device in
      #expect(device.state == .suspended && Console.lines.isEmpty)
      #expect(device.record.since(.milliseconds(5006)).only("sound").entries.isEmpty)
      await device.foreground()
      await device.advance(by: .seconds(10))
      #expect(screen.songLabel.text == "Unknown" && screen.timeLabel.text == "2.99")
    }
  }

  @Test("A task has three minutes; at five seconds it ends, and the timer goes on when you come back")
  func whatever() async {
    await phone { device in
      await device.launch(AppDelegate())
      let screen = WhateverViewController()
      screen.viewDidLoad()
      screen.didTapPlayPause(UIButton())
      // Half a second each, by no millisecond less.
      await device.advance(by: .milliseconds(499))
      #expect(screen.resultsLabel.text == nil)
      await device.advance(by: .milliseconds(1))
      #expect(screen.resultsLabel.text == "Position 2 = 2")
      await device.advance(by: .milliseconds(500))
      #expect(screen.resultsLabel.text == "Position 3 = 3")
      await device.pressHomeButton()
      await device.advance(by: .seconds(1))
      #expect(
        Console.lines == [
          "App is backgrounded. Next number = Position 4 = 5", "Background time remaining = 179.5 seconds",
          "App is backgrounded. Next number = Position 5 = 8", "Background time remaining = 179.0 seconds",
        ])
      await device.advance(by: .seconds(1000))
      #expect(
        Console.lines.suffix(2) == ["Background time remaining = 5.0 seconds", "Background task ended."])
      #expect(device.state == .suspended && device.termination == nil)
      // The bug of the first version: no time at all when the app is left again.
      let position = screen.position
      await device.foreground()
      await device.advance(by: .seconds(10))
      #expect(screen.backgroundTask != .invalid && screen.position > position)
      await device.pressHomeButton()
      Console.lines = []
      await device.advance(by: .milliseconds(600))
      #expect(Console.lines.last == "Background time remaining = 179.5 seconds")
      let button = UIButton()
      button.isSelected = true
      screen.didTapPlayPause(button)
      await device.advance(by: .seconds(1))
      #expect(device.state == .suspended && Console.lines.last == "Background task ended.")
    }
  }

  @Test("A fetch updates the label, in the background and out of a suspension")
  func fetch() async throws {
    try await phone(modes: [.fetch]) { device in
      let delegate = AppDelegate()
      let screen = FetchViewController()
      delegate.viewControllers = [screen]
      await device.launch(delegate)
      screen.viewDidLoad()
      #expect(screen.updateLabel.text == "Not yet updated")
      await device.pressHomeButton()
      #expect(device.state == .suspended)
      let before = Date()
      await device.performBackgroundFetch()
      let time = try #require(screen.time)
      #expect((before...Date()).contains(time))
      let formatter = DateFormatter()
      formatter.dateStyle = .short
      formatter.timeStyle = .long
      #expect(screen.updateLabel.text == formatter.string(from: time))
      #expect(device.record.only("fetch").entries.last?.text.contains("newData") == true, "\(device.record)")
      #expect(device.termination == nil)
    }
  }
}
