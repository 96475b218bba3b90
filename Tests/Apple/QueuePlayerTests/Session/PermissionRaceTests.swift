import AudioSession
import Dispatch
import Foundation
import MediaAssets
import MediaTime
import PlaybackEngine
import QueuePlayer
import Synchronization
import TestSupport
import Testing

/// What other threads do between two steps of a start or a report.
@Suite("Permission to play, changed on another thread")
struct PermissionRaceTests {
  let stage = VirtualStage()

  enum Change: CaseIterable {
    case interruption
    case background
    case deactivation

    func make(in environment: PlaybackEnvironment) {
      switch self {
      case .interruption: environment.beginInterruption()
      case .background: environment.suspension.enterBackground()
      case .deactivation: #expect(throws: Never.self) { try environment.audioSession.setActive(false) }
      }
    }

    var reason: AVPlayer.RateDidChangeReason {
      switch self {
      case .interruption: .audioSessionInterrupted
      case .background: .appBackgrounded
      case .deactivation: .setRateCalled
      }
    }
  }

  @Test(
    "A change that finds the player still paused, after the start was allowed, pauses it",
    arguments: Change.allCases, [false, true])
  func start(_ change: Change, isSynchronized: Bool) {
    let device = InterceptedDevice(stage.output)
    let (queue, environment) = (stage.mainQueue, stage.environment(with: device))
    let url = stage.library.add("a", seconds: 10)
    let item = AVPlayerItem(asset: AVURLAsset(url: url, environment: environment))
    let player = AVPlayer(playerItem: item, environment: environment)
    player.automaticallyWaitsToMinimizeStalling = false
    stage.settle()
    let reasons = RateLog(player)
    device.onActivation.withLock { $0 = { queue.elsewhere { change.make(in: environment) } } }
    if isSynchronized {
      let now = PlaybackEnvironment.withCurrent(environment) { CMClockGetTime(CMClockGetHostTimeClock()) }
      let moment = now + CMTime(value: 1, timescale: 1)
      player.setRate(1, time: CMTime(value: 2, timescale: 1), atHostTime: moment)
    } else {
      player.play()
    }
    #expect(device.onActivation.withLock { $0 } == nil, "the start activated no session")
    #expect(player.rate == 0 && reasons.entries.last == change.reason)
    stage.pass(3)
    #expect(player.rate == 0 && player.timeControlStatus == .paused)
    #expect(player.currentTime().seconds == (isSynchronized ? 2 : 0))
  }

  @Test("The session subscribes to the output once, whatever number of times the application is launched")
  func subscriptions() throws {
    let device = InterceptedDevice(stage.output)
    let environment = stage.environment(with: device)
    for _ in 0..<3 {
      try environment.audioSession.setActive(true)
      environment.suspension.terminateAll()
      environment.suspension.launch()
    }
    #expect(device.subscriptions.load(ordering: .relaxed) == 1)
  }

  @Test("A change during a report is reported after it, so that the last report is the last state")
  func reports() throws {
    try stage.session.setCategory(.playback)
    let log = Log<PlaybackActivity>()
    let session = stage.session
    stage.suspension.onKeepingActivityChange = { activity in
      if activity == .waiting {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          #expect(throws: Never.self) { try session.setCategory(.ambient) }
          isDone.signal()
        }
        isDone.wait()
      }
      log.add(activity)
    }
    let player = stage.queuePlayer([stage.item("a", seconds: 10)])
    player.play()
    stage.pass(1)
    #expect(stage.suspension.activity == .playing && log.entries == [.waiting, .stopped])
    // A new handler receives the present state.
    try stage.session.setCategory(.playback)
    log.clear()
    stage.suspension.onKeepingActivityChange = { log.add($0) }
    #expect(log.entries == [.playing])
  }
}
