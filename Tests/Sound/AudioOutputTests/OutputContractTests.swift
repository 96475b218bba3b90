import AudioCore
import AudioOutput
import Clocks
import Foundation
import Synchronization
import Testing

/// What every output keeps to, whatever else is wrong with it.
@Suite(.timeLimit(.minutes(10)))
struct OutputContractTests {
  private let threeSeconds: Int64 = 3 * 44_100

  @Test(arguments: OutputSubject.all)
  func openedOrFailedComesFirstAndFailedLast(_ subject: OutputSubject) throws {
    let probe = OutputProbe(subject)
    for _ in 0..<4 {
      let before = probe.log.count
      let stream = probe.makeStream(NumberedSource(available: threeSeconds))
      stream.start()
      #expect(probe.log.count == before, "an event before makeStream returned to the clock")
      probe.clock.advance(bySeconds: 2)
      stream.close()
      let events = probe.log.dropFirst(before)
      let first = try #require(events.first)
      switch first {
      case .opened: break
      case .failed: #expect(events.count == 1)
      default: Issue.record("\(first) came first")
      }
      #expect(events.count { if case .opened = $0 { true } else { false } } <= 1)
      if let failed = events.firstIndex(where: { if case .failed = $0 { true } else { false } }) {
        #expect(failed == events.index(before: events.endIndex))
      }
    }
  }

  @Test(arguments: OutputSubject.immortal)
  func framesAreTakenInOrderAndHeardOnce(_ subject: OutputSubject) throws {
    let probe = OutputProbe(subject)
    let source = NumberedSource(available: threeSeconds)
    let stream = try #require(probe.open(source))
    stream.start()
    probe.clock.advance(bySeconds: 10)
    #expect(source.now.wrongNumbers == 0)
    #expect(source.now.rendered == threeSeconds)
    #expect(stream.timing().renderedFrames == threeSeconds)
    #expect(stream.timing().heardFrame == Double(threeSeconds))
    stream.close()
    #expect(areIdentical(try probe.heardSamples(), NumberedSource.samples(0..<threeSeconds)))
    // Nothing polls: at the end the source was asked a few times, not all the time.
    let calls = source.now.calls
    probe.clock.advance(bySeconds: 10)
    #expect(source.now.calls == calls)
  }

  @Test(arguments: OutputSubject.all)
  func timingIsMonotonicAndNeverPastWhatWasRendered(_ subject: OutputSubject) throws {
    let probe = OutputProbe(subject)
    let source = NumberedSource(available: threeSeconds / 2, isAtEnd: false)
    let stream = try #require(probe.open(source))
    stream.start()
    var last = stream.timing()
    var changes = probe.timingChanges
    for step in 0..<1500 {
      switch step {
      case 500:
        source.give(threeSeconds / 2, isAtEnd: true)
        stream.dataAvailable()
      case 700: stream.stop()
      case 800: stream.start()
      default: break
      }
      probe.clock.advance(bySeconds: 0.0037)
      let timing = stream.timing()
      #expect(timing.heardFrame >= last.heardFrame)
      #expect(timing.heardFrame <= Double(timing.renderedFrames))
      #expect(timing.renderedFrames <= source.now.rendered)
      #expect(timing.hostTime <= probe.clock.now)
      #expect(timing.frameRate >= 0)
      if case .failed = probe.log.last { break }
      // Without a word the line goes on as it was.
      let predicted = last.heardFrame(at: timing.hostTime)
      if changes == probe.timingChanges, predicted < Double(last.renderedFrames) {
        let step = Double(subject.personality?.timingStepFrames ?? 0)
        #expect(abs(predicted - timing.heardFrame) <= step + 0.01)
      }
      changes = probe.timingChanges
      last = timing
    }
  }

  @Test(arguments: OutputSubject.immortal)
  func stoppingAndRunningEmptyLoseNothing(_ subject: OutputSubject) throws {
    let probe = OutputProbe(subject)
    let source = NumberedSource(available: 0, isAtEnd: false)
    let stream = try #require(probe.open(source))
    var random = UInt64(7)
    func next(_ limit: UInt64) -> UInt64 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (random >> 33) % limit
    }
    for _ in 0..<120 {
      switch next(3) {
      case 0: stream.start()
      case 1:
        stream.stop()
        probe.clock.runUntilIdle()
        let stopped = stream.timing()
        probe.clock.advance(bySeconds: Double(next(100)) / 1000)
        #expect(stream.timing().heardFrame == stopped.heardFrame)
        #expect(stream.timing().frameRate == 0)
      default:
        source.give(Int64(next(8000)))
        stream.dataAvailable()
      }
      probe.clock.advance(bySeconds: Double(next(100)) / 1000)
    }
    source.give(1000, isAtEnd: true)
    stream.dataAvailable()
    stream.start()
    probe.clock.advance(bySeconds: 20)
    let total = source.now.available
    #expect(source.now.wrongNumbers == 0)
    #expect(stream.timing().heardFrame == Double(total))
    stream.close()
    #expect(areIdentical(try probe.heardSamples(), NumberedSource.samples(0..<total)))
  }

  @Test(arguments: OutputSubject.immortal)
  func aSourceWithoutFramesIsNotPolled(_ subject: OutputSubject) throws {
    let probe = OutputProbe(subject)
    let source = NumberedSource(available: 20_000, isAtEnd: false)
    let stream = try #require(probe.open(source))
    stream.start()
    probe.clock.advance(bySeconds: 3)
    let calls = source.now.calls
    probe.clock.advance(bySeconds: 10)
    #expect(source.now.calls == calls)
    stream.dataAvailable()
    probe.clock.advance(bySeconds: 10)
    #expect(source.now.calls <= calls + 1)
    stream.close()
  }

  @Test(arguments: OutputSubject.immortal, [true, false])
  func flushDropsWhatIsNotHeard(_ subject: OutputSubject, isStopped: Bool) throws {
    let probe = OutputProbe(subject)
    let source = NumberedSource(available: 8 * 44_100)
    let stream = try #require(probe.open(source))
    stream.start()
    probe.clock.advance(bySeconds: 2.5)
    if isStopped { stream.stop() }
    probe.clock.runUntilIdle()
    let before = stream.timing()
    let rendered = source.now.rendered
    let flushes = Mutex<[(first: Int64, renderedThen: Int64)]>([])
    stream.flush { first in
      flushes.withLock { $0.append((first, source.now.rendered)) }
    }
    probe.clock.runUntilIdle()
    let flush = try #require(flushes.withLock { $0.count == 1 ? $0.first : nil })
    #expect(flush.renderedThen == rendered, "frames were rendered before the completion")
    #expect(Double(flush.first) >= before.heardFrame)
    #expect(flush.first <= rendered)
    let after = stream.timing()
    #expect(after.heardFrame >= Double(rendered))
    if isStopped {
      probe.clock.advance(bySeconds: 1)
      #expect(stream.timing().frameRate == 0)
      #expect(stream.timing().heardFrame == Double(rendered))
      stream.start()
    }
    probe.clock.advance(bySeconds: 60)
    stream.close()
    #expect(source.now.wrongNumbers == 0)
    let expected =
      NumberedSource.samples(0..<flush.first) + NumberedSource.samples(rendered..<source.now.available)
    #expect(areIdentical(try probe.heardSamples(), expected))
  }

  @Test(arguments: OutputSubject.immortal)
  func flushesInARowAndOnEmptyStreams(_ subject: OutputSubject) throws {
    let probe = OutputProbe(subject)
    let source = NumberedSource(available: threeSeconds)
    let stream = probe.makeStream(source)
    let firsts = Mutex<[Int64]>([])
    stream.flush { first in firsts.withLock { $0.append(first) } }
    stream.flush { first in firsts.withLock { $0.append(first) } }
    probe.clock.advance(bySeconds: 1)
    if case .opened = probe.log.first {
      #expect(firsts.withLock { $0 } == [0, 0])
    } else {
      #expect(firsts.withLock { $0.isEmpty })
    }
    stream.close()
  }

  @Test(arguments: OutputSubject.all)
  func nothingComesAfterClose(_ subject: OutputSubject) throws {
    for moment in stride(from: 0.0, to: 1.5, by: 0.13) {
      let probe = OutputProbe(subject)
      let source = NumberedSource(available: threeSeconds)
      let stream = probe.makeStream(source)
      stream.start()
      if moment > 0 { probe.clock.advance(bySeconds: moment) }
      let flushed = Atomic(false)
      stream.flush { _ in flushed.store(true, ordering: .relaxed) }
      stream.close()
      let events = probe.log.count
      let calls = source.now.calls
      let timing = stream.timing()
      stream.close()
      stream.start()
      stream.dataAvailable()
      stream.setVolume(0.5, muted: false)
      stream.flush { _ in flushed.store(true, ordering: .relaxed) }
      probe.clock.advance(bySeconds: 5)
      #expect(probe.log.count == events)
      #expect(source.now.calls == calls)
      #expect(flushed.load(ordering: .relaxed) as Bool == false)
      #expect(stream.timing().heardFrame == timing.heardFrame)
      #expect(stream.timing().frameRate == 0)
    }
  }

  @Test(arguments: OutputSubject.all)
  func nothingSoundsBeforeStart(_ subject: OutputSubject) throws {
    let probe = OutputProbe(subject)
    let source = NumberedSource(available: threeSeconds)
    let stream = try #require(probe.open(source))
    probe.clock.advance(bySeconds: 0.5)
    #expect(stream.timing().heardFrame == 0)
    #expect(stream.timing().frameRate == 0)
    stream.close()
    #expect(try probe.heardSamples().isEmpty)
  }

  @Test(arguments: OutputSubject.all)
  func closedStreamsLeaveNothingBehind(_ subject: OutputSubject) {
    weak var source: NumberedSource?
    let probe = OutputProbe(subject)
    do {
      let strong = NumberedSource(available: threeSeconds)
      source = strong
      let stream = probe.makeStream(strong)
      stream.start()
      probe.clock.advance(bySeconds: 1)
      stream.close()
    }
    #expect(source == nil)
    #expect(probe.clock.nextDeadline == nil)
  }
}
