import AudioSession
import Foundation
import MediaTime
import QueuePlayer
import TestSupport
import Testing

/// One long turn of the main queue, in which the engine goes on: what it finds out is told in turns of its own, and
/// calls are meant for what the application knows.
@Suite("Turns of the main queue")
struct TurnTests {
  let stage = VirtualStage()

  private func time(_ seconds: Double) -> CMTime { CMTime(seconds: seconds, preferredTimescale: 44_100) }

  /// A player whose first item plays; the main queue is in a long turn.
  private func playing(_ items: [AVPlayerItem]) -> AVQueuePlayer {
    let player = stage.queuePlayer(items)
    player.play()
    stage.pass(0.2)
    #expect(player.timeControlStatus == .playing)
    stage.mainQueue.hold()
    return player
  }

  private func endTurn() {
    stage.mainQueue.release()
    stage.pass(0.05)
  }

  @Test(
    "Seeks that the engine finishes meanwhile: a newer one ends the one before", arguments: [false, true])
  func seeks(isPlaying: Bool) {
    let player = stage.player(stage.item("a", seconds: 10))
    stage.pass(0.1)
    if isPlaying { player.play() }
    stage.pass(0.1)
    let results = Log<Bool>()
    stage.mainQueue.hold()
    for second in 1...3 {
      player.seek(to: time(Double(second))) { results.add($0) }
      #expect(results.entries == Array(repeating: false, count: second - 1))
      stage.pass(0.1)
    }
    #expect(results.entries == [false, false])
    endTurn()
    #expect(results.entries == [false, false, true])
  }

  @Test("cancelPendingSeeks and the end of the item's turn end what the engine has finished, with false")
  func cancelled() {
    let item = stage.item("a", seconds: 10)
    let player = stage.player(item)
    stage.pass(0.1)
    let results = Log<Bool>()
    for end in [{ item.cancelPendingSeeks() }, { player.replaceCurrentItem(with: nil) }] {
      stage.mainQueue.hold()
      item.seek(to: time(5)) { results.add($0) }
      stage.pass(0.1)
      #expect(results.entries.isEmpty)
      end()
      #expect(results.entries == [false])
      endTurn()
      #expect(results.entries == [false])
      results.clear()
    }
  }

  @Test("A seek and what follows from it call nobody inside the call")
  func seekCallsNobody() {
    let item = stage.item("a", seconds: 10)
    let player = stage.player(item)
    stage.pass(0.1)
    let calls = Log<String>()
    let observer = player.addPeriodicTimeObserver(forInterval: time(0.5), queue: .main) { _ in
      calls.add("time")
    }
    let token = NotificationCenter.default.addObserver(
      forName: .AVPlayerItemTimeJumped, object: item, queue: nil
    ) { _ in calls.add("jumped") }
    player.seek(to: time(3)) { _ in calls.add("done") }
    #expect(calls.entries.isEmpty)
    stage.settle()
    #expect(Set(calls.entries) == ["time", "jumped", "done"])
    player.removeTimeObserver(observer)
    NotificationCenter.default.removeObserver(token)
  }

  @Test("A bad item fails in a turn of its own, and its queue goes on there", arguments: [false, true])
  func badItem(isFirst: Bool) {
    let (bad, good) = (stage.missingItem("bad"), stage.item("good", seconds: 10))
    let player = stage.queuePlayer(isFirst ? [bad, good] : [])
    stage.mainQueue.hold()
    if !isFirst {
      player.replaceCurrentItem(with: bad)
      player.insert(good, after: nil)
    }
    stage.pass(0.1)
    player.play()
    stage.pass(0.1)
    #expect(bad.status == .unknown && player.currentItem === bad && player.items() == [bad, good])
    let told = Log<AVPlayerItem.Status>()
    let observations = [
      bad.observe(\.status, options: [.new]) { item, _ in told.add(item.status) },
      good.observe(\.status, options: [.new]) { item, _ in told.add(item.status) },
    ]
    player.volume = 0.5
    player.pause()
    #expect(told.entries.isEmpty && bad.status == .unknown && player.currentItem === bad)
    endTurn()
    #expect(told.entries == [.failed, .readyToPlay])
    #expect(player.currentItem === good)
    observations.forEach { $0.invalidate() }
  }

  @Test("Sound that begins is told in a turn of its own; what a call overrides before is told no more")
  func pausedBeforeTold() {
    let player = stage.player(stage.item("a", seconds: 10))
    let seen = Log<AVPlayer.TimeControlStatus>()
    let observation = player.observe(\.timeControlStatus) { player, _ in seen.add(player.timeControlStatus) }
    stage.mainQueue.hold()
    player.play()
    stage.pass(1)
    #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
    player.pause()
    #expect(player.timeControlStatus == .paused && player.rate == 0)
    endTurn()
    #expect(player.timeControlStatus == .paused)
    #expect(seen.entries == [.waitingToPlayAtSpecifiedRate, .paused])
    observation.invalidate()
  }

  @Test("pause() where the player has paused already, unknown to its caller, shows at once")
  func pausedTwice() {
    let item = stage.item("a")
    let player = stage.player(item)
    player.play()
    stage.pass(0.5)
    stage.mainQueue.hold()
    stage.pass(1)
    #expect(player.rate == 1 && player.timeControlStatus == .playing)
    let reasons = Log<AVPlayer.RateDidChangeReason?>()
    let token = NotificationCenter.default.addObserver(
      forName: AVPlayer.rateDidChangeNotification, object: player, queue: nil
    ) { reasons.add($0.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason) }
    player.pause()
    #expect(player.rate == 0 && player.timeControlStatus == .paused)
    endTurn()
    #expect(player.rate == 0 && player.timeControlStatus == .paused && reasons.entries == [.setRateCalled])
    NotificationCenter.default.removeObserver(token)
  }

  @Test("An item that ends during a turn stays the current one in it; the next one is told later")
  func endDuringTurn() {
    let items = ["a", "b", "c"].map { stage.item($0, seconds: $0 == "a" ? 0.5 : 10) }
    let player = playing(items)
    let seen = Log<AVPlayerItem?>()
    let observation = player.observe(\.currentItem) { player, _ in seen.add(player.currentItem) }
    stage.pass(1)
    player.volume = 0.5
    let new = stage.item("new")
    player.insert(new, after: items[1])
    #expect(player.currentItem === items[0] && player.items() == [items[0], items[1], new, items[2]])
    #expect(seen.entries.isEmpty)
    endTurn()
    #expect(seen.entries == [items[1]])
    #expect(player.items() == [items[1], new, items[2]])
    observation.invalidate()
  }

  @Test("Items that end or fail during a turn keep their places in items() until that is told")
  func leavingUntold() {
    let items = ["a", "b", "c"].map { stage.item($0, seconds: $0 == "c" ? 10 : 0.5) }
    let (bad, last) = (stage.missingItem("bad"), stage.item("last"))
    let player = playing(items)
    stage.pass(0.9)
    player.insert(bad, after: nil)
    player.insert(last, after: bad)
    stage.pass(0.1)
    #expect(player.items() == items + [bad, last])
    player.remove(items[2])
    stage.pass(0.1)
    #expect(player.items() == [items[0], items[1], bad, last])
    endTurn()
    #expect(player.items() == [last] && bad.status == .failed)
  }

  @Test("removeAllItems empties at once a queue that has run empty unknown to the caller")
  func removeAllOfTheEnded() {
    let player = playing([stage.item("a", seconds: 0.5)])
    let seen = Log<AVPlayerItem?>()
    let observation = player.observe(\.currentItem) { player, _ in seen.add(player.currentItem) }
    stage.pass(1)
    player.removeAllItems()
    #expect(player.items().isEmpty && player.currentItem == nil)
    #expect(player.reasonForWaitingToPlay == .noItemToPlay)
    endTurn()
    #expect(seen.entries == [nil])
    observation.invalidate()
  }

  @Test("advanceToNextItem and remove of an item that has ended meanwhile lead to the next one, not past it")
  func advanceFromTheKnown() {
    for removes in [false, true] {
      let stage = VirtualStage()
      let items = ["a", "b", "c"].map { stage.item($0, seconds: $0 == "a" ? 0.5 : 10) }
      let player = stage.queuePlayer(items)
      player.play()
      stage.pass(0.2)
      let seen = Log<AVPlayerItem?>()
      let observation = player.observe(\.currentItem) { player, _ in seen.add(player.currentItem) }
      let steps = Log<Int64>()
      let tenth = CMTime(value: 1, timescale: 10)
      let token = player.addPeriodicTimeObserver(forInterval: tenth, queue: nil) { steps.add($0.value) }
      stage.mainQueue.hold()
      stage.pass(1)
      if removes { player.remove(items[0]) } else { player.advanceToNextItem() }
      #expect(player.currentItem === items[1] && player.items() == [items[1], items[2]])
      #expect(player.canInsert(items[0], after: nil))
      stage.mainQueue.release()
      stage.pass(0.1)
      #expect(player.currentItem === items[1] && seen.entries == [items[1]])
      #expect(player.currentTime().seconds > 0.5)
      // Those of the item that was left are no news; the next one's are whole.
      #expect(steps.entries.count > 5 && steps.entries == Array(0..<Int64(steps.entries.count)))
      player.removeTimeObserver(token)
      observation.invalidate()
    }
  }

  @Test("Taking out an item that has become current unknown to the caller leaves it out")
  func removeTheUnknownCurrent() {
    let items = ["a", "b", "c"].map { stage.item($0, seconds: $0 == "a" ? 0.5 : 10) }
    let player = playing(items)
    let seen = Log<AVPlayerItem?>()
    let observation = player.observe(\.currentItem) { player, _ in seen.add(player.currentItem) }
    stage.pass(1)
    player.remove(items[1])
    #expect(player.currentItem === items[0] && player.items() == [items[0], items[2]])
    endTurn()
    #expect(seen.entries == [items[2]] && player.items() == [items[2]])
    observation.invalidate()
  }

  @Test(
    "What was heard of an item that is taken out before it is told as current is told no more",
    arguments: [10, 0.3], [false, true])
  func timeOfTheTakenOut(seconds: Double, isLast: Bool) {
    let items = ["a", "b", "c"].map { stage.item($0, seconds: ["a": 0.5, "b": seconds][$0] ?? 10) }
    let player = playing(isLast ? Array(items.prefix(2)) : items)
    let told = Log<String>()
    let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 10), queue: nil) {
      let item = player.currentItem.flatMap(items.firstIndex)
      told.add("\(item.map(String.init) ?? "none") \($0.value)/\($0.timescale)")
    }
    stage.pass(0.62)
    player.remove(items[1])
    stage.pass(0.02)
    endTurn()
    #expect(told.entries == ["0 2/10", "0 3/10", "0 4/10"] + (isLast ? [] : ["2 0/10"]))
    player.removeTimeObserver(token)
  }

  @Test(
    "A replacement is for the item that the caller knows: what has begun behind it comes behind the new one")
  func replaceTheKnown() {
    let items = ["a", "b"].map { stage.item($0, seconds: $0 == "a" ? 0.5 : 10) }
    let player = playing(items)
    stage.pass(1)
    player.replaceCurrentItem(with: items[0])
    #expect(player.items() == items)
    let new = stage.item("new", seconds: 0.5)
    player.replaceCurrentItem(with: new)
    #expect(player.currentItem === new && player.items() == [new, items[1]])
    endTurn()
    #expect(player.currentItem === new && player.items() == [new, items[1]])
    stage.pass(1)
    #expect(player.currentItem === items[1])
  }

  @Test("Behind a replacement stays what ended unknown to the caller, until its end is told")
  func replaceBeforeTheUntold() {
    let items = ["a", "b", "c"].map { stage.item($0, seconds: $0 == "c" ? 10 : 0.5) }
    let player = playing(items)
    stage.pass(1.5)
    let new = stage.item("new", seconds: 10)
    player.replaceCurrentItem(with: new)
    #expect(player.items() == [new, items[1], items[2]])
    endTurn()
    #expect(player.items() == [new, items[2]])
  }

  @Test("Into a queue that has run empty unknown to the caller: becomes current in its turn")
  func insertIntoTheEnded() {
    let items = [stage.item("a", seconds: 0.5)]
    let player = playing(items)
    let seen = Log<AVPlayerItem?>()
    let ends = Log<Void>()
    let token = NotificationCenter.default.addObserver(
      forName: .AVPlayerItemDidPlayToEndTime, object: items[0], queue: nil
    ) { _ in ends.add(()) }
    let observation = player.observe(\.currentItem) { player, _ in seen.add(player.currentItem) }
    stage.pass(1)
    let new = stage.item("new", seconds: 10)
    player.insert(new, after: items[0])
    #expect(player.currentItem === items[0] && player.items() == [items[0], new])
    endTurn()
    #expect(seen.entries == [nil, new] && ends.entries.count == 1)
    stage.pass(0.5)
    #expect(player.timeControlStatus == .playing)
    observation.invalidate()
    NotificationCenter.default.removeObserver(token)
  }

  @Test("A seek in an item that has ended meanwhile is over with it, and does not move the next one")
  func seekInTheEnded() {
    let items = ["a", "b"].map { stage.item($0, seconds: $0 == "a" ? 0.5 : 10) }
    let player = playing(items)
    stage.pass(1)
    let results = Log<Bool>()
    player.seek(to: time(0.1)) { results.add($0) }
    items[0].seek(to: time(0.2)) { results.add($0) }
    #expect(results.entries == [false])
    endTurn()
    #expect(results.entries == [false, false])
    #expect(player.currentItem === items[1] && player.currentTime().seconds > 0.5)
  }

  @Test("A seek in an item that has become current unknown to the caller moves it", arguments: [false, true])
  func seekInTheNext(isInHandler: Bool) {
    let items = ["a", "b"].map { stage.item($0, seconds: $0 == "a" ? 0.5 : 10) }
    let (results, target) = (Log<Bool>(), time(5))
    @Sendable func seek() { items[1].seek(to: target) { results.add($0) } }
    let token = NotificationCenter.default.addObserver(
      forName: .AVPlayerItemDidPlayToEndTime, object: items[0], queue: nil
    ) { _ in if isInHandler { seek() } }
    let player = playing(items)
    stage.pass(1)
    if !isInHandler { seek() }
    endTurn()
    #expect(player.currentItem === items[1] && results.entries == [true])
    #expect(player.currentTime() > target && player.currentTime().seconds < 5.2)
    NotificationCenter.default.removeObserver(token)
  }
}
