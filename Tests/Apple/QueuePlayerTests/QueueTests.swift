import AudioCore
import AudioSession
import Clocks
import Foundation
import MediaAssets
import MediaTime
import QueuePlayer
import TestSupport
import Testing

@Suite("A queue player's queue")
struct QueueTests {
  let stage = VirtualStage()

  @Test("Items play one after the other and leave the queue; behind the last one rate stays 1")
  func playsThrough() {
    let items = [stage.item("a"), stage.item("b"), stage.item("c")]
    let player = stage.queuePlayer(items)
    #expect(player.currentItem === items[0])
    #expect(player.items() == items)
    let seen = Log<AVPlayerItem?>()
    let observation = player.observe(\.currentItem, options: [.new]) { player, change in
      seen.add(player.currentItem)
      #expect(change.newValue == player.currentItem)
      #expect(player.items().first === player.currentItem)
    }
    player.play()
    #expect(player.rate == 1)
    stage.pass(0.5)
    #expect(player.timeControlStatus == .playing)
    stage.pass(1)
    #expect(player.items() == [items[1], items[2]])
    stage.pass(3)
    #expect(seen.entries == [items[1], items[2], nil])
    #expect(player.currentItem == nil && player.items().isEmpty)
    #expect(player.rate == 1)
    #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
    #expect(player.reasonForWaitingToPlay == .noItemToPlay)
    observation.invalidate()
  }

  @Test("Nothing lies between two items: the second ends when both lengths have been heard")
  func gapless() {
    let items = [stage.item("a", seconds: 1.2345), stage.item("b", seconds: 0.7)]
    let player = stage.queuePlayer(items)
    let ends = Log<Double>()
    let clock = stage.clock
    let tokens = items.map { item in
      NotificationCenter.default.addObserver(
        forName: .AVPlayerItemDidPlayToEndTime, object: item, queue: nil
      ) { _ in ends.add(clock.now.seconds) }
    }
    player.play()
    stage.pass(4)
    #expect(ends.entries.count == 2)
    #expect(abs(ends.entries[1] - ends.entries[0] - 0.7) < 1e-4)
    tokens.forEach(NotificationCenter.default.removeObserver)
  }

  @Test("Insertion without a place appends; with one it comes right behind")
  func insertion() {
    let (a, b, c, d) = (stage.item("a"), stage.item("b"), stage.item("c"), stage.item("d"))
    let player = stage.queuePlayer([a])
    player.insert(b, after: nil)
    player.insert(c, after: a)
    player.insert(d, after: c)
    #expect(player.items() == [a, c, d, b])
  }

  @Test("Into an empty queue: becomes current at once, and plays if playing was asked for")
  func insertionIntoEmptyQueue() {
    let player = stage.queuePlayer([])
    #expect(player.currentItem == nil)
    player.play()
    #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
    #expect(player.reasonForWaitingToPlay == .noItemToPlay)
    let item = stage.item("a")
    player.insert(item, after: nil)
    #expect(player.currentItem === item)
    stage.pass(0.5)
    #expect(player.timeControlStatus == .playing)
    #expect(player.reasonForWaitingToPlay == nil)
  }

  @Test("canInsert: not what is in a queue, not behind what is not in this one")
  func canInsert() {
    let (a, b, c) = (stage.item("a"), stage.item("b"), stage.item("c"))
    let player = stage.queuePlayer([a])
    let other = stage.queuePlayer([c])
    #expect(!player.canInsert(a, after: nil))
    #expect(player.canInsert(b, after: nil) && player.canInsert(b, after: a))
    #expect(!player.canInsert(b, after: c))
    #expect(!player.canInsert(c, after: nil))
    other.removeAllItems()
    #expect(player.canInsert(c, after: nil))
  }

  @Test("Removing the current item goes on with the next; removing another leaves the sound alone")
  func removal() {
    let (a, b, c) = (stage.item("a"), stage.item("b"), stage.item("c"))
    let player = stage.queuePlayer([a, b, c])
    player.play()
    stage.pass(0.3)
    player.remove(b)
    #expect(player.items() == [a, c])
    #expect(player.currentItem === a)
    player.remove(b)
    #expect(player.items() == [a, c])
    player.remove(a)
    #expect(player.currentItem === c && player.items() == [c])
    stage.pass(0.3)
    #expect(player.timeControlStatus == .playing)
    player.remove(c)
    #expect(player.currentItem == nil && player.items().isEmpty && player.rate == 1)
  }

  @Test("Advancing ends the current item without its end being announced")
  func advance() {
    let (a, b) = (stage.item("a"), stage.item("b"))
    let player = stage.queuePlayer([a, b])
    let ends = Log<Void>()
    let token = NotificationCenter.default.addObserver(
      forName: AVPlayerItem.didPlayToEndTimeNotification, object: a, queue: nil
    ) { _ in ends.add(()) }
    player.play()
    stage.pass(0.3)
    player.advanceToNextItem()
    #expect(player.currentItem === b && player.items() == [b])
    stage.pass(0.3)
    #expect(player.timeControlStatus == .playing)
    player.advanceToNextItem()
    #expect(player.currentItem == nil && player.rate == 1 && player.reasonForWaitingToPlay == .noItemToPlay)
    player.advanceToNextItem()
    stage.pass(1)
    #expect(ends.entries.isEmpty)
    NotificationCenter.default.removeObserver(token)
  }

  @Test("removeAllItems empties the queue and stops the sound")
  func removeAll() {
    let items = [stage.item("a"), stage.item("b")]
    let player = stage.queuePlayer(items)
    player.play()
    stage.pass(0.3)
    player.removeAllItems()
    #expect(player.currentItem == nil && player.items().isEmpty)
    #expect(player.currentTime() == .zero)
    #expect(items.allSatisfy { player.canInsert($0, after: nil) })
  }

  @Test(
    "A handler may fill the queue again that a call has just emptied", arguments: [true, false],
    [true, false])
  func refill(replaces: Bool, isElsewhere: Bool) {
    let items = [stage.item("a"), stage.item("b")]
    let player = stage.queuePlayer(items)
    let observation = player.observe(\.currentItem) { player, _ in
      guard player.currentItem == nil else { return }
      #expect(player.items().isEmpty)
      for item in items where player.canInsert(item, after: nil) { player.insert(item, after: nil) }
    }
    func empty() { if replaces { player.replaceCurrentItem(with: nil) } else { player.removeAllItems() } }
    if isElsewhere { stage.mainQueue.elsewhere(empty) } else { empty() }
    stage.settle()
    #expect(player.items() == items && player.currentItem === items[0])
    #expect(items.allSatisfy { !player.canInsert($0, after: nil) })
    observation.invalidate()
  }

  @Test("A replacement in the handler of the seek that it ends is replaced in its turn")
  func replacementInTheSeek() {
    let (a, b, c) = (stage.item("a"), stage.item("b"), stage.item("c"))
    let player = stage.queuePlayer([a])
    stage.pass(0.1)
    let results = Log<Bool>()
    a.seek(to: CMTime(value: 1, timescale: 2)) { finished in
      results.add(finished)
      player.replaceCurrentItem(with: b)
    }
    player.replaceCurrentItem(with: c)
    #expect(results.entries == [false])
    #expect(player.items() == [c] && player.canInsert(b, after: nil))
  }

  @Test("An item that was heard can be inserted again and plays from its beginning")
  func playsAgain() {
    let item = stage.item("a", seconds: 0.5)
    let player = stage.queuePlayer([item])
    let ends = Log<Void>()
    let token = NotificationCenter.default.addObserver(
      forName: .AVPlayerItemDidPlayToEndTime, object: item, queue: nil
    ) { _ in ends.add(()) }
    player.play()
    stage.pass(1)
    #expect(player.currentItem == nil)
    #expect(item.currentTime() == item.duration)
    #expect(item.status == .readyToPlay)
    player.insert(item, after: nil)
    stage.pass(0.4)
    #expect(player.currentItem === item)
    #expect(item.currentTime().seconds > 0.1 && item.currentTime().seconds <= 0.4)
    stage.pass(0.6)
    #expect(ends.entries.count == 2)
    NotificationCenter.default.removeObserver(token)
  }

  @Test("An item that was taken out goes on where it stood")
  func goesOn() {
    let (a, b) = (stage.item("a", seconds: 5), stage.item("b", seconds: 5))
    let player = stage.queuePlayer([a, b])
    player.play()
    stage.pass(1)
    player.advanceToNextItem()
    let place = a.currentTime()
    #expect(place.seconds > 0.8 && place.seconds <= 1)
    player.insert(a, after: b)
    #expect(a.currentTime() == place)
    player.advanceToNextItem()
    stage.pass(0.2)
    #expect(abs(player.currentTime().seconds - place.seconds) <= 0.2)
    #expect(player.currentTime() >= place)
  }

  @Test("replaceCurrentItem keeps the rest, does nothing for the current item, and empties the queue for nil")
  func replacement() {
    let (a, b, c) = (stage.item("a"), stage.item("b"), stage.item("c"))
    let player = stage.queuePlayer([a, b])
    player.play()
    stage.pass(0.3)
    player.replaceCurrentItem(with: a)
    #expect(player.currentTime().seconds > 0.1)
    player.replaceCurrentItem(with: c)
    #expect(player.items() == [c, b] && player.currentItem === c)
    stage.pass(0.3)
    #expect(player.timeControlStatus == .playing && c.status == .readyToPlay)
    player.replaceCurrentItem(with: nil)
    #expect(player.currentItem == nil && player.items().isEmpty)
    player.replaceCurrentItem(with: b)
    #expect(player.items() == [b])
  }

  @Test("An item that cannot be opened leaves the queue at once, and the next one plays")
  func failedItem() {
    let (a, bad, c) = (
      stage.item("a", seconds: 0.5), stage.missingItem("none"), stage.item("c", seconds: 0.5)
    )
    let player = stage.queuePlayer([bad, a, c])
    let seen = Log<AVPlayerItem?>()
    let statuses = Log<AVPlayerItem.Status>()
    let observations = [
      player.observe(\.currentItem) { player, _ in seen.add(player.currentItem) },
      bad.observe(\.status) { item, _ in
        statuses.add(item.status)
        #expect(player.currentItem === bad)
      },
    ]
    player.play()
    stage.pass(0.3)
    #expect(statuses.entries == [.failed])
    #expect((bad.error as? AVError)?.code == .failedToLoadMediaData)
    #expect(player.currentItem === a)
    #expect(player.status == .readyToPlay)
    stage.pass(2)
    #expect(seen.entries == [a, c, nil])
    observations.forEach { $0.invalidate() }
  }

  @Test("A queue of 100 000 items: the calls on one item do not look at the others")
  func largeQueue() {
    let url = stage.library.add("a", seconds: 1)
    let asset = AVURLAsset(url: url)
    let items = (0..<100_000).map { _ in AVPlayerItem(asset: asset) }
    let player = stage.queuePlayer(items)
    #expect(player.items().count == 100_000)
    let new = AVPlayerItem(asset: asset)
    let clock = ContinuousClock()
    // A thousand of each; a look at every item would take minutes.
    let time = clock.measure {
      for _ in 0..<1000 {
        #expect(player.canInsert(new, after: items[50_000]))
        player.insert(new, after: items[50_000])
        player.remove(new)
      }
    }
    #expect(time < .seconds(60))
    #expect(player.items() == items)
  }
}
