import AudioCore
import AudioOutput
import AudioSession
import Clocks
import Foundation
import MediaTime
import QueuePlayer
import Testing

/// Rates other than 1 as an application sees them.
@Suite("Rates")
struct RateTests {
  let stage = VirtualStage()

  private func expect(
    _ player: AVPlayer, at seconds: Double, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let time = player.currentTime().seconds
    #expect(abs(time - seconds) < 0.002, "\(time)", sourceLocation: sourceLocation)
  }

  @Test("Two times as fast: 100 steps for each second of the item, each once; half as long until its end")
  func twice() {
    let item = stage.item("a", seconds: 3)
    let player = stage.player(item)
    let times = Log<CMTime>()
    let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: nil) {
      times.add($0)
    }
    player.rate = 2
    stage.pass(1)
    expect(player, at: 2)
    #expect(player.rate == 2 && player.timeControlStatus == .playing)
    stage.pass(0.45)
    #expect(player.rate == 2)
    stage.pass(0.1)
    #expect(player.rate == 0 && player.timeControlStatus == .paused)
    #expect(player.currentTime() == item.duration)
    // The last one is the call for the stop.
    #expect(times.entries.filter { $0.timescale == 100 }.map(\.value) == Array(0...300))
    player.removeTimeObserver(token)
  }

  @Test("A queue goes on at the rate")
  func queue() {
    let items = ["a", "b", "c"].map { stage.item($0) }
    let player = stage.queuePlayer(items)
    player.rate = 4
    stage.pass(0.3)
    #expect(player.currentItem === items[1])
    expect(player, at: 0.2)
    stage.pass(0.5)
    #expect(player.currentItem == nil && player.rate == 4)
    #expect(player.reasonForWaitingToPlay == .noItemToPlay)
  }

  @Test("After an interruption play() gives the default rate, whatever was played before")
  func interruption() {
    let player = stage.player(stage.item("a", seconds: 20))
    player.defaultRate = 2
    player.play()
    #expect(player.rate == 2)
    stage.pass(1)
    player.rate = 0.5
    stage.pass(1)
    expect(player, at: 2.5)
    stage.environment.beginInterruption()
    #expect(player.rate == 0)
    stage.environment.endInterruption(shouldResume: true)
    player.play()
    #expect(player.rate == 2)
    stage.pass(1)
    expect(player, at: 4.5)
  }

  @Test("Suspended and resumed, it goes on at the rate; so does a seek")
  func suspensionAndSeek() {
    let player = stage.player(stage.item("a", seconds: 20))
    player.playImmediately(atRate: 1.5)
    stage.pass(1)
    stage.suspension.suspendAll()
    stage.pass(5)
    stage.suspension.resumeAll()
    stage.pass(1)
    #expect(player.rate == 1.5)
    expect(player, at: 3)
    player.seek(to: CMTime(value: 10, timescale: 1))
    stage.pass(1)
    expect(player, at: 11.5)
  }

  @Test("Paused and resumed at another rate: the time stands still, and nothing is left out")
  func paused() {
    let player = stage.player(stage.item("a", seconds: 20))
    player.rate = 2
    stage.pass(1)
    player.pause()
    stage.pass(1)
    let place = player.currentTime()
    player.rate = 0.5
    #expect(player.currentTime() == place)
    stage.pass(1)
    expect(player, at: 2.5)
  }

  @Test("Boundaries are times of the item")
  func boundaries() {
    let player = stage.player(stage.item("a", seconds: 20))
    let calls = Log<Double>()
    let clock = stage.clock
    let start = clock.now
    let token = player.addBoundaryTimeObserver(
      forTimes: [NSValue(time: CMTime(value: 3, timescale: 1))], queue: nil
    ) { calls.add(clock.now.seconds(since: start)) }
    player.rate = 2
    stage.pass(2)
    #expect(calls.entries.count == 1 && abs((calls.entries.first ?? 0) - 1.5) < 0.001)
    player.removeTimeObserver(token)
  }

  @Test("The algorithm is the item's: kept by copies, observed, and changed while it plays")
  func algorithm() throws {
    let item = stage.item("a", seconds: 20)
    #expect(item.audioTimePitchAlgorithm == .timeDomain)
    let seen = Log<AVAudioTimePitchAlgorithm>()
    let observation = item.observe(\.audioTimePitchAlgorithm) { item, _ in
      seen.add(item.audioTimePitchAlgorithm)
    }
    let player = stage.player(item)
    player.rate = 2
    stage.pass(1)
    item.audioTimePitchAlgorithm = .varispeed
    stage.pass(1)
    expect(player, at: 4)
    #expect(seen.entries == [.varispeed])
    #expect(try #require(item.copy() as? AVPlayerItem).audioTimePitchAlgorithm == .varispeed)
    #expect(AVAudioTimePitchAlgorithm.spectral.rawValue == "Spectral")
    observation.invalidate()
  }

  @Test("A ready item says what it plays")
  func flags() {
    let item = stage.item("a")
    let player = stage.player(item)
    #expect(!item.canPlayFastForward && !item.canPlaySlowForward)
    stage.pass(0.1)
    #expect(item.canPlayFastForward && item.canPlaySlowForward)
    #expect(!item.canPlayReverse && !item.canPlaySlowReverse && !item.canPlayFastReverse)
    withExtendedLifetime(player) {}
  }

  @Test("Where nothing can play at it a rate is refused, and the application is told what is missing")
  func missing() {
    struct Missing: TimeStretching {
      func prepare() throws(TimeStretchError) { throw TimeStretchError("no libsoundtouch1") }
      func makeStretcher(format: PCMFormat, pace: Pace) throws(TimeStretchError) -> any TimeStretcher {
        throw TimeStretchError("no libsoundtouch1")
      }
    }
    let stage = VirtualStage(stretching: Missing())
    let player = stage.player(stage.item("a", seconds: 20))
    let reasons = Log<AVPlayer.RateDidChangeReason?>()
    let token = NotificationCenter.default.addObserver(
      forName: AVPlayer.rateDidChangeNotification, object: player, queue: nil
    ) { reasons.add($0.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason) }
    player.rate = 2
    stage.settle()
    #expect(player.rate == 0 && reasons.entries == [.setRateFailed])
    #expect(stage.diagnostics.entries.contains(.rateUnavailable("no libsoundtouch1")))
    player.rate = 1
    stage.pass(1)
    #expect(player.timeControlStatus == .playing)
    NotificationCenter.default.removeObserver(token)
  }
}
