import AudioSession
import Dispatch
import Foundation
import MediaTime
import QueuePlayer
import Testing

@Suite("Time observers")
struct TimeObserverTests {
  let stage = VirtualStage()
  let hundredth = CMTime(value: 1, timescale: 100)

  @Test("A 1/100 s observer gets every step of every item, exactly and once")
  func steps() {
    let player = stage.queuePlayer([stage.item("a"), stage.item("b", seconds: 0.5)])
    let times = Log<CMTime>()
    let token = player.addPeriodicTimeObserver(forInterval: hundredth, queue: .main) { times.add($0) }
    player.play()
    stage.pass(3)
    let steps = times.entries.filter { $0.timescale == 100 }.map(\.value)
    #expect(steps == Array(0..<100) + Array(0..<50))
    player.removeTimeObserver(token)
  }

  @Test("Nothing is called for an empty player, and nothing more after the removal")
  func removal() {
    let player = stage.queuePlayer([])
    let times = Log<CMTime>()
    let token = player.addPeriodicTimeObserver(forInterval: hundredth, queue: nil) { times.add($0) }
    player.play()
    stage.pass(1)
    #expect(times.entries.isEmpty)
    player.insert(stage.item("a"), after: nil)
    stage.pass(0.5)
    #expect(!times.entries.isEmpty)
    player.removeTimeObserver(token)
    times.clear()
    stage.pass(1)
    #expect(times.entries.isEmpty)
  }

  @Test("A queue is released with the last of its observers")
  func queues() {
    let player = stage.queuePlayer([stage.item("a")])
    weak var released: DispatchQueue?
    do {
      let queue = DispatchQueue(label: "observers")
      released = queue
      let tokens = [
        player.addPeriodicTimeObserver(forInterval: hundredth, queue: queue) { _ in },
        player.addBoundaryTimeObserver(
          forTimes: [NSValue(time: CMTime(value: 1, timescale: 2))], queue: queue
        ) {},
      ]
      player.removeTimeObserver(tokens[0])
      let again = player.addPeriodicTimeObserver(forInterval: hundredth, queue: queue) { _ in }
      player.removeTimeObserver(tokens[1])
      player.removeTimeObserver(again)
    }
    #expect(released == nil)
  }

  @Test("An observer may remove itself inside its own call")
  func removesItself() {
    let player = stage.queuePlayer([stage.item("a")])
    let calls = Log<CMTime>()
    let tokens = Log<Token>()
    let token = player.addPeriodicTimeObserver(forInterval: hundredth, queue: nil) { time in
      calls.add(time)
      if calls.entries.count == 5 { player.removeTimeObserver(tokens.entries[0].value) }
    }
    tokens.add(Token(value: token))
    player.play()
    stage.pass(1)
    #expect(calls.entries.count == 5)
  }

  private struct Token: @unchecked Sendable {
    // The token is a Sendable object behind Apple's `Any`.
    let value: Any
  }

  @Test("A boundary is passed by playing, not by seeking, and not while paused")
  func boundaries() {
    let player = stage.player(stage.item("a", seconds: 10))
    let calls = Log<Double>()
    let times = [1.0, 2, 5].map { NSValue(time: CMTime(seconds: $0, preferredTimescale: 600)) }
    let token = player.addBoundaryTimeObserver(forTimes: times, queue: .main) {
      calls.add(player.currentTime().seconds)
    }
    stage.pass(3)
    #expect(calls.entries.isEmpty)
    player.play()
    stage.pass(1.5)
    #expect(calls.entries.count == 1)
    player.seek(to: CMTime(seconds: 4, preferredTimescale: 600))
    stage.settle()
    #expect(calls.entries.count == 1)
    stage.pass(2)
    #expect(calls.entries.count == 2)
    #expect(calls.entries.allSatisfy { $0.rounded() - $0 < 0.001 })
    player.removeTimeObserver(token)
  }

  @Test("A queue of its own gets the calls in order, on that queue", .timeLimit(.minutes(10)))
  func ownQueue() async {
    let player = stage.queuePlayer([stage.item("a", seconds: 0.9)])
    let queue = DispatchQueue(label: "test.observer")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let (calls, continuation) = AsyncStream<(CMTime, Bool)>.makeStream()
    let tokens = [queue, queue].map { queue in
      player.addPeriodicTimeObserver(forInterval: hundredth, queue: queue) { time in
        continuation.yield((time, DispatchQueue.getSpecific(key: key) == true))
      }
    }
    player.play()
    stage.pass(2)
    player.removeTimeObserver(tokens[1])
    var values: [Int64] = []
    for await (time, isOnQueue) in calls {
      #expect(isOnQueue)
      if time.timescale == 100 { values.append(time.value) }
      if values.filter({ $0 == 89 }).count >= 1 { break }
    }
    #expect(Set(values) == Set(0..<90))
    player.removeTimeObserver(tokens[0])
  }

  @Test("Whoever tidies up after the end of the application may remove what ended with it")
  func removalAfterTermination() {
    let player = stage.queuePlayer([stage.item("a")])
    let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: nil) {
      _ in
    }
    player.play()
    stage.pass(0.5)
    stage.suspension.terminateAll()
    player.removeTimeObserver(token)
  }
}
