import AudioCore
import Foundation
import MediaTime
import QueuePlayer
import Testing

@Suite("A queue player plays its queue")
struct QueueTests {
  let stage = VirtualStage()

  @Test("Items play one after the other, leave the queue, and rate stays 1 behind the last")
  func playsThrough() {
    let items = [stage.item("a"), stage.item("b"), stage.item("c")]
    let player = stage.queuePlayer(items)
    #expect(player.currentItem === items[0])
    #expect(player.items() == items)
    let seen = Log<AVPlayerItem?>()
    let observation = player.observe(\.currentItem, options: [.new]) { player, change in
      seen.add(player.currentItem)
      #expect(change.newValue == player.currentItem)
    }
    player.play()
    #expect(player.rate == 1)
    #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
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

  @Test("A 1/100 s observer gets every step of every item, exactly")
  func steps() {
    let player = stage.queuePlayer([stage.item("a"), stage.item("b", seconds: 0.5)])
    let times = Log<CMTime>()
    let token = player.addPeriodicTimeObserver(
      forInterval: CMTime(value: 1, timescale: 100), queue: nil
    ) { times.add($0) }
    player.play()
    stage.pass(3)
    let expected =
      (0..<100).map { CMTime(value: $0, timescale: 100) } + (0..<50).map { CMTime(value: $0, timescale: 100) }
    let steps = times.entries.filter { $0.timescale == 100 }
    #expect(steps == expected)
    #expect(steps.allSatisfy { $0.timescale == 100 })
    player.removeTimeObserver(token)
  }
}
