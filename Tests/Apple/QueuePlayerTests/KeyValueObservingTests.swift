import AudioSession
import Foundation
import MediaAssets
import MediaTime
import QueuePlayer
import Synchronization
import TestSupport
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
      log.entries == ["prior true a none", "all a b true", "bare none none", "prior false a b"])
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

  @Test("Setting a property to the value that it has is announced, and of others what follows from the rate")
  func unchanged() {
    let item = stage.item("a")
    let player = stage.queuePlayer([item])
    let log = Log<String>()
    let observations = [
      player.observe(\.rate, options: [.old, .new]) { _, change in
        log.add("rate \(change.oldValue ?? -1) \(change.newValue ?? -1)")
      },
      player.observe(\.defaultRate) { _, _ in log.add("default") },
      player.observe(\.volume) { _, _ in log.add("volume") },
      player.observe(\.isMuted) { _, _ in log.add("muted") },
      player.observe(\.actionAtItemEnd) { _, _ in log.add("action") },
      player.observe(\.automaticallyWaitsToMinimizeStalling) { _, _ in log.add("waits") },
      item.observe(\.forwardPlaybackEndTime) { _, _ in log.add("end") },
      item.observe(\.preferredForwardBufferDuration) { _, _ in log.add("buffer") },
      player.observe(\.currentItem?.forwardPlaybackEndTime) { _, _ in log.add("nested end") },
      player.observe(\.currentItem) { _, _ in log.add("item") },
      player.observe(\.timeControlStatus) { _, _ in log.add("control") },
      player.observe(\.status) { _, _ in log.add("status") },
      item.observe(\.status) { _, _ in log.add("item's status") },
    ]
    let notes = RateLog(player)
    player.rate = 0
    player.pause()
    player.defaultRate = player.defaultRate
    player.volume = player.volume
    player.isMuted = false
    player.actionAtItemEnd = .advance
    player.automaticallyWaitsToMinimizeStalling = true
    item.preferredForwardBufferDuration = 0
    item.forwardPlaybackEndTime = .invalid
    player.replaceCurrentItem(with: item)
    #expect(
      log.entries == [
        "rate 0.0 0.0", "control", "rate 0.0 0.0", "control", "default", "volume", "muted", "action", "waits",
        "buffer", "end",
        "nested end",
      ])
    #expect(notes.entries.isEmpty)
    log.clear()
    player.play()
    player.play()
    player.rate = 1
    #expect(
      log.entries == ["rate 0.0 1.0", "control", "rate 1.0 1.0", "control", "rate 1.0 1.0", "control"])
    #expect(notes.entries == [.setRateCalled])
    observations.forEach { $0.invalidate() }
  }

  @Test("Another item is told also to who observes a property of it that is the same")
  func anotherObjectOnThePath() {
    let items = [stage.item("a"), stage.item("b")]
    let player = stage.queuePlayer(items)
    let log = Log<AVPlayerItem.Status?>()
    let observation = player.observe(\.currentItem?.status) { player, _ in
      log.add(player.currentItem?.status)
    }
    player.play()
    stage.pass(1.5)
    #expect(player.currentItem === items[1] && log.entries == [.readyToPlay, .readyToPlay])
    observation.invalidate()
  }

  @Test("With .prior the object has the old value in the first call and the new one in the second")
  func prior() {
    let items = [stage.item("a", seconds: 0.5), stage.missingItem("b")]
    let player = stage.queuePlayer(items)
    let log = Log<String>()
    @Sendable func name(_ item: AVPlayerItem?) -> String {
      item === items[0] ? "a" : item === items[1] ? "b" : "nil"
    }
    let observations = [
      player.observe(\.currentItem, options: .prior) { player, change in
        log.add("item \(change.isPrior) \(name(player.currentItem))")
      },
      player.observe(\.rate, options: .prior) { player, change in
        log.add("rate \(change.isPrior) \(player.rate)")
      },
      player.observe(\.timeControlStatus, options: .prior) { player, change in
        log.add("control \(change.isPrior) \(player.timeControlStatus.rawValue)")
      },
      player.observe(\.volume, options: .prior) { player, change in
        log.add("volume \(change.isPrior) \(player.volume)")
      },
      items[0].observe(\.status, options: .prior) { item, change in
        log.add("a \(change.isPrior) \(item.status.rawValue)")
      },
      items[0].observe(\.duration, options: [.prior, .old, .new]) { item, change in
        log.add("duration \(change.isPrior) \(item.duration.seconds)")
      },
      player.observe(\.currentItem?.status, options: .prior) { player, change in
        log.add("nested \(change.isPrior) \(player.currentItem?.status.rawValue ?? -1)")
      },
    ]
    player.volume = 0.5
    #expect(log.entries == ["volume true 1.0", "volume false 0.5"])
    log.clear()
    player.play()
    #expect(
      log.entries == ["rate true 0.0", "rate false 1.0", "control true 0", "control false 1"])
    log.clear()
    stage.pass(0.2)
    #expect(
      log.entries == [
        "a true 0", "duration true nan", "nested true 0", "a false 1", "duration false 0.5", "nested false 1",
        "control true 1", "control false 2",
      ])
    log.clear()
    stage.pass(1)
    #expect(
      log.entries == [
        "item true a", "nested true 1", "item false nil", "nested false -1", "control true 2",
        "control false 1",
      ])
    observations.forEach { $0.invalidate() }
  }

  @Test("An observation that its handler ends in a prior call is not called again")
  func endedInPrior() {
    let player = stage.queuePlayer([stage.item("a")])
    stage.settle()
    for isElsewhere in [false, true] {
      let log = Log<Bool>()
      let observation = Mutex<NSKeyValueObservation?>(nil)
      let made = player.observe(\.volume, options: .prior) { _, change in
        log.add(change.isPrior)
        observation.withLock { $0 }?.invalidate()
      }
      observation.withLock { $0 = made }
      // Both calls follow a change that another thread makes.
      if isElsewhere { stage.mainQueue.elsewhere { player.volume = 0.3 } } else { player.volume = 0.2 }
      stage.settle()
      #expect(log.entries == [true])
    }
  }

  @Test("A handler that changes the player in a prior call does so behind the change that it is told of")
  func changeInPrior() {
    let player = stage.player(stage.item("a", seconds: 10))
    let log = Log<String>()
    let observations = [
      player.observe(\.rate, options: [.prior, .old, .new]) { player, change in
        log.add("\(change.isPrior) \(change.oldValue ?? -1) \(change.newValue ?? -1)")
        if change.isPrior, change.oldValue == 0 { player.pause() }
      },
      player.observe(\.rate, options: .new) { _, change in log.add("new \(change.newValue ?? -1)") },
    ]
    player.play()
    #expect(
      log.entries == [
        "true 0.0 -1.0", "false 0.0 1.0", "new 1.0", "true 1.0 -1.0", "false 1.0 0.0", "new 0.0",
      ])
    stage.pass(1)
    #expect(player.rate == 0 && player.timeControlStatus == .paused && player.currentTime() == .zero)
    observations.forEach { $0.invalidate() }
  }

  @Test("Where it is set on another thread, both calls of .prior come afterwards")
  func priorElsewhere() {
    let player = stage.player(nil)
    let log = Log<String>()
    let observation = player.observe(\.volume, options: [.prior, .old]) { player, change in
      log.add("\(change.isPrior) \(change.oldValue ?? -1)")
    }
    stage.mainQueue.elsewhere { player.volume = 0.5 }
    #expect(log.entries.isEmpty)
    stage.settle()
    #expect(log.entries == ["true 1.0", "false 1.0"])
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
