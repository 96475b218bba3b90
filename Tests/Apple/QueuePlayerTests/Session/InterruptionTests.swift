import AudioCore
import AudioOutput
import AudioSession
import Foundation
import MediaTime
import QueuePlayer
import Testing

@Suite("Interruptions, routes, media services")
struct InterruptionTests {
  @Test("An interruption pauses every player that plays, and its end resumes none", arguments: [true, false])
  func interruption(_ shouldResume: Bool) throws {
    let stage = VirtualStage()
    let told = SessionLog(stage.session)
    let player = stage.queuePlayer([stage.item("a", seconds: 10)])
    let waiting = stage.queuePlayer([])
    let paused = stage.queuePlayer([stage.item("b")])
    player.play()
    waiting.play()
    stage.pass(1)
    let logs = [player, waiting, paused].map { RateLog($0) }
    stage.environment.beginInterruption()
    #expect(!stage.session.isActive && player.rate == 0 && player.timeControlStatus == .paused)
    #expect(waiting.rate == 0)
    #expect(logs.map(\.entries) == [[.audioSessionInterrupted], [.audioSessionInterrupted], []])
    stage.pass(3)
    #expect(player.currentTime().seconds < 1.1)
    stage.environment.endInterruption(shouldResume: shouldResume)
    stage.pass(1)
    #expect(player.rate == 0 && !stage.session.isActive)
    #expect(
      told.entries == ["began, reason 0, option -", "ended, reason -, option \(shouldResume ? 1 : 0)"])
    player.play()
    stage.pass(1)
    #expect(player.timeControlStatus == .playing && stage.session.isActive)
  }

  @Test("During an interruption nothing can be activated and nothing plays")
  func denied() {
    let stage = VirtualStage()
    let player = stage.queuePlayer([stage.item("a", seconds: 10)])
    let reasons = RateLog(player)
    stage.environment.beginInterruption(.routeDisconnected)
    #expect {
      try stage.session.setActive(true)
    } throws: {
      ($0 as NSError).code == AVAudioSession.ErrorCode.insufficientPriority.rawValue
    }
    player.play()
    #expect(player.rate == 0 && reasons.entries == [.setRateFailed])
    stage.environment.endInterruption(shouldResume: false)
    player.play()
    #expect(player.rate == 1)
  }

  @Test("A second beginning and an end without one are nothing; the foreground ends none")
  func oddOnes() {
    let stage = VirtualStage()
    let told = SessionLog(stage.session)
    stage.environment.endInterruption(shouldResume: true)
    stage.environment.beginInterruption()
    stage.environment.beginInterruption()
    #expect(told.entries.count == 1)
    stage.suspension.enterForeground()
    let player = stage.queuePlayer([stage.item("a")])
    player.play()
    #expect(player.rate == 0 && stage.session.isInterrupted)
    #expect(throws: NSError.self) { try stage.session.setActive(true) }
    stage.environment.endInterruption(shouldResume: true)
    #expect(told.entries.count == 2 && !stage.session.isInterrupted)
    player.play()
    #expect(player.rate == 1)
  }

  @Test("Sound that moves is a change of the route; the first route is none")
  func moved() {
    let stage = VirtualStage(personality: .init { $0.move = 1 })
    let told = SessionLog(stage.session)
    let player = stage.queuePlayer([stage.item("a", seconds: 10)])
    player.play()
    stage.pass(0.5)
    #expect(stage.session.currentRoute.outputs.map(\.uid) == ["simulated"] && told.entries.isEmpty)
    #expect(stage.session.currentRoute.outputs.map(\.portType) == [.builtInSpeaker])
    #expect(stage.session.sampleRate == 44_100 && stage.session.outputLatency > 0)
    stage.pass(1)
    #expect(stage.session.currentRoute.outputs.map(\.uid) == ["simulated.2"])
    #expect(told.entries == ["route 1 from simulated"])
    #expect(player.timeControlStatus == .playing)
  }

  @Test("A server that dies and comes back is told once by all players, and they go on")
  func server() {
    let stage = VirtualStage(
      personality: .init {
        $0.death = 1
        $0.revival = 3
      })
    let told = SessionLog(stage.session)
    let players = [
      stage.queuePlayer([stage.item("a", seconds: 10)]), stage.queuePlayer([stage.item("b", seconds: 10)]),
    ]
    for player in players { player.play() }
    stage.pass(2)
    #expect(told.entries == ["lost"])
    stage.pass(5)
    #expect(told.entries == ["lost", "reset"])
    #expect(players.allSatisfy { $0.timeControlStatus == .playing })
  }

  @Test("A device that vanishes is told; players wait for another and go on there")
  func device() {
    let stage = VirtualStage(
      personality: .init {
        $0.death = 1
        $0.revival = 3
        $0.deathCause = .device
      })
    let told = SessionLog(stage.session)
    let player = stage.queuePlayer([stage.item("a", seconds: 10)])
    player.play()
    stage.pass(2)
    #expect(told.entries == ["route 2 from simulated"] && stage.session.currentRoute.outputs.isEmpty)
    #expect(player.rate == 1)
    stage.pass(5)
    #expect(told.entries == ["route 2 from simulated", "route 1 from nowhere"])
    #expect(player.timeControlStatus == .playing)
  }
}

@Suite("Players in the background")
struct BackgroundTests {
  let stage = VirtualStage()

  @Test(
    "Only playback sounds in the background",
    arguments: [AVAudioSession.Category.ambient, .soloAmbient, .playback])
  func categories(_ category: AVAudioSession.Category) throws {
    try stage.session.setCategory(category)
    let keeping = Log<PlaybackActivity>()
    stage.suspension.onKeepingActivityChange = { keeping.add($0) }
    let player = stage.queuePlayer([stage.item("a", seconds: 10)])
    player.play()
    stage.pass(1)
    let reasons = RateLog(player)
    stage.suspension.enterBackground()
    let goesOn = category == .playback
    #expect(reasons.entries == (goesOn ? [] : [.appBackgrounded]))
    #expect(player.rate == (goesOn ? 1 : 0))
    #expect(keeping.entries == (goesOn ? [.waiting, .playing] : []))
    player.pause()
    player.play()
    #expect(player.rate == (goesOn ? 1 : 0))
    #expect(reasons.entries.last == (goesOn ? .setRateCalled : .setRateFailed))
    stage.suspension.enterForeground()
    player.play()
    #expect(player.rate == 1)
  }

  @Test("What keeps the application running is playing, the category playback, and an active session")
  func keeping() throws {
    let keeping = Log<PlaybackActivity>()
    stage.suspension.onKeepingActivityChange = { keeping.add($0) }
    let player = stage.queuePlayer([stage.item("a", seconds: 100)])
    player.play()
    stage.pass(1)
    #expect(stage.suspension.activity == .playing && keeping.entries.isEmpty)
    try stage.session.setCategory(.playback)
    try stage.session.setCategory(.ambient)
    try stage.session.setCategory(.playback)
    try stage.session.setActive(false)
    #expect(keeping.entries == [.playing, .stopped, .playing, .stopped])
  }

  @Test("In the background another category, or an inactive session, ends the sound")
  func changes() throws {
    try stage.session.setCategory(.playback)
    let player = stage.queuePlayer([stage.item("a", seconds: 100)])
    player.play()
    stage.pass(1)
    stage.suspension.enterBackground()
    stage.pass(1)
    #expect(player.timeControlStatus == .playing)
    let reasons = RateLog(player)
    try stage.session.setCategory(.ambient)
    #expect(player.rate == 0 && reasons.entries == [.appBackgrounded])
  }
}
