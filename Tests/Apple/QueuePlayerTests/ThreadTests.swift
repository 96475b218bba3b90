import AudioCore
import AudioSession
import Clocks
import Foundation
import MediaAssets
import MediaTime
import PlaybackEngine
import Synchronization
import TestSupport
import Testing

@testable import QueuePlayer

@Suite("Calls from other threads")
struct ThreadTests {
  let stage = VirtualStage()

  @Test(
    "Off the main queue a call shows at once to its thread, and is told on the main queue later, step by step"
  )
  func truthAndMirror() {
    let items = [stage.item("a"), stage.item("b"), stage.item("c")]
    let player = stage.queuePlayer(items)
    let seen = Log<AVPlayerItem?>()
    let observation = player.observe(\.currentItem) { player, _ in seen.add(player.currentItem) }
    stage.mainQueue.elsewhere {
      player.advanceToNextItem()
      player.advanceToNextItem()
      player.rate = 1
      #expect(player.currentItem === items[2] && player.items() == [items[2]])
      #expect(player.rate == 1 && player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
    }
    #expect(player.currentItem === items[0] && player.rate == 0)
    #expect(player.items().first === items[0])
    #expect(seen.entries.isEmpty)
    stage.settle()
    #expect(seen.entries == [items[1], items[2]])
    #expect(player.rate == 1 && player.items() == [items[2]])
    observation.invalidate()
  }

  @Test("What was removed elsewhere is free once the main queue knows")
  func removal() {
    let items = [stage.item("a"), stage.item("b")]
    let player = stage.queuePlayer(items)
    stage.mainQueue.elsewhere {
      player.removeAllItems()
      #expect(player.items().isEmpty)
      player.insert(items[1], after: nil)
    }
    stage.settle()
    #expect(player.items() == [items[1]] && player.currentItem === items[1])
  }

  @Test("What is inserted elsewhere right after a removal of all stays, however soon the main queue runs")
  func insertionAfterRemoval() {
    let device = InterceptedDevice(stage.output)
    let (environment, clock) = (stage.environment(with: device), stage.clock)
    let url = stage.library.add("a", seconds: 1)
    let item = AVPlayerItem(asset: AVURLAsset(url: url, environment: environment))
    let player = AVQueuePlayer(items: [], environment: environment)
    device.onPreparation.withLock { $0 = { clock.runUntilIdle() } }
    stage.mainQueue.elsewhere {
      player.removeAllItems()
      player.insert(item, after: nil)
    }
    stage.settle()
    #expect(device.onPreparation.withLock { $0 } == nil, "the insertion prepared no output")
    #expect(player.items() == [item] && player.currentItem === item)
  }

  @Test("Handlers of seeks asked for elsewhere are called on the main queue")
  func completion() {
    let player = stage.player(stage.item("a"))
    let queue = stage.mainQueue
    let results = Log<Bool>()
    stage.mainQueue.elsewhere {
      player.seek(to: .zero) { _ in results.add(queue.isCurrent) }
      #expect(results.entries.isEmpty)
    }
    stage.settle()
    #expect(results.entries == [true])
  }

  @Test("An observation made elsewhere starts with what the others were told")
  func observation() {
    let items = [stage.item("a"), stage.item("b")]
    let player = stage.queuePlayer(items)
    let seen = Log<[AVPlayerItem??]>()
    let observation = stage.mainQueue.elsewhere {
      player.advanceToNextItem()
      return player.observe(\.currentItem, options: [.old, .new]) { _, change in
        seen.add([change.oldValue, change.newValue])
      }
    }
    stage.settle()
    #expect(seen.entries == [[items[0], items[1]]])
    observation.invalidate()
  }

  @Test(
    "Behind an item that ended a moment ago, before anybody was told, an insertion is made behind what plays now"
  )
  func insertionBehindTheGone() {
    let items = [stage.item("a"), stage.item("b"), stage.item("c")]
    let player = stage.queuePlayer(items)
    stage.mainQueue.elsewhere { player.advanceToNextItem() }
    #expect(player.currentItem === items[0])
    let new = stage.item("new")
    #expect(player.canInsert(new, after: items[0]))
    player.insert(new, after: items[0])
    #expect(player.items() == [items[1], new, items[2]])
    #expect(!player.canInsert(stage.item("other"), after: items[0]))
  }

  /// A player of two items whose first has ended, which the main queue does not know yet.
  private func playerAfterAnEnd() -> (AVQueuePlayer, [AVPlayerItem], ItemID?) {
    let items = [stage.item("a"), stage.item("b", seconds: 5)]
    let player = stage.queuePlayer(items)
    let id = items[0].attachment?.id
    player.play()
    stage.pass(0.5)
    stage.mainQueue.hold()
    stage.pass(1)
    return (player, items, id)
  }

  @Test("After an item that has just ended, an insertion from another thread is made after what plays now")
  func insertionAfterAnEnd() {
    let (player, items, _) = playerAfterAnEnd()
    let new = stage.item("new")
    stage.mainQueue.elsewhere {
      #expect(player.canInsert(new, after: items[0]))
      player.insert(new, after: items[0])
    }
    stage.mainQueue.release()
    stage.settle()
    #expect(player.items() == [items[1], new])
  }

  @Test("Advancing from an item that has just ended skips no other")
  func advanceAfterAnEnd() throws {
    let (player, items, id) = playerAfterAnEnd()
    let known = (id: try #require(id), item: items[0])
    stage.mainQueue.elsewhere { player.core.advance(from: known) }
    stage.mainQueue.release()
    stage.settle()
    #expect(player.items() == [items[1]])
  }

  @Test("An item that enters the engine while the queue releases it is in neither")
  func insertionDuringARelease() throws {
    let items = [stage.item("a"), stage.item("b")]
    let player = stage.queuePlayer(items)
    let id = try #require(items[1].attachment?.id)
    player.core.release(id)
    #expect(!player.core.engine.contains(id) && player.items() == [items[0]])
    #expect(player.canInsert(items[1], after: nil))
  }
}
