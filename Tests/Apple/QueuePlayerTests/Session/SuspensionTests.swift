import AudioSession
import Foundation
import MediaTime
import QueuePlayer
import Testing

@Suite("Suspension")
struct SuspensionTests {
  let stage = VirtualStage()

  @Test("Nothing moves and nothing is called while suspended; afterwards it goes on without a gap")
  func suspends() {
    let player = stage.queuePlayer([stage.item("a", seconds: 3), stage.item("b")])
    let steps = Log<Int64>()
    let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: nil) {
      time in
      if time.timescale == 100 { steps.add(time.value) }
    }
    player.play()
    stage.pass(1)
    stage.suspension.suspendAll()
    stage.pass(0.5)
    let count = steps.entries.count
    stage.pass(60)
    #expect(steps.entries.count == count)
    #expect(stage.suspension.isSuspended)
    stage.suspension.resumeAll()
    stage.pass(4)
    #expect(steps.entries == Array(0..<300) + Array(0..<100))
    player.removeTimeObserver(token)
  }

  @Test("A player made while suspended is suspended too")
  func newPlayers() {
    stage.suspension.suspendAll()
    let player = stage.queuePlayer([stage.item("a")])
    player.play()
    stage.pass(5)
    stage.suspension.resumeAll()
    stage.pass(0.5)
    #expect(player.currentTime().seconds <= 0.5 && player.timeControlStatus == .playing)
  }

  @Test("A start while suspended is reported at once, and once for each call")
  func startWhileSuspended() {
    let player = stage.queuePlayer([stage.item("a", seconds: 5)])
    player.play()
    stage.pass(0.5)
    player.pause()
    #expect(!stage.diagnostics.entries.contains(.startDeferred))
    stage.suspension.suspendAll()
    player.play()
    player.pause()
    player.play()
    stage.settle()
    #expect(stage.diagnostics.entries.count { $0 == .startDeferred } == 2)
    stage.suspension.resumeAll()
    stage.pass(0.5)
    #expect(player.timeControlStatus == .playing)
    #expect(stage.diagnostics.entries.count { $0 == .startDeferred } == 2)
  }

  @Test("Activity is that of the busiest player, each change told once")
  func activity() throws {
    try stage.session.setCategory(.playback)
    let log = Log<PlaybackActivity>()
    stage.suspension.onKeepingActivityChange = { log.add($0) }
    let player = stage.queuePlayer([stage.item("a"), stage.item("b")])
    let other = stage.queuePlayer([])
    #expect(stage.suspension.activity == .stopped)
    other.play()
    player.play()
    stage.pass(0.5)
    #expect(stage.suspension.activity == .playing)
    stage.pass(5)
    #expect(log.entries == [.waiting, .playing, .stopped])
    other.pause()
    #expect(stage.suspension.activity == .stopped)
  }
}
