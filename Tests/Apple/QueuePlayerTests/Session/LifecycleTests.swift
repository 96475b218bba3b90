import AudioOutput
import Continuo
import Foundation
import MediaTime
import TestSupport
import Testing

/// Players and the life cycle, joined: the audio rows of the life cycle in virtual time.
@Suite("The home button and sound")
struct LifecycleTests {
  /// An application with a player of three items of 10 s and an observer of 1/100 s.
  final class Scene: Sendable {
    let stage: VirtualStage
    let device: Device
    let steps = Log<Int64>()
    let states = Log<ApplicationState>()

    init(
      modes: Set<BackgroundMode>, personality: SimulatedOutput.Personality = .init(),
      category: AVAudioSession.Category = .playback
    ) throws {
      stage = VirtualStage(personality: personality, recordsSound: true)
      let queue = stage.mainQueue
      device = Device(
        modes: BackgroundModes(modes), clock: stage.clock, mainQueue: queue,
        isOnMainQueue: { queue.isCurrent })
      device.onStateChange = { [states] in states.add($0) }
      device.connect(stage.environment)
      device.launch()
      stage.settle()
      try stage.session.setCategory(category)
    }

    func player() -> AVQueuePlayer {
      let player = stage.queuePlayer(["a", "b", "c"].map { stage.item($0, seconds: 10) })
      _ = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: nil) {
        [steps] in
        if $0.timescale == 100 { steps.add($0.value) }
      }
      player.play()
      return player
    }

    func pressHome() {
      device.pressHomeButton()
      stage.settle()
    }

    func foreground() {
      device.foreground()
      stage.settle()
    }

    /// Whether what was heard is the three items, from their beginning, without a frame too many or too few.
    var isWhole: Bool {
      let frames = Array(0..<441_000 as Range<Int64>)
      return stage.heardFrames == frames + frames + frames
    }
  }

  @Test("With the mode not a sample differs, and the observers go on")
  func withMode() throws {
    let scene = try Scene(modes: [.audio])
    let player = scene.player()
    scene.stage.pass(5)
    scene.pressHome()
    #expect(scene.device.state == .background)
    scene.stage.pass(20)
    #expect(scene.device.state == .background)
    #expect(scene.steps.entries.count >= 2490)
    scene.foreground()
    scene.stage.pass(10)
    #expect(scene.isWhole && player.currentItem == nil)
    #expect(
      scene.steps.entries == Array(repeating: Array(0..<1000 as Range<Int64>), count: 3).flatMap(\.self))
  }

  @Test(
    "Categories with an input play on as playback does",
    arguments: [
      AVAudioSession.Category.playAndRecord, .multiRoute,
    ])
  func inputCategories(_ category: AVAudioSession.Category) throws {
    let scene = try Scene(modes: [.audio], category: category)
    let player = scene.player()
    scene.stage.pass(5)
    scene.pressHome()
    #expect(scene.device.state == .background)
    scene.stage.pass(40)
    #expect(scene.isWhole && player.currentItem == nil && scene.device.state == .suspended)
  }

  @Test("Without it sound and observers stand, and go on with the very next frame")
  func withoutMode() throws {
    let scene = try Scene(modes: [])
    let player = scene.player()
    scene.stage.pass(5)
    scene.pressHome()
    #expect(scene.device.state == .suspended)
    let (steps, place) = (scene.steps.entries.count, player.currentTime())
    scene.stage.pass(3600)
    #expect(scene.steps.entries.count == steps && player.currentTime().seconds - place.seconds < 0.1)
    scene.foreground()
    scene.stage.pass(30)
    #expect(scene.isWhole && player.currentItem == nil)
    #expect(
      scene.steps.entries == Array(repeating: Array(0..<1000 as Range<Int64>), count: 3).flatMap(\.self))
  }

  @Test("Other categories than playback pause in the background, and the application is suspended")
  func category() throws {
    let scene = try Scene(modes: [.audio], category: .soloAmbient)
    let player = scene.player()
    let reasons = RateLog(player)
    scene.stage.pass(5)
    scene.pressHome()
    #expect(scene.device.state == .suspended)
    scene.foreground()
    scene.stage.pass(1)
    #expect(reasons.entries == [.appBackgrounded] && player.rate == 0)
  }

  @Test(
    "In the background a pause, or the end of the queue, suspends; the next item does not",
    arguments: [true, false])
  func ends(_ pauses: Bool) throws {
    let scene = try Scene(modes: [.audio])
    let player = scene.player()
    scene.stage.pass(5)
    scene.pressHome()
    scene.stage.pass(10)
    #expect(scene.device.state == .background)
    if pauses {
      player.pause()
    } else {
      player.advanceToNextItem()
      scene.stage.pass(9)
      #expect(scene.device.state == .background)
      scene.stage.pass(2)
    }
    scene.stage.settle()
    #expect(scene.device.state == .suspended)
  }

  @Test("Sound that starves is given 5 s", arguments: [3.0, 8.0])
  func starves(_ gap: Double) throws {
    let scene = try Scene(
      modes: [.audio],
      personality: .init {
        $0.death = 2
        $0.revival = 2 + gap
      })
    let player = scene.player()
    scene.stage.pass(1)
    scene.pressHome()
    scene.stage.pass(9)
    #expect(scene.device.state == (gap < 5 ? .background : .suspended))
    scene.foreground()
    scene.stage.pass(40)
    #expect(player.currentItem == nil)
  }

  @Test("A session that is deactivated in the background suspends")
  func deactivated() throws {
    let scene = try Scene(modes: [.audio])
    let player = scene.player()
    scene.stage.pass(1)
    scene.pressHome()
    #expect(scene.device.state == .background)
    try scene.stage.session.setActive(false)
    scene.stage.settle()
    #expect(scene.device.state == .suspended && player.timeControlStatus == .paused)
  }

  // On the main actor, because the application's own side is called there.
  @Test("Without the mode a task lets sound go on until its end", arguments: [true, false])
  @MainActor func task(_ expires: Bool) throws {
    let scene = try Scene(modes: [])
    let player = scene.player()
    let application = scene.device.application
    let task = application.beginBackgroundTask(withName: "upload") {}
    scene.stage.pass(1)
    scene.pressHome()
    #expect(scene.device.state == .background)
    scene.stage.pass(20)
    #expect(scene.steps.entries.count >= 2090)
    #expect(player.timeControlStatus == .playing)
    guard !expires else {
      scene.stage.pass(180)
      #expect(scene.device.state == .notRunning)
      #expect(scene.stage.suspension.activity == .stopped)
      return
    }
    application.endBackgroundTask(task)
    scene.stage.settle()
    #expect(scene.device.state == .suspended)
    scene.stage.pass(60)
    scene.foreground()
    scene.stage.pass(30)
    #expect(scene.isWhole && player.currentItem == nil)
  }

  @Test("An interruption pauses with the application, and its end leaves it to the application to go on")
  func interruption() throws {
    let scene = try Scene(modes: [.audio])
    let player = scene.player()
    let told = SessionLog(scene.stage.session)
    scene.stage.pass(1)
    scene.device.beginInterruption()
    scene.stage.settle()
    #expect(scene.device.state == .inactive && player.timeControlStatus == .paused)
    scene.device.endInterruption(shouldResume: true)
    scene.stage.settle()
    #expect(scene.device.state == .active && player.rate == 0)
    #expect(told.entries == ["began, reason 0, option -", "ended, reason -, option 1"])
    player.play()
    scene.stage.pass(40)
    #expect(scene.isWhole)
  }

  @Test("A terminated application leaves its queue to the next launch, which goes on where it stopped")
  func termination() throws {
    let scene = try Scene(modes: [.audio])
    let old = scene.player()
    scene.stage.pass(12.3)
    scene.pressHome()
    scene.device.terminate()
    scene.stage.pass(5)
    #expect(scene.device.state == .notRunning)
    let steps = scene.steps.entries.count
    let heard = scene.stage.heardFrames.count
    scene.device.launch()
    scene.stage.settle()
    let snapshot = try #require(scene.stage.suspension.takeRestorableSnapshots().first)
    #expect(snapshot.items.count == 2 && snapshot.rate == 1)
    let new = scene.stage.queuePlayer(snapshot)
    new.rate = snapshot.rate
    scene.stage.pass(30)
    let rest = try #require(snapshot.position).value..<441_000
    #expect(Array(scene.stage.heardFrames[heard...]) == Array(rest) + Array(0..<441_000))
    #expect(scene.steps.entries.count == steps && old.currentItem != nil && new.currentItem == nil)
  }
}
