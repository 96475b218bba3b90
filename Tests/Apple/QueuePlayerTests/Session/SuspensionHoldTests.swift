import AudioSession
import Dispatch
import Foundation
import MediaAssets
import MediaTime
import QueuePlayer
import TestSupport
import Testing

/// While suspended nothing of the application is called: each way in which it could be.
@Suite("Suspension that holds")
struct SuspensionHoldTests {
  let stage = VirtualStage()

  private func playing() -> AVQueuePlayer {
    let player = stage.queuePlayer([stage.item("a", seconds: 100), stage.item("b")])
    player.play()
    stage.pass(1)
    return player
  }

  @Test(
    "Completions of seeks asked for elsewhere, before and while suspended, come with the resumption, in order"
  )
  func seeks() {
    let player = playing()
    let results = Log<String>()
    stage.mainQueue.elsewhere {
      for number in 0..<3 {
        player.seek(to: CMTime(value: 2, timescale: 1)) { results.add("\(number) \($0)") }
      }
    }
    stage.suspension.suspendAll()
    stage.pass(1)
    #expect(results.entries.isEmpty)
    stage.mainQueue.elsewhere {
      player.seek(to: CMTime(value: 3, timescale: 1)) { results.add("3 \($0)") }
    }
    player.seek(to: CMTime(value: 4, timescale: 1)) { results.add("4 \($0)") }
    stage.queuePlayer([]).seek(to: .zero) { results.add("nothing \($0)") }
    player.items()[1].seek(to: .zero) { results.add("next \($0)") }
    stage.item("free").seek(to: .zero) { results.add("free \($0)") }
    stage.pass(1)
    #expect(results.entries.isEmpty)
    stage.suspension.resumeAll()
    stage.pass(1)
    // The decoder had come to the third while nothing was told, so for the application it was still under way.
    let ofPlayer = results.entries.filter { $0.first?.isNumber == true }
    #expect(ofPlayer == ["0 false", "1 false", "2 false", "3 false", "4 true"])
    stage.pass(1)
    #expect(results.entries.count(where: { $0 == "next true" }) == 1)
  }

  @Test("Seeks that are waited for do not return before the resumption")
  func awaitedSeek() async {
    let empty = stage.queuePlayer([])
    stage.suspension.suspendAll()
    let log = Log<String>()
    let task = Task {
      log.add("asked")
      log.add("\(await empty.seek(to: .zero))")
    }
    while log.entries.isEmpty { await Task.yield() }
    for _ in 0..<100 { await Task.yield() }
    stage.settle()
    #expect(log.entries == ["asked"])
    stage.suspension.resumeAll()
    while log.entries.count < 2 {
      stage.settle()
      await Task.yield()
    }
    await task.value
    #expect(log.entries == ["asked", "false"])
  }

  @Test("Properties that only the player has are told afterwards, once, wherever they were set")
  func properties() {
    let player = playing()
    let item = player.items()[1]
    let free = stage.item("free")
    let volumes = Log<Float>()
    let ends = Log<Double>()
    let observations = [
      player.observe(\.volume) { player, _ in volumes.add(player.volume) },
      item.observe(\.forwardPlaybackEndTime) { item, _ in ends.add(item.forwardPlaybackEndTime.seconds) },
      free.observe(\.forwardPlaybackEndTime) { item, _ in ends.add(item.forwardPlaybackEndTime.seconds) },
    ]
    stage.mainQueue.elsewhere {
      player.volume = 0.1
      item.forwardPlaybackEndTime = CMTime(value: 1, timescale: 2)
    }
    stage.suspension.suspendAll()
    stage.settle()
    player.volume = 0.2
    stage.mainQueue.elsewhere { player.volume = 0.3 }
    free.forwardPlaybackEndTime = CMTime(value: 1, timescale: 4)
    player.isMuted = true
    player.defaultRate = 2
    stage.pass(1)
    #expect(volumes.entries.isEmpty && ends.entries.isEmpty)
    stage.suspension.resumeAll()
    stage.settle()
    #expect(volumes.entries == [0.3] && Set(ends.entries) == [0.5, 0.25])
    withExtendedLifetime(observations) {}
  }

  @Test("What others do to the player meanwhile is told afterwards, in order")
  func transport() {
    let player = playing()
    let log = Log<String>()
    let rates = RateLog(player) { log.add("rate") }
    let observations = [
      player.observe(\.currentItem) { _, _ in log.add("item") },
      player.observe(\.timeControlStatus) { _, _ in log.add("control") },
    ]
    stage.suspension.suspendAll()
    player.advanceToNextItem()
    stage.mainQueue.elsewhere { player.pause() }
    player.actionAtItemEnd = .pause
    stage.pass(1)
    #expect(log.entries.isEmpty)
    stage.suspension.resumeAll()
    stage.settle()
    #expect(log.entries == ["item", "rate", "control"] && rates.entries == [.setRateCalled])
    withExtendedLifetime(observations) {}
  }

  @Test(
    "A handler that suspends is the last to be called; the rest of the same change follows the resumption")
  func fromWithin() {
    let player = playing()
    let log = Log<String>()
    let suspension = stage.suspension
    let observations = [
      player.observe(\.rate) { _, _ in
        log.add("first")
        suspension.suspendAll()
      },
      player.observe(\.rate) { _, _ in log.add("second") },
      player.observe(\.timeControlStatus) { _, _ in log.add("control") },
    ]
    let rates = RateLog(player) { log.add("posted") }
    player.pause()
    stage.pass(1)
    #expect(log.entries == ["first"])
    stage.suspension.resumeAll()
    stage.settle()
    #expect(log.entries == ["first", "second", "posted", "control"])
    withExtendedLifetime((observations, rates)) {}
  }

  @Test("The session's notifications are held back too; players have paused by then")
  func session() {
    let player = playing()
    let told = SessionLog(stage.session)
    stage.suspension.suspendAll()
    stage.environment.beginInterruption()
    stage.environment.endInterruption(shouldResume: true)
    stage.pass(1)
    #expect(told.entries.isEmpty)
    stage.suspension.resumeAll()
    stage.settle()
    #expect(told.entries == ["began, reason 0, option -", "ended, reason -, option 1"])
    #expect(player.rate == 0)
  }

  @Test("Completions of loading an asset wait", .timeLimit(.minutes(10)))
  func loading() async throws {
    let asset = try #require(stage.item("a").asset as? AVURLAsset)
    let log = Log<Int>()
    stage.suspension.suspendAll()
    asset.loadValuesAsynchronously(forKeys: ["duration"]) { log.add(1) }
    while asset.statusOfValue(forKey: "duration", error: nil) != .loaded { await Task.yield() }
    // Known by now: would be called at once.
    asset.loadValuesAsynchronously(forKeys: ["duration"]) { log.add(2) }
    #expect(log.entries.isEmpty)
    stage.suspension.resumeAll()
    while log.entries.count < 2 { await Task.yield() }
    #expect(log.entries.sorted() == [1, 2])
  }

  @Test("Time observers on queues of their own", .timeLimit(.minutes(10)))
  func ownQueue() {
    let player = playing()
    let queue = DispatchQueue(label: "own")
    let steps = Log<Int64>()
    let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 10), queue: queue) {
      if $0.timescale == 10 { steps.add($0.value) }
    }
    queue.suspend()
    stage.pass(1)
    stage.suspension.suspendAll()
    queue.resume()
    queue.sync {}
    #expect(steps.entries.isEmpty)
    stage.suspension.resumeAll()
    queue.sync {}
    #expect(steps.entries.count == 10)
    stage.suspension.suspendAll()
    stage.pass(1)
    stage.suspension.resumeAll()
    stage.pass(1)
    queue.sync {}
    let first = steps.entries[0]
    #expect(steps.entries == Array(first..<(first + Int64(steps.entries.count))))
    player.removeTimeObserver(token)
  }

  @Test("A call that runs on another thread is waited for", .timeLimit(.minutes(10)))
  func runningCall() {
    let player = playing()
    let log = Log<String>()
    let entered = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)
    let token = player.addBoundaryTimeObserver(
      forTimes: [NSValue(time: CMTime(value: 3, timescale: 2))], queue: DispatchQueue(label: "own")
    ) {
      entered.signal()
      goOn.wait()
      log.add("called")
    }
    stage.pass(1)
    entered.wait()
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { goOn.signal() }
    stage.suspension.suspendAll()
    log.add("suspended")
    #expect(log.entries == ["called", "suspended"])
    stage.suspension.resumeAll()
    player.removeTimeObserver(token)
  }

  @Test("Threads that disagree leave the players as the last one wanted them", .timeLimit(.minutes(10)))
  func disagreement() async {
    let suspension = stage.suspension
    let environment = stage.environment
    await withTaskGroup { group in
      for worker in 0..<4 {
        group.addTask {
          for step in 0..<500 {
            if (worker + step) % 2 == 0 { suspension.suspendAll() } else { suspension.resumeAll() }
            if step % 50 == 0 { _ = AVQueuePlayer(items: [], environment: environment) }
          }
        }
      }
    }
    suspension.resumeAll()
    let player = playing()
    #expect(player.timeControlStatus == .playing && player.currentTime().seconds > 0.5)
    suspension.suspendAll()
    #expect(suspension.isSuspended)
  }
}
