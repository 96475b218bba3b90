import AppLifecycle
import AudioCore
import Continuo
import ControlProtocol
import Foundation
import Jukebox
import Testing

@testable import ContinuoTesting
@testable import JukeboxPlayback

/// The application around a jukebox's player: what it observes, what holds its sound back, its background tasks.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct JukeboxApplicationTests {
  /// A jukebox on a test device. What its applications tell is written down in order.
  @MainActor
  private final class Stage {
    let device: TestDevice
    let host: JukeboxHost
    let sound: SoundState
    private var lines: [String] = []
    private var names: [SongID: String] = [:]

    init(_ device: TestDevice, _ songs: KeyValuePairs<String, Duration>) throws {
      self.device = device
      var generator = SystemRandomNumberGenerator()
      var machine = JukeboxMachine(using: &generator)
      for (name, duration) in songs {
        let song = device.song(name, duration: duration)
        names[try machine.add([Jukebox.Song(path: Array(song.url.path.utf8))])[0]] = name
      }
      host = JukeboxHost(machine, mainQueue: device.mainQueue)
      sound = SoundState(clock: device.hostClock) { AVAudioSession.sharedInstance().isInterrupted }
    }

    func launch() throws -> JukeboxApplication {
      try JukeboxApplication.activateSession()
      let application = JukeboxApplication(host: host, sound: sound, system: device.application) {
        [weak self] event in self?.note(event)
      }
      application.onStep = { [weak self] (time: CMTime) in
        self?.lines.append(time.timescale == 100 ? "step \(time.value)" : "time")
      }
      return application
    }

    private func note(_ event: JukeboxEvent) {
      switch event {
      case .currentItem(let song): lines.append("current \(song.flatMap { names[$0.id] } ?? "none")")
      case .didPlayToEndTime, .failed, .timeJumped, .stalled, .loaded, .network, .station, .timedMetadata,
        .learned:
        break
      case .timeControlStatus(let status, let reason):
        lines.append(([status.rawValue] + [reason].compactMap { $0 }).joined(separator: " "))
      case .interruption: lines.append("interruption")
      case .playerFailed(let error): lines.append("failed: \(JukeboxPlayer.reason(error))")
      }
    }

    /// What was told since the last call.
    func told() -> [String] {
      defer { lines = [] }
      return lines
    }

    /// What was heard so far, without the silences.
    var heard: [String] { device.heard.passages.map(\.description) }
  }

  /// Calls `body` with a launched device and a jukebox of songs of those lengths.
  private func withStage(
    _ songs: KeyValuePairs<String, Duration> = ["a": .seconds(60)],
    _ body: @MainActor (Stage, TestDevice) async throws -> Void
  ) async throws {
    try await withTestDevice { device in
      await device.launch()
      try await body(Stage(device, songs), device)
    }
  }

  // MARK: Background tasks

  @Test func theOldestTaskOfANameEndsFirst() async throws {
    try await withStage { stage, device in
      let application = try stage.launch()
      for name in ["upload", "index", "upload"] { application.beginTask(name) }
      let identifiers = device.system.openTasks.map(\.id)
      #expect(device.system.openTasks.map(\.hasHandler) == [false, false, false])
      #expect(application.endTask("upload"))
      #expect(device.system.openTasks.map(\.id) == Array(identifiers.dropFirst()))
      #expect(!application.endTask("download"))
      #expect(application.endTask("upload"))
      #expect(!application.endTask("upload"))
      #expect(device.system.openTasks.map(\.name) == ["index"])
      application.stop()
    }
  }

  @Test func taskThatCannotBeHadIsNotKept() async throws {
    try await withStage { stage, device in
      let application = try stage.launch()
      await device.pressHomeButton()
      #expect(device.state == .suspended)
      application.beginTask("upload")
      #expect(!application.endTask("upload"))
      application.stop()
    }
  }

  // MARK: The time observer

  @Test func timeIsToldOnlyWhileItIsObserved() async throws {
    try await withStage { stage, device in
      let application = try stage.launch()
      try stage.host.change { $0.play() }
      await device.advance(by: .milliseconds(105))
      #expect(application.observedStep == nil)
      #expect(stage.told().filter { $0.hasPrefix("step") } == [])
      // Once is enough: each step is told once.
      application.observedStep = 1
      application.observedStep = 1
      #expect(application.observedStep == 1)
      await device.advance(by: .milliseconds(50))
      #expect(stage.told().filter { $0.hasPrefix("step") } == (11...15).map { "step \($0)" })
      application.observedStep = nil
      application.observedStep = nil
      #expect(application.observedStep == nil)
      await device.advance(by: .milliseconds(50))
      application.observedStep = 1
      await device.advance(by: .milliseconds(10))
      #expect(stage.told().filter { $0.hasPrefix("step") } == ["step 21"])
      application.stop()
      #expect(application.observedStep == nil)
      await device.advance(by: .milliseconds(100))
      #expect(stage.told() == [])
    }
  }

  /// Who is told a step knows by then which song it is of.
  @Test func stepsComeInOrderWithWhatIsToldOfSongs() async throws {
    try await withStage(["a": .milliseconds(30), "b": .seconds(1)]) { stage, device in
      let application = try stage.launch()
      application.observedStep = 1
      try stage.host.change { $0.play() }
      await device.advance(by: .milliseconds(45))
      let told = stage.told().filter { $0.hasPrefix("step") || $0.hasPrefix("current") }
      #expect(
        told == [
          "current a", "step 0", "step 1", "step 2", "current b", "step 0", "step 1",
        ])
      application.stop()
    }
  }

  // MARK: What holds sound back

  @Test func soundGoesOnAfterAnInterruptionThatAllowsIt() async throws {
    try await withStage { stage, device in
      let application = try stage.launch()
      try stage.host.change { $0.play() }
      await device.advance(by: .seconds(1))
      #expect(stage.told().suffix(1) == ["playing"])
      await device.beginInterruption()
      await device.advance(by: .seconds(1))
      #expect(stage.told() == ["interruption", "paused"])
      #expect(stage.sound.hindrance.obstacle == .interruption)
      #expect(stage.host.read { $0.state } == .playing)
      // Also for who asks for it.
      try stage.host.change { $0.pause(true) }
      try stage.host.change { $0.play() }
      await device.advance(by: .seconds(1))
      #expect(application.player.rate == 0 && stage.heard == ["a 0..<44100"])
      await device.endInterruption(shouldResume: true)
      await device.advance(by: .seconds(1))
      let told = stage.told()
      #expect(told.first == "interruption" && told.last == "playing")
      #expect(stage.heard == ["a 0..<88200"])
      application.stop()
    }
  }

  /// Without a moment of sound between the end of the interruption and the pause.
  @Test func jukeboxPausesAfterAnInterruptionThatDoesNotAllowMore() async throws {
    try await withStage { stage, device in
      let application = try stage.launch()
      try stage.host.change { $0.play() }
      await device.advance(by: .seconds(1))
      await device.beginInterruption()
      _ = stage.told()
      await device.endInterruption(shouldResume: false)
      await device.advance(by: .seconds(1))
      #expect(stage.told() == ["interruption"])
      #expect(stage.host.read { $0.state } == .paused)
      #expect(stage.heard == ["a 0..<44100"])
      try stage.host.change { $0.pause(false) }
      await device.advance(by: .seconds(1))
      #expect(stage.heard == ["a 0..<88200"])
      application.stop()
    }
  }

  // MARK: One application after the other

  @Test func nextApplicationGoesOnWhereTheLastOneWas() async throws {
    try await withStage(["a": .seconds(2), "b": .seconds(60)]) { stage, device in
      var application = try stage.launch()
      try stage.host.change { $0.play() }
      await device.advance(by: .seconds(3))
      #expect(application.song?.id == stage.host.read { $0.currentID })
      application.stop()
      #expect(application.player.items().isEmpty)
      let played = stage.sound.secondsPlayed
      await device.advance(by: .seconds(5))
      #expect(abs(played - 3) < 0.01 && stage.sound.secondsPlayed == played)
      let seconds = stage.host.seconds
      #expect(abs(seconds - 1) < 0.001)
      _ = stage.told()
      application = try stage.launch()
      try stage.host.change { $0.relaunch(at: seconds) }
      await device.advance(by: .seconds(1))
      #expect(stage.told().first == "current b")
      #expect(abs(stage.host.seconds - 2) < 0.001)
      #expect(stage.sound.secondsPlayed > played + 0.9)
      application.stop()
    }
  }

  /// A client had switched the output off while there was no application.
  @Test func whatHoldsSoundBackHoldsForTheNextApplicationToo() async throws {
    try await withStage { stage, device in
      stage.sound.set(.switchedOff, true)
      let application = try stage.launch()
      try stage.host.change { $0.play() }
      await device.advance(by: .seconds(1))
      #expect(stage.heard == [] && application.player.rate == 0)
      #expect(application.timeControl.status == .paused)
      stage.sound.set(.switchedOff, false)
      stage.host.setHeld(stage.sound.isHeldBack)
      await device.advance(by: .seconds(1))
      #expect(stage.heard == ["a 0..<44100"])
      application.stop()
    }
  }

  @Test func playerThatFailedForGoodIsTold() async throws {
    try await withStage { stage, device in
      let url = device.library.addBroken(
        "memory", error: DecodingError(scope: .engine, reason: .unusable, message: "no memory"))
      try stage.host.change { machine throws(JukeboxError) in
        try machine.add([Jukebox.Song(path: Array(url.path.utf8))], at: .absolute(0))
        try machine.play(position: 0)
      }
      let application = try stage.launch()
      await device.advance(by: .seconds(1))
      #expect(stage.told().contains("failed: no memory"))
      application.stop()
    }
  }
}
