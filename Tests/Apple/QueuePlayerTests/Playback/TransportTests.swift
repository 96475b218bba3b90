import AudioOutput
import AudioSession
import Foundation
import MediaAssets
import MediaTime
import QueuePlayer
import Testing

@Suite("Rate, waiting, end of item")
struct TransportTests {
  let stage = VirtualStage()

  @Test("rate: anything above 0 plays within limits, anything below fails, the notification says why")
  func rates() {
    let player = stage.player(stage.item("a", seconds: 10))
    let reasons = Log<AVPlayer.RateDidChangeReason?>()
    let token = NotificationCenter.default.addObserver(
      forName: AVPlayer.rateDidChangeNotification, object: player, queue: nil
    ) { reasons.add($0.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason) }
    #expect(player.rate == 0 && player.timeControlStatus == .paused && player.reasonForWaitingToPlay == nil)
    player.rate = 1.5
    #expect(player.rate == 1.5)
    player.rate = 100
    #expect(player.rate == 32)
    player.rate = 0.001
    #expect(player.rate == 0.03125)
    player.pause()
    #expect(player.rate == 0)
    player.playImmediately(atRate: 1)
    #expect(player.rate == 1)
    player.rate = -1
    #expect(player.rate == 0)
    #expect(reasons.entries == Array(repeating: .setRateCalled, count: 5) + [.setRateFailed])
    NotificationCenter.default.removeObserver(token)
  }

  @Test("defaultRate is what play() sets, and nothing else touches it")
  func defaultRate() {
    let player = stage.player(stage.item("a"))
    #expect(player.defaultRate == 1)
    player.defaultRate = 2
    #expect(player.rate == 0)
    player.rate = 1
    #expect(player.defaultRate == 2)
    player.defaultRate = 0
    player.play()
    #expect(player.rate == 0)
  }

  @Test("timeControlStatus goes from paused over waiting to playing and back, each told once")
  func timeControl() {
    let player = stage.player(stage.item("a", seconds: 10))
    let seen = Log<AVPlayer.TimeControlStatus>()
    let reasons = Log<AVPlayer.WaitingReason?>()
    let observations = [
      player.observe(\.timeControlStatus) { player, _ in seen.add(player.timeControlStatus) },
      player.observe(\.reasonForWaitingToPlay) { player, _ in reasons.add(player.reasonForWaitingToPlay) },
    ]
    player.play()
    #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
    #expect(player.reasonForWaitingToPlay == .evaluatingBufferingRate)
    stage.pass(1)
    #expect(player.timeControlStatus == .playing)
    player.pause()
    #expect(player.timeControlStatus == .paused)
    stage.pass(1)
    #expect(seen.entries == [.waitingToPlayAtSpecifiedRate, .playing, .paused])
    #expect(reasons.entries == [.evaluatingBufferingRate, nil])
    observations.forEach { $0.invalidate() }
  }

  @Test("Paused, the time stands still; it goes on with the very next frame")
  func pausing() {
    let player = stage.player(stage.item("a", seconds: 10))
    player.play()
    stage.pass(1)
    player.pause()
    stage.pass(0.5)
    let place = player.currentTime()
    stage.pass(5)
    #expect(player.currentTime() == place)
    player.play()
    stage.settle()
    #expect(player.currentTime().seconds - place.seconds < 0.001)
    stage.pass(1)
    #expect(player.currentTime() > place)
  }

  @Test("A plain player stops at the end of its item, which stays; another play() does nothing more")
  func pauseAtEnd() {
    let item = stage.item("a")
    let player = stage.player(item)
    #expect(player.actionAtItemEnd == .pause)
    let reasons = Log<AVPlayer.RateDidChangeReason?>()
    let token = NotificationCenter.default.addObserver(
      forName: AVPlayer.rateDidChangeNotification, object: player, queue: nil
    ) { reasons.add($0.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason) }
    player.play()
    stage.pass(3)
    #expect(player.rate == 0 && player.timeControlStatus == .paused)
    #expect(player.currentItem === item)
    #expect(player.currentTime() == item.duration)
    #expect(reasons.entries == [.setRateCalled, nil])
    player.seek(to: .zero)
    player.play()
    stage.pass(0.5)
    #expect(player.timeControlStatus == .playing)
    #expect(player.currentTime().seconds <= 0.5)
    NotificationCenter.default.removeObserver(token)
  }

  @Test("Under none the rate stays and the time runs on; the next action set is taken at once")
  func noneAtEnd() {
    let items = [stage.item("a"), stage.item("b")]
    let player = stage.queuePlayer(items)
    #expect(player.actionAtItemEnd == .advance)
    player.actionAtItemEnd = .none
    player.play()
    stage.pass(3)
    #expect(player.rate == 1 && player.currentItem === items[0])
    let beyond = player.currentTime()
    #expect(beyond > items[0].duration)
    stage.pass(1)
    #expect(abs(player.currentTime().seconds - beyond.seconds - 1) < 0.001)
    player.pause()
    #expect(player.timeControlStatus == .paused)
    player.play()
    #expect(player.rate == 1 && player.timeControlStatus == .playing)
    player.actionAtItemEnd = .advance
    #expect(player.currentItem === items[1])
    stage.pass(0.5)
    #expect(player.timeControlStatus == .playing)
  }

  @Test("An item inserted a while after the last one ended plays at once", arguments: [true, false])
  func insertionAfterTheEnd(waits: Bool) {
    let player = stage.queuePlayer([stage.item("a")])
    player.automaticallyWaitsToMinimizeStalling = waits
    let reasons = ReasonLog(player)
    player.play()
    stage.pass(2)
    #expect(player.currentItem == nil && player.rate == 1)
    player.insert(stage.item("b", seconds: 10), after: nil)
    stage.pass(0.5)
    #expect(player.rate == 1 && player.timeControlStatus == .playing)
    #expect(!reasons.entries.contains(.toMinimizeStalls), "\(reasons.entries)")
  }

  @Test(
    "status: unknown before anything was opened, ready afterwards, failed for good if nothing can be decoded")
  func status() {
    let player = stage.player(nil)
    #expect(player.status == .unknown && player.error == nil)
    player.replaceCurrentItem(with: stage.item("a"))
    #expect(player.status == .unknown)
    stage.pass(0.1)
    #expect(player.status == .readyToPlay)

    let item = AVPlayerItem(url: stage.library.add("broken", RampSource(frames: 1, failure: .engine)))
    let broken = stage.player(item)
    stage.pass(0.1)
    #expect(broken.status == .failed && (broken.error as? AVError)?.code == .unknown)
    #expect(item.status == .failed && broken.currentItem === item)
  }

  @Test("A plain player keeps an item that failed, with rate 0")
  func failedItemStays() {
    let item = stage.missingItem("none")
    let player = stage.player(item)
    player.play()
    stage.pass(0.5)
    #expect(player.currentItem === item && item.status == .failed)
    #expect(player.rate == 0 && player.status == .readyToPlay)
    let next = stage.item("a")
    player.replaceCurrentItem(with: next)
    player.play()
    stage.pass(0.5)
    #expect(player.timeControlStatus == .playing)
  }

  @Test("An item of a plain player that failed stays failed, also when the file is there by now")
  func failedItemStaysFailed() {
    let item = stage.missingItem("late")
    let player = stage.player(item)
    stage.pass(0.1)
    #expect(item.status == .failed)
    _ = stage.library.add("late", seconds: 10)
    let results = Log<Bool>()
    player.seek(to: .zero) { results.add($0) }
    stage.pass(0.1)
    #expect(results.entries == [false] && item.status == .failed)
    player.automaticallyWaitsToMinimizeStalling = false
    let now = PlaybackEnvironment.withCurrent(stage.environment) { CMClockGetTime(CMClockGetHostTimeClock()) }
    player.setRate(1, time: .zero, atHostTime: now + CMTime(value: 1, timescale: 1))
    stage.pass(3)
    #expect(item.status == .failed && item.error != nil && player.rate == 0)
    player.actionAtItemEnd = .none
    player.play()
    stage.pass(1)
    #expect(item.status == .failed && player.timeControlStatus != .playing)
  }

  @Test("play() while the output is lost tries it again at once")
  func playRetries() {
    let stage = VirtualStage(
      personality: SimulatedOutput.Personality {
        $0.death = 1
        $0.revival = 3
      })
    let player = stage.player(stage.item("a", seconds: 10))
    player.play()
    stage.pass(3.05)
    #expect(player.reasonForWaitingToPlay == .toMinimizeStalls)
    player.play()
    stage.pass(0.15)
    #expect(player.timeControlStatus == .playing)
  }

  @Test(
    "When the output dies the player waits and goes on by itself; one that does not want to wait is paused")
  func outputDies() {
    for waits in [true, false] {
      let stage = VirtualStage(
        personality: SimulatedOutput.Personality { personality in
          personality.death = 1
          personality.revival = 3
        })
      let player = stage.player(stage.item("a", seconds: 10))
      player.automaticallyWaitsToMinimizeStalling = waits
      let seen = ReasonLog(player)
      player.play()
      stage.pass(2)
      #expect(player.rate == (waits ? 1 : 0))
      #expect(player.timeControlStatus == (waits ? .waitingToPlayAtSpecifiedRate : .paused))
      #expect(player.reasonForWaitingToPlay == (waits ? .toMinimizeStalls : nil))
      #expect(seen.entries.contains(.toMinimizeStalls) == waits)
      stage.pass(8)
      #expect(player.timeControlStatus == (waits ? .playing : .paused))
      #expect(
        stage.diagnostics.entries.contains {
          if case .outputUnavailable = $0 { true } else { false }
        })
    }
  }

  @Test(
    "A ready item goes on without waiting for data: after a pause, a seek, an interruption, on a slow device",
    arguments: [true, false])
  func resumes(waits: Bool) {
    let stage = VirtualStage(
      personality: SimulatedOutput.Personality {
        $0.startDelay = 0.1
        $0.latency = 0.05
      })
    let player = stage.player(stage.item("a", seconds: 100))
    player.automaticallyWaitsToMinimizeStalling = waits
    let reasons = ReasonLog(player)
    let rates = RateLog(player)
    player.play()
    stage.pass(1)
    for round in 0..<6 {
      if round % 3 == 2 { stage.environment.beginInterruption() } else { player.pause() }
      stage.pass(round < 3 ? 0.5 : 0.01)
      #expect(player.timeControlStatus == .paused)
      if round % 3 == 1 { player.seek(to: CMTime(value: 50, timescale: 1)) }
      if round % 3 == 2 { stage.environment.endInterruption(shouldResume: true) }
      let place = player.currentTime()
      player.play()
      #expect(player.rate == 1 && player.timeControlStatus == .playing)
      stage.pass(1)
      #expect(player.rate == 1 && player.timeControlStatus == .playing)
      #expect(player.currentTime() > place)
      player.seek(to: CMTime(value: 10, timescale: 1))
      stage.pass(0.5)
      #expect(player.timeControlStatus == .playing)
    }
    #expect(!reasons.entries.contains(.toMinimizeStalls), "\(reasons.entries)")
    #expect(!rates.entries.contains(.setRateFailed))
  }

  @Test("One that does not want to wait any more tries once more, and pauses if that fails")
  func stopsWaiting() {
    for revives in [true, false] {
      let stage = VirtualStage(
        personality: SimulatedOutput.Personality {
          $0.death = 1
          $0.revival = revives ? 1.4 : 100
        })
      let player = stage.player(stage.item("a", seconds: 10))
      player.play()
      stage.pass(1.5)
      #expect(player.reasonForWaitingToPlay == .toMinimizeStalls)
      player.automaticallyWaitsToMinimizeStalling = false
      #expect(player.rate == 1 && player.reasonForWaitingToPlay != .toMinimizeStalls)
      stage.pass(1)
      #expect(player.timeControlStatus == (revives ? .playing : .paused))
      // Asked for again: tried again.
      player.play()
      stage.pass(1)
      #expect(player.rate == (revives ? 1 : 0))
    }
  }

  @Test("Volume and mute are the player's own, within 0…1, and can be observed")
  func volume() {
    let player = stage.player(nil)
    let other = stage.player(nil)
    let seen = Log<Float>()
    let observation = player.observe(\.volume, options: [.new]) { _, change in
      if let volume = change.newValue { seen.add(volume) }
    }
    #expect(player.volume == 1 && !player.isMuted)
    player.volume = 0.5
    player.volume = 7
    player.isMuted = true
    #expect(player.volume == 1 && player.isMuted)
    #expect(other.volume == 1 && !other.isMuted)
    #expect(seen.entries == [0.5, 1])
    observation.invalidate()
  }

  @Test("A player that goes takes its sound and its calls with it")
  func playerGoes() {
    let calls = Log<CMTime>()
    var player: AVPlayer? = stage.player(stage.item("a", seconds: 10))
    weak let weakly = player
    let token = player?.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 10), queue: nil) {
      calls.add($0)
    }
    player?.play()
    stage.pass(1)
    #expect(!calls.entries.isEmpty && stage.suspension.activity == .playing)
    player = nil
    #expect(weakly == nil)
    #expect(stage.suspension.activity != .playing)
    calls.clear()
    stage.pass(1)
    #expect(calls.entries.isEmpty)
    withExtendedLifetime(token) {}
  }
}

/// The reasons for waiting that a player's observers see.
private final class ReasonLog {
  private let log = Log<AVPlayer.WaitingReason?>()
  private let observation: NSKeyValueObservation

  init(_ player: AVPlayer) {
    observation = player.observe(\.reasonForWaitingToPlay) { [log] player, _ in
      log.add(player.reasonForWaitingToPlay)
    }
  }

  var entries: [AVPlayer.WaitingReason?] { log.entries }
}
