import AudioSession
import Foundation
import MediaTime
import QueuePlayer
import Synchronization
import TestSupport
import Testing

@Suite("Seeks")
struct SeekTests {
  let stage = VirtualStage()

  private func time(_ seconds: Double) -> CMTime { CMTime(seconds: seconds, preferredTimescale: 44_100) }

  private func readyPlayer(seconds: Double = 10) -> (AVPlayer, AVPlayerItem) {
    let item = stage.item("a", seconds: seconds)
    let player = stage.player(item)
    stage.pass(0.1)
    #expect(item.status == .readyToPlay)
    return (player, item)
  }

  @Test("A player that goes ends an awaited seek with false, and calls no handler", .timeLimit(.minutes(10)))
  func playerGoes() async {
    let item = stage.item("a", seconds: 10)
    let ended = Log<Bool>()
    var player: AVPlayer? = stage.player(item)
    stage.pass(0.1)
    #expect(item.status == .readyToPlay)
    item.seek(to: time(3)) { ended.add($0) }
    player = nil
    stage.settle()
    #expect(ended.entries.isEmpty)
    player = stage.player(item)
    stage.pass(0.1)
    let target = time(5)
    let seek = Task { await item.seek(to: target) }
    while player?.currentTime() != target { await Task.yield() }
    player = nil
    #expect(await seek.value == false)
  }

  @Test("An item whose player goes in a handler is free at once", arguments: [false, true])
  func playerGoesInHandler(isOfSeek: Bool) {
    let item = stage.item("a")
    let player = Mutex<AVPlayer?>(stage.player(item))
    let other = stage.queuePlayer([])
    let results = Log<Bool>()
    @Sendable func release() {
      _ = player.withLock { $0.take() }
      results.add(other.canInsert(item, after: nil))
    }
    let token = NotificationCenter.default.addObserver(
      forName: .AVPlayerItemDidPlayToEndTime, object: item, queue: nil
    ) { _ in release() }
    stage.pass(0.1)
    if isOfSeek { item.seek(to: time(0.5)) { _ in release() } } else { player.withLock { $0 }?.play() }
    stage.pass(2)
    #expect(results.entries == [true] && other.canInsert(item, after: nil))
    NotificationCenter.default.removeObserver(token)
  }

  @Test("Exactly to the frame, in every form")
  func exact() {
    let (player, item) = readyPlayer()
    let target = CMTime(value: 123_457, timescale: 44_100)
    player.seek(to: target)
    #expect(player.currentTime() == target)
    stage.settle()
    #expect(player.currentTime() == target && player.currentTime().timescale == 44_100)
    player.seek(to: .zero, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    stage.settle()
    #expect(player.currentTime() == .zero)
    item.seek(to: target)
    stage.settle()
    #expect(item.currentTime() == target)
    item.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
    stage.settle()
    #expect(item.currentTime() == .zero)
  }

  @Test(
    "The time that was asked for is the time, where a frame's time is not: paused, before it is ready, and later"
  )
  func timeThatWasAskedFor() {
    let target = CMTime(value: 475, timescale: 100)
    let frame = CMTime(value: 52_369, timescale: 11_025)
    let early = stage.item("early", seconds: 10, sampleRate: 11_025)
    let item = stage.item("a", seconds: 10, sampleRate: 11_025)
    let player = stage.queuePlayer([item, early])
    player.seek(to: target)
    early.seek(to: target)
    #expect(player.currentTime() == target && early.currentTime() == target)
    stage.pass(0.1)
    #expect(item.status == .readyToPlay && player.currentTime() == target)
    player.seek(to: .zero)
    stage.pass(0.1)
    let observed = Log<CMTime>()
    let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 1), queue: nil) {
      observed.add($0)
    }
    player.seek(to: target)
    #expect(player.currentTime() == target && item.currentTime() == target)
    stage.pass(0.1)
    #expect(player.currentTime() == target)
    #expect(observed.entries == [frame])
    #expect(player.snapshot().position?.time == target)
    stage.mainQueue.elsewhere { #expect(player.currentTime() == target) }
    // Other times than that of the nearest frame are those of frames.
    player.seek(to: CMTime(value: 20, timescale: 1))
    stage.pass(0.1)
    #expect(player.currentTime() == item.duration)
    player.seek(to: target)
    player.play()
    stage.pass(0.5)
    let heard = player.currentTime()
    #expect(heard > frame && heard.timescale == 11_025)
    player.advanceToNextItem()
    #expect(player.currentItem === early && player.currentTime() == target)
    #expect(item.currentTime() == heard)
    player.removeTimeObserver(token)
  }

  @Test("Three quick seeks on a ready item complete with false, false, true")
  func superseded() {
    let (player, _) = readyPlayer()
    let results = Log<Bool>()
    for second in 1...3 { player.seek(to: time(Double(second))) { results.add($0) } }
    #expect(results.entries == [false, false])
    stage.settle()
    #expect(results.entries == [false, false, true])
    #expect(player.currentTime() == time(3))
  }

  @Test("Without an item: false at once")
  func withoutItem() async {
    let player = stage.player(nil)
    let results = Log<Bool>()
    player.seek(to: time(1)) { results.add($0) }
    player.seek(to: .indefinite) { results.add($0) }
    #expect(results.entries == [false, false])
    #expect(await player.seek(to: time(1)) == false)
  }

  @Test("Before the item is ready: true at once, and it starts there")
  func beforeReady() async {
    let item = stage.item("a", seconds: 10)
    let player = stage.player(item)
    let results = Log<Bool>()
    player.seek(to: time(2)) { results.add($0) }
    player.seek(to: time(3), toleranceBefore: .zero, toleranceAfter: .zero) { results.add($0) }
    #expect(results.entries == [true, true])
    #expect(await player.seek(to: time(4)))
    #expect(player.currentTime().seconds == 4)
    player.play()
    stage.pass(0.5)
    #expect(item.status == .readyToPlay)
    #expect(player.currentTime().seconds > 4 && player.currentTime().seconds <= 4.5)
  }

  @Test("A player goes to the end for what lies beyond it, and to the beginning for what lies before")
  func clamped() {
    let (player, item) = readyPlayer()
    let results = Log<Bool>()
    for target in [time(100), .positiveInfinity] {
      player.seek(to: target) { results.add($0) }
      stage.settle()
      #expect(player.currentTime() == item.duration)
    }
    for target in [time(-1), .negativeInfinity] {
      player.seek(to: target) { results.add($0) }
      stage.settle()
      #expect(player.currentTime() == .zero)
    }
    #expect(results.entries == [true, true, true, true])
  }

  @Test("Beyond the end before the item is ready: the end, once it is known")
  func clampedLater() {
    let item = stage.item("a", seconds: 10)
    let player = stage.player(item)
    player.seek(to: .positiveInfinity)
    stage.pass(0.1)
    #expect(player.currentTime() == item.duration)
  }

  @Test("An item refuses what lies outside of its seekable range, and stays where it is")
  func itemRefuses() async {
    let (player, item) = readyPlayer()
    let results = Log<Bool>()
    item.seek(to: time(11)) { results.add($0) }
    item.seek(to: time(-1), toleranceBefore: .zero, toleranceAfter: .zero) { results.add($0) }
    #expect(results.entries == [false, false])
    #expect(item.currentTime() == .zero)
    #expect(await item.seek(to: time(11)) == false)
    #expect(player.currentTime() == .zero)
  }

  @Test("cancelPendingSeeks and leaving the queue end a seek with false")
  func cancelled() {
    let (player, item) = readyPlayer()
    let results = Log<Bool>()
    item.seek(to: time(5)) { results.add($0) }
    item.cancelPendingSeeks()
    #expect(results.entries == [false])
    item.seek(to: time(6)) { results.add($0) }
    player.replaceCurrentItem(with: nil)
    #expect(results.entries == [false, false])
  }

  @Test("An item in no queue, or not current yet, starts where it was sought to")
  func notCurrent() {
    let (a, b, c) = (stage.item("a"), stage.item("b", seconds: 10), stage.item("c", seconds: 10))
    let results = Log<Bool>()
    c.seek(to: time(7)) { results.add($0) }
    #expect(c.currentTime() == time(7))
    let player = stage.queuePlayer([a, b, c])
    player.play()
    stage.pass(0.5)
    // Decoded already: what follows is spliced.
    b.seek(to: time(6)) { results.add($0) }
    #expect(results.entries == [true, true])
    stage.pass(1)
    #expect(player.currentItem === b)
    #expect(player.currentTime().seconds > 6 && player.currentTime().seconds < 7)
    player.advanceToNextItem()
    stage.pass(0.5)
    #expect(player.currentTime().seconds > 7 && player.currentTime().seconds < 8)
  }

  @Test("A seek while playing is told as a jump, and the observers get the very place")
  func told() {
    let (player, item) = readyPlayer()
    let jumps = Log<Void>()
    let token = NotificationCenter.default.addObserver(
      forName: .AVPlayerItemTimeJumped, object: item, queue: nil
    ) { _ in jumps.add(()) }
    let times = Log<CMTime>()
    let observer = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 1), queue: nil) {
      times.add($0)
    }
    player.play()
    stage.pass(0.5)
    times.clear()
    let target = CMTime(value: 100_001, timescale: 44_100)
    player.seek(to: target)
    stage.settle()
    #expect(times.entries == [target])
    #expect(jumps.entries.count == 1)
    player.removeTimeObserver(observer)
    NotificationCenter.default.removeObserver(token)
  }
}
