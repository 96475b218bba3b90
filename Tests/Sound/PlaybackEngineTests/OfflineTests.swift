import AudioCore
import AudioOutput
import Clocks
import Dispatch
import MediaTime
import Synchronization
import TestSupport
import Testing

@testable import PlaybackEngine

#if canImport(Glibc)
  import Glibc
#endif

/// A file takes frames as fast as it gets them; its observers still get every step.
@Suite(.timeLimit(.minutes(10)))
struct OfflineTests {
  /// Plays to a file while the queues run their work only every so often; returns each observer's steps.
  private func play(
    _ intervals: [CMTime], seconds: Double, sampleRate: Int = 44_100, pause: Double
  ) -> (steps: [[Int64]], ended: Bool) {
    let path = "/dev/null"
    let clock = VirtualClock(runLimit: 1_000_000)
    let harness = EngineHarness(clock: clock, output: WAVOutput(path: path, clock: clock))
    harness.add(
      SyntheticMedia(number: 1, frames: Int64(seconds * Double(sampleRate)), sampleRate: sampleRate))
    let queues = intervals.map { _ in HeldQueue() }
    let logs = intervals.map { _ in Collected<Int64>() }
    for (index, interval) in intervals.enumerated() {
      let log = logs[index]
      _ = harness.engine.addPeriodicTimeObserver(forInterval: interval, queue: queues[index]) {
        if $0.timescale == interval.timescale { log.add($0.value) }
      }
    }
    harness.engine.setRate(1)
    for _ in 0..<2000 where harness.engine.currentItem != nil {
      harness.advance(pause)
      for queue in queues { queue.run() }
    }
    harness.advance(pause)
    for queue in queues { queue.run() }
    return (logs.map(\.all), harness.engine.currentItem == nil)
  }

  @Test(arguments: [0.001, 0.1])
  func aSlowObserverHoldsTheFileBackAndLosesNothing(_ pause: Double) {
    let (steps, ended) = play([CMTime(value: 1, timescale: 100)], seconds: 20, pause: pause)
    #expect(ended)
    #expect(steps == [Array(0..<2000)])
  }

  @Test(arguments: [true, false])
  func whatComesLittleByLittleIsWaitedForWithoutAStall(_ waits: Bool) {
    let clock = VirtualClock(runLimit: 1_000_000)
    let harness = EngineHarness(clock: clock, output: WAVOutput(path: "/dev/null", clock: clock))
    harness.engine.waitsToMinimizeStalling = waits
    let media = SlowMedia(SyntheticMedia(number: 1, frames: 220_500), tells: true)
    #expect(harness.engine.insert(ItemID.next(), source: media))
    _ = harness.observe()
    harness.engine.setRate(1)
    for _ in 0..<50 {
      media.receive(4410)
      harness.advance(1)
    }
    harness.playOut()
    #expect(harness.steps.count == 500)
    #expect(!harness.seen.contains(.stalled(-1)))
    #expect(!harness.seen.contains(.rate(0)))
  }

  @Test func resumptionWithALateObserverIsNoWait() {
    let clock = VirtualClock(runLimit: 1_000_000)
    let harness = EngineHarness(clock: clock, output: WAVOutput(path: "/dev/null", clock: clock))
    harness.add(frames: 441_000)
    let queue = HeldQueue()
    _ = harness.engine.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: queue) {
      _ in
    }
    harness.engine.setRate(1)
    harness.advance(1)
    harness.engine.suspend()
    harness.advance(1)
    harness.engine.resume()
    harness.advance(1)
    #expect(harness.engine.timeControl == .playing)
  }

  @Test func aFileCannotWaitForATimeButBeginsAtThePlace() {
    let clock = VirtualClock(runLimit: 1_000_000)
    let harness = EngineHarness(clock: clock, output: WAVOutput(path: "/dev/null", clock: clock))
    let id = harness.add(SyntheticMedia(number: 1, frames: 441_000))
    _ = harness.observe()
    harness.advance(1)
    harness.engine.setRate(
      1, atSeconds: 8, of: id, moment: clock.now.advanced(bySeconds: 60))
    harness.playOut()
    #expect(harness.steps.count == 200)
  }

  @Test func observersOfDifferentIntervalsAllGetEverything() {
    let intervals = [
      CMTime(value: 1, timescale: 100), CMTime(value: 1, timescale: 1), CMTime(value: 3, timescale: 1),
    ]
    let (steps, ended) = play(intervals, seconds: 20, pause: 0.01)
    #expect(ended)
    #expect(steps.map(\.count) == [2000, 20, 7])
  }

  @Test(arguments: [1, 2, 3, 384_000])
  func everySampleRateIsWritten(_ rate: Int) {
    let (steps, ended) = play([CMTime(value: 1, timescale: 1)], seconds: 5, sampleRate: rate, pause: 0.01)
    #expect(ended)
    #expect(steps == [Array(0..<5)])
  }

  /// The renderer signals before the stream has counted what it took; in virtual time that cannot be seen.
  @Test func realThreadsNeverHoldTheFileBackForEver() {
    for _ in 0..<5 {
      let steps = Collected<Int64>()
      let ended = DispatchSemaphore(value: 0)
      let seconds: Int64 = 60
      let engine = PlaybackEngine(
        clock: SystemClock.shared, device: WAVOutput(path: "/dev/null", clock: SystemClock.shared),
        mainQueue: ClockQueue(clock: SystemClock.shared))
      engine.start { notice in
        if case .currentItemChanged(nil) = notice { ended.signal() }
      }
      engine.insert(ItemID.next(), source: SyntheticMedia(number: 1, frames: seconds * 44_100))
      _ = engine.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: nil) {
        if $0.timescale == 100 { steps.add($0.value) }
      }
      engine.setRate(1)
      // Less than a second, and half a minute with the thread sanitizer on a busy machine.
      #expect(ended.wait(timeout: .now() + 120) == .success)
      #expect(steps.all == Array(0..<seconds * 100))
    }
  }
}
