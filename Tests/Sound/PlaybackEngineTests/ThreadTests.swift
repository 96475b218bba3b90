import AudioCore
import AudioOutput
import Clocks
import Dispatch
import MediaTime
import Synchronization
import TestSupport
import Testing

@testable import PlaybackEngine

private final class Counter: Sendable {
  private let value = Atomic<Int>(0)
  var count: Int { value.load(ordering: .sequentiallyConsistent) }
  func add() { value.add(1, ordering: .sequentiallyConsistent) }
}

/// The real clock and real threads: for the thread sanitizer, and for what only shows when things happen at once.
@Suite(.timeLimit(.minutes(10)))
struct ThreadTests {
  static let devices: [(name: String, personality: SimulatedOutput.Personality)] = [
    ("ideal", .init { $0.latency = 0.03 }),
    (
      "dies every now and then",
      .init {
        $0.latency = 0.03
        $0.death = 0.7
        $0.revival = 0.8
        $0.undroppable = 0.01
        $0.startDelay = 0.005
      }
    ),
  ]

  /// Everything at once from several threads for a second; then one item must still play to its end.
  @Test(arguments: devices.map(\.name))
  func anythingFromAnyThreadAtAnyTime(_ name: String) async {
    let personality = Self.devices.first { $0.name == name }?.personality ?? .init()
    let clock = SystemClock.shared
    let device = SimulatedOutput(clock: clock, personality: personality, recordsSound: false)
    let ended = AsyncStream<ItemID>.makeStream()
    let completions = Counter()
    let engine = PlaybackEngine(clock: clock, device: device, mainQueue: SerialQueue())
    engine.start { notice in
      switch notice {
      case .playedToEnd(let id): ended.continuation.yield(id)
      case .seekCompleted(let completion, let finished): completion(finished)
      default: break
      }
    }
    let seeks = Counter()
    let end = clock.now.advanced(bySeconds: 1)
    await withTaskGroup { group in
      for seed in 1...4 as ClosedRange<UInt64> {
        group.addTask {
          let queue = SerialQueue()
          var random = RandomSource(seed: seed)
          while clock.now < end {
            switch random.next() % 16 {
            case 0, 1:
              let frames = Int64(random.next() % 9000)
              _ = engine.insert(
                ItemID.next(), source: SyntheticMedia(number: 1, frames: frames), after: engine.currentItem)
            case 2: engine.insert(ItemID.next(), source: SyntheticMedia(number: 1, frames: 44_100))
            case 3: engine.items.last.map(engine.remove)
            case 4: engine.advanceToNextItem()
            case 5: engine.setRate(0)
            case 6, 7: engine.setRate(1)
            case 8:
              seeks.add()
              engine.seek(toSeconds: Double(random.next() % 1000) / 1000) { _ in
                completions.add()
              }
            case 9: engine.suspend()
            case 10, 11: engine.resume()
            case 12:
              let observer = engine.addPeriodicTimeObserver(
                forInterval: CMTime(value: 1, timescale: 100), queue: queue
              ) { _ in _ = engine.currentTime }
              _ = engine.currentTime
              #expect(engine.removeTimeObserver(observer))
            case 13: engine.actionAtItemEnd = random.next() % 2 == 0 ? .advance : .pause
            case 14: engine.currentItem.map { engine.setEnd(Double(random.next() % 100) / 100, of: $0) }
            default: engine.volume = Float(random.next() % 100) / 100
            }
          }
        }
      }
    }
    engine.actionAtItemEnd = .advance
    engine.removeAllItems()
    engine.resume()
    let last = ItemID.next()
    engine.insert(last, source: SyntheticMedia(number: 1, frames: 4410))
    engine.setRate(1)
    for await id in ended.stream where id == last { break }
    // Completions of seeks go the same way as the notice of the end, so they are there.
    #expect(completions.count == seeks.count)
    engine.close()
  }

  /// Ends while everything runs, again and again.
  @Test func closingAtAnyMomentEndsEverything() async {
    let clock = SystemClock.shared
    for round in 0..<30 {
      let device = SimulatedOutput(
        clock: clock, personality: .init { $0.latency = 0.02 }, recordsSound: false)
      let delivered = Counter()
      let queue = HeldQueue()
      let engine = PlaybackEngine(clock: clock, device: device, mainQueue: queue)
      engine.start { _ in delivered.add() }
      for _ in 0..<5 { engine.insert(ItemID.next(), source: SyntheticMedia(number: 1, frames: 2000)) }
      engine.setRate(1)
      await withTaskGroup { group in
        group.addTask {
          let end = clock.now.advanced(bySeconds: Double(round) * 0.001)
          while clock.now < end { engine.seek(toSeconds: 0.01) }
          engine.close()
        }
        group.addTask {
          let end = clock.now.advanced(bySeconds: Double(round) * 0.001)
          while clock.now < end { engine.advanceToNextItem() }
          engine.close()
        }
      }
      engine.close()
      queue.run()
      #expect(delivered.count == 0)
    }
  }
}
