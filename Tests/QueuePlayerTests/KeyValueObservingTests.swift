import Foundation
import MediaTime
import QueuePlayer
import Synchronization
import Testing

@Suite("Key-value observing")
struct KeyValueObservingTests {
  let stage = VirtualStage()

  @Test("Old and new values come as asked for")
  func options() {
    let (a, b) = (stage.item("a"), stage.item("b"))
    let player = stage.queuePlayer([a, b])
    let log = Log<String>()
    @Sendable func name(_ item: AVPlayerItem??) -> String {
      guard let item else { return "none" }
      return item === a ? "a" : item === b ? "b" : "nil"
    }
    let observations = [
      player.observe(\.currentItem, options: [.initial, .new, .old]) { _, change in
        log.add("all \(name(change.oldValue)) \(name(change.newValue)) \(change.kind == .setting)")
      },
      player.observe(\.currentItem) { _, change in
        log.add("bare \(name(change.oldValue)) \(name(change.newValue))")
      },
      player.observe(\.currentItem, options: [.old, .new, .prior]) { _, change in
        log.add("prior \(change.isPrior) \(name(change.oldValue)) \(name(change.newValue))")
      },
    ]
    #expect(log.entries == ["all none a true"])
    log.clear()
    player.advanceToNextItem()
    #expect(
      log.entries == ["all a b true", "bare none none", "prior true a none", "prior false a b"])
    observations.forEach { $0.invalidate() }
    player.advanceToNextItem()
    #expect(log.entries.count == 4)
  }

  @Test("Nested paths, optional and unwrapped, follow the current item, also through nil")
  func nestedPaths() {
    let (a, b) = (stage.item("a"), stage.missingItem("b"))
    let player = stage.queuePlayer([a])
    player.actionAtItemEnd = .none
    let statuses = Log<AVPlayerItem.Status?>()
    let durations = Log<CMTime?>()
    let observations = [
      player.observe(\.currentItem?.status, options: [.initial, .new]) { player, change in
        statuses.add(change.newValue ?? nil)
        #expect(player.currentItem?.status == change.newValue ?? nil)
      },
      player.observe(\.currentItem!.duration, options: [.initial, .new, .old]) { _, change in
        durations.add(change.newValue)
      },
    ]
    stage.pass(0.1)
    player.replaceCurrentItem(with: nil)
    player.insert(b, after: nil)
    stage.pass(0.1)
    let second = CMTime(value: 1, timescale: 1)
    #expect(statuses.entries == [.unknown, .readyToPlay, nil, .unknown, .failed, nil])
    #expect(durations.entries == [.indefinite, second, nil, .indefinite, nil])
    observations.forEach { $0.invalidate() }
  }

  @Test("An instance of a subclass is observed by the paths of its own class and of its superclasses")
  func subclasses() {
    let player = PlaybackEnvironment.withCurrent(stage.environment) { Subclass(items: [stage.item("a")]) }
    let log = Log<String>()
    let observations = [
      player.observe(\.rate) { player, _ in log.add("own \(player.name) \(player.rate)") },
      (player as AVQueuePlayer).observe(\.rate) { player, _ in log.add("queue \(player.rate)") },
      (player as AVPlayer).observe(\.rate, options: .new) { _, change in
        log.add("player \(change.newValue ?? -1)")
      },
    ]
    player.play()
    #expect(log.entries == ["own sub 1.0", "queue 1.0", "player 1.0"])
    observations.forEach { $0.invalidate() }
  }

  @Test("A handler that changes the player again leaves no state out for the observers behind it")
  func reentrant() {
    let items = [stage.item("a"), stage.item("b"), stage.item("c")]
    let player = stage.queuePlayer(items)
    let first = Log<AVPlayerItem?>()
    let second = Log<[AVPlayerItem??]>()
    let observations = [
      player.observe(\.currentItem) { player, _ in
        first.add(player.currentItem)
        if player.currentItem === items[1] {
          player.advanceToNextItem()
          #expect(player.currentItem === items[2])
        }
      },
      player.observe(\.currentItem, options: [.old, .new]) { _, change in
        second.add([change.oldValue, change.newValue])
      },
    ]
    player.advanceToNextItem()
    #expect(first.entries == [items[1], items[2]])
    #expect(second.entries == [[items[0], items[1]], [items[1], items[2]]])
    observations.forEach { $0.invalidate() }
  }

  @Test("Setting what is set already tells nobody")
  func unchanged() {
    let player = stage.player(stage.item("a"))
    let log = Log<Float>()
    let observation = player.observe(\.rate) { player, _ in log.add(player.rate) }
    player.play()
    player.play()
    player.rate = 1
    player.pause()
    player.pause()
    #expect(log.entries == [1, 0])
    observation.invalidate()
  }

  @Test("An observation ends with its object")
  func endsWithToken() {
    let player = stage.player(stage.item("a"))
    let log = Log<Float>()
    weak var released: Marker?
    do {
      let marker = Marker()
      released = marker
      let observation = player.observe(\.rate) { player, _ in
        withExtendedLifetime(marker) { log.add(player.rate) }
      }
      player.play()
      withExtendedLifetime(observation) {}
    }
    player.pause()
    #expect(log.entries == [1])
    #expect(released == nil)
  }

  @Test("An observation keeps neither player nor item alive, and outlives them")
  func keepsNothingAlive() {
    var player: AVPlayer? = stage.player(stage.item("a"))
    weak let weakPlayer = player
    weak let weakItem = player?.currentItem
    let observations = [
      player?.observe(\.rate) { _, _ in }, player?.currentItem?.observe(\.status) { _, _ in },
    ]
    player = nil
    #expect(weakPlayer == nil && weakItem == nil)
    observations.forEach { $0?.invalidate() }
  }

  @Test("Errors and arrays of values are compared by what they say")
  func comparison() {
    let item = stage.item("a")
    let player = stage.player(item)
    let errors = Log<Void>()
    let ranges = Log<Int>()
    let observations = [
      item.observe(\.error) { _, _ in errors.add(()) },
      item.observe(\.loadedTimeRanges) { item, _ in ranges.add(item.loadedTimeRanges.count) },
    ]
    player.play()
    stage.pass(2)
    #expect(errors.entries.isEmpty && ranges.entries == [1])
    observations.forEach { $0.invalidate() }
  }

  private final class Marker: Sendable {}

  private final class Subclass: AVQueuePlayer {
    nonisolated let name = "sub"

    nonisolated override init(items: [AVPlayerItem]) { super.init(items: items) }
  }
}
