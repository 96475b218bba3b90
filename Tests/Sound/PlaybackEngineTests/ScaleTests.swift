import AudioCore
import AudioOutput
import Clocks
import Glibc
import MediaTime
import Synchronization
import Testing

@testable import PlaybackEngine

/// Many items cost what few cost.
@Suite(.timeLimit(.minutes(10)))
struct ScaleTests {
  /// Resident memory in bytes, by pages, without those of files: how many of these are there is up to the system's cache.
  /// Says something in a process of its own only: other tests allocate, too.
  private static var resident: Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let pages = text.split(separator: " ").compactMap { Int($0) }
    return pages.count > 2 ? (pages[1] - pages[2]) * 4096 : 0
  }

  /// An engine that plays, without anything around it that could grow.
  private struct Bare {
    let clock = VirtualClock()
    let queue = HeldQueue()
    let engine: PlaybackEngine

    init() {
      let device = SimulatedOutput(clock: clock, recordsSound: false)
      engine = PlaybackEngine(clock: clock, device: device, mainQueue: queue)
      engine.start { _ in }
      engine.setRate(1)
    }

    func advance(_ seconds: Double) {
      clock.advance(bySeconds: seconds)
      queue.run()
    }

    /// Plays `count` short items one after the other; each is added when the one before the last begins.
    func play(_ count: Int) {
      for _ in 0..<count {
        engine.insert(ItemID.next(), source: SyntheticMedia(number: 1, frames: 4410))
        while engine.read({ $0.queue.count }) > 3 { advance(0.05) }
      }
    }

    /// Adds and removes `count` observers, each on a queue of its own.
    func observe(_ count: Int) {
      for _ in 0..<count {
        let queue = HeldQueue()
        let id = engine.addPeriodicTimeObserver(forInterval: .init(value: 1, timescale: 100), queue: queue) {
          _ in
        }
        advance(0.025)
        _ = engine.removeTimeObserver(id)
      }
    }
  }

  /// Not inside the exit test's closure: what an asynchronous function allocates goes with its end only.
  private static func growth(_ prepare: (Bare) -> Void, _ work: (Bare, Int) -> Void) -> Int {
    let bare = Bare()
    prepare(bare)
    // Asking is what costs most: 270 KB of pages of the standard library, once.
    _ = resident
    work(bare, 500)
    let before = resident
    work(bare, 1000)
    return isSanitized ? 0 : resident - before
  }

  /// Whether the thread sanitizer is in this process: its own memory grows with everything that happens.
  private static var isSanitized: Bool { dlsym(nil, "__tsan_acquire") != nil }

  /// In bytes. A queue node or a decoder that is forgotten a thousand times makes 100 KB and more; a heap that is of another
  /// size by chance, 64 KiB.
  fileprivate static let allowedGrowth = 80_000

  @Test func aThousandItemsLeaveNothingBehind() async {
    await #expect(processExitsWith: .success) {
      let growth = ScaleTests.growth {
        _ = $0.engine.addPeriodicTimeObserver(forInterval: .init(value: 1, timescale: 100), queue: nil) { _ in
        }
      } _: {
        $0.play($1)
      }
      guard growth < ScaleTests.allowedGrowth else { fatalError("\(growth) bytes more after 1000 items") }
      let live = SyntheticDecoder.live.load(ordering: .relaxed)
      guard live <= 1 else { fatalError("\(live) decoders are left") }
    }
  }

  @Test func observersThatComeAndGoLeaveNothingBehind() async {
    await #expect(processExitsWith: .success) {
      let growth = ScaleTests.growth {
        _ = $0.engine.insert(ItemID.next(), source: SyntheticMedia(number: 1, frames: 44_100_000))
      } _: {
        $0.observe($1)
      }
      guard growth < ScaleTests.allowedGrowth else { fatalError("\(growth) bytes more after 1000 observers") }
    }
  }

  /// Opens, steps and notices are counted and must be the same; what it costs is printed, for a person to look at.
  @Test func aQueueOfAHundredThousandWorksLikeOneOfAHundred() {
    var counts: [String] = []
    for size in [100, 100_000] {
      let harness = EngineHarness(recordsSound: false)
      let census = Countdown(.max)
      var last: [ItemID] = []
      func add(after: ItemID? = nil) {
        let media = SyntheticMedia(number: 1, frames: 44_100, openings: census)
        last.append(harness.add(media, after: after))
      }
      for _ in 0..<size { add() }
      _ = harness.observe()
      harness.engine.setRate(1)
      harness.advance(0.5)
      let clock = ContinuousClock()
      var spent = Duration.zero
      for _ in 0..<50 {
        spent += clock.measure {
          add(after: harness.engine.currentItem)
          harness.engine.remove(last[last.count - 1])
          harness.engine.advanceToNextItem()
          harness.engine.seek(toSeconds: 0.2)
        }
        spent += clock.measure { harness.advance(0.3) }
      }
      #expect(harness.engine.read { $0.queue.count } == size - 50)
      counts.append("\(harness.seen.count) notices and steps, \(Int.max - census.count) openings")
      print("\(size) items: \(spent / 50) for an insertion, a removal, a skip, a seek and 0.3 s of playing")
    }
    #expect(counts[0] == counts[1])
  }
}
