import AudioCore
import AudioOutput
import Clocks
import MediaTime
import Synchronization
import TestSupport
import Testing

@testable import PlaybackEngine

/// Absurd arguments, media that break at the worst moment, queues that nobody serves.
@Suite(.timeLimit(.minutes(10)))
struct TroubleTests {
  static let absurd: [Double] = [
    .nan, .infinity, -.infinity, -1, -1e300, 1e300, 1e18, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
  ]

  // MARK: Absurd numbers

  @Test(arguments: absurd)
  func absurdPlacesAreTakenForTheNearestRealOne(_ seconds: Double) {
    for announced in [FrameCount.exact(20_000), .estimate(0), .estimate(90_000), .unknown] {
      for isOpen in [false, true] {
        let harness = EngineHarness()
        let first = harness.add(SyntheticMedia(number: 1, frames: 20_000, announced: announced))
        let second = harness.add(SyntheticMedia(number: 2, frames: 10_000), startSeconds: seconds)
        if isOpen { harness.advance(0.1) }
        harness.engine.setStart(seconds, of: second)
        harness.engine.setEnd(seconds > 1 ? seconds : nil, of: first)
        harness.seek(seconds)
        _ = harness.engine.currentTime
        _ = harness.observe()
        harness.engine.setRate(1)
        harness.advance(0.1)
        harness.seek(seconds)
        harness.playOut()
        #expect(
          harness.seen.filter { if case .ended = $0 { true } else { false } } == [.ended(1), .ended(2)])
      }
    }
  }

  @Test(arguments: absurd)
  func anAbsurdEndNeitherHangsNorCrashes(_ seconds: Double) {
    let harness = EngineHarness()
    let ids = harness.add(frames: 20_000, 10_000)
    harness.engine.setEnd(seconds, of: ids[0])
    harness.engine.setRate(1)
    harness.advance(0.1)
    harness.engine.setEnd(nil, of: ids[0])
    harness.engine.setEnd(seconds, of: ids[0])
    harness.playOut()
    #expect(harness.seen.contains(.ended(2)))
  }

  @Test func anAbsurdVolumeIsToldOnceAndIsReal() {
    let harness = EngineHarness()
    harness.add(frames: 44_100)
    harness.engine.setRate(1)
    harness.engine.volume = .nan
    harness.advance(0.5)
    harness.engine.volume = -3
    harness.advance(0.1)
    harness.engine.volume = .infinity
    harness.advance(0.1)
    let changes = harness.device.recording.volumeChanges
    #expect(changes.map(\.volume) == [0, 1])
  }

  @Test(arguments: [1, 2, 3, 7, 8000, 192_000, 384_000])
  func everySampleRatePlays(_ rate: Int) {
    let harness = EngineHarness()
    harness.add(SyntheticMedia(number: 1, frames: Int64(rate) * 2, sampleRate: rate))
    _ = harness.observe(CMTime(value: 1, timescale: 4))
    harness.engine.setRate(1)
    harness.playOut()
    #expect(harness.steps == Array(0..<8))
    #expect(harness.heard.count == rate * 2)
  }

  // MARK: Lengths that are guesses

  @Test func aSeekBeyondAnEstimateReachesWhatIsThere() {
    let harness = EngineHarness()
    harness.add(SyntheticMedia(number: 1, frames: 88_200, announced: .estimate(0)))
    harness.engine.setRate(1)
    harness.advance(0.1)
    harness.seek(1)
    harness.playOut()
    expectSame(Array(harness.heard.suffix(44_100)), EngineHarness.sound(1, 44_100..<88_200))
    #expect(harness.heard.count < 44_100 + 22_050)
  }

  @Test func aSeekBeyondTheTrueEndStandsAtTheTrueEnd() {
    let harness = EngineHarness()
    harness.add(SyntheticMedia(number: 1, frames: 44_100, announced: .estimate(90_000)))
    harness.advance(0.1)
    harness.seek(1.7)
    harness.advance(0.1)
    #expect(harness.engine.currentTime?.seconds == 1)
  }

  // MARK: Media that break

  @Test(arguments: [true, false])
  func anItemThatCannotSeekFails(_ isQueuePlayer: Bool) {
    let error = DecodingError(reason: .decodeFailed, message: "no seeking")
    let harness = EngineHarness(isQueuePlayer: isQueuePlayer)
    harness.add(SyntheticMedia(number: 1, frames: 441_000, seekError: error))
    if isQueuePlayer { harness.add(SyntheticMedia(number: 2, frames: 10_000)) }
    harness.engine.setRate(1)
    harness.advance(0.5)
    harness.seek(5)
    harness.advance(1)
    #expect(harness.seen.contains(.seek(false)))
    #expect(harness.seen.contains(.failed(1)))
    if isQueuePlayer {
      expectSame(Array(harness.heard.suffix(10_000)), EngineHarness.sound(2, 0..<10_000))
      #expect(harness.engine.currentItem == nil)
    } else {
      #expect(harness.engine.rate == 0 && harness.engine.currentItem != nil)
    }
  }

  @Test func anItemThatCannotBeConvertedIsSkipped() {
    let error = DecodingError(reason: .decodeFailed, message: "no such format")
    let harness = EngineHarness()
    harness.add(frames: 10_000)
    harness.add(SyntheticMedia(number: 7, frames: 10_000, formatError: error))
    harness.add(SyntheticMedia(number: 8, frames: 10_000))
    harness.engine.setRate(1)
    harness.playOut()
    #expect(harness.seen.contains(.failed(7)))
    expectSame(harness.heard, EngineHarness.sound(1, 0..<10_000) + EngineHarness.sound(8, 0..<10_000))
  }

  /// The device has taken three items ahead and cannot give them back when what follows is changed; the last of
  /// them must be opened again, but its file is gone.
  @Test func anItemThatVanishesBehindASpliceTakesNothingElseWithIt() {
    let harness = EngineHarness(
      .init {
        $0.blockFrames = 512
        $0.latency = 2
        $0.undroppable = 0.5
      })
    harness.add(frames: 20_000, 5000)
    harness.add(SyntheticMedia(number: 3, frames: 20_000, openings: Countdown(1)))
    let fourth = harness.add(SyntheticMedia(number: 4, frames: 44_100))
    harness.add(SyntheticMedia(number: 5, frames: 10_000))
    harness.engine.setRate(1)
    harness.advance(0.2)
    harness.engine.remove(fourth)
    harness.playOut()
    let kept = Int64(harness.heard.count) - 35_000
    #expect(kept > 0 && kept < 20_000)
    expectSame(
      harness.heard,
      EngineHarness.sound(1, 0..<20_000) + EngineHarness.sound(2, 0..<5000)
        + EngineHarness.sound(3, 0..<max(0, kept)) + EngineHarness.sound(5, 0..<10_000))
  }

  @Test func aDecoderThatIsUnusableStopsTheQueueAndLosesNothing() {
    let error = DecodingError(scope: .engine, reason: .unusable, message: "no memory")
    let harness = EngineHarness()
    harness.add(frames: 20_000)
    harness.add(SyntheticMedia(number: 7, frames: 20_000, openError: error))
    harness.add(SyntheticMedia(number: 8, frames: 20_000))
    harness.engine.setRate(1)
    harness.advance(5)
    #expect(harness.engine.rate == 0)
    #expect(!harness.heard.contains(EngineHarness.sound(8, 0..<1)[0]))
    #expect(harness.engine.items.count == 3 || harness.engine.items.count == 2)
    #expect(harness.seen.filter { $0 == .failed(7) }.count == 1)
  }

  @Test func aPlainPlayersBrokenItemCanBeTriedAgain() {
    let harness = EngineHarness(isQueuePlayer: false)
    let error = DecodingError(reason: .decodeFailed, message: "no seeking")
    harness.add(SyntheticMedia(number: 1, frames: 22_050, seekError: error))
    harness.engine.setRate(1)
    harness.advance(0.1)
    harness.seek(0.2)
    harness.advance(0.1)
    #expect(harness.engine.rate == 0 && harness.seen.contains(.failed(1)))
  }

  // MARK: Crowds

  /// More pieces than the timeline holds are with the device at once.
  @Test func thousandsOfItemsOfOneFrameNeitherSpinNorStop() {
    let harness = EngineHarness(
      .init {
        $0.blockFrames = 512
        $0.latency = 1
      }, clock: VirtualClock(runLimit: 100_000))
    for number in 0..<2000 { harness.add(SyntheticMedia(number: number, frames: 1)) }
    harness.engine.setRate(1)
    harness.playOut()
    #expect(harness.heard.count == 2000)
    #expect(harness.seen.filter { if case .ended = $0 { true } else { false } }.count == 2000)
  }

  @Test func itemsWithoutFramesEndOneAfterTheOther() {
    let harness = EngineHarness()
    for number in 0..<3000 { harness.add(SyntheticMedia(number: number, frames: 0)) }
    harness.add(SyntheticMedia(number: 5, frames: 1000))
    harness.engine.setRate(1)
    harness.playOut()
    #expect(harness.heard.count == 1000)
    #expect(harness.seen.filter { if case .ended = $0 { true } else { false } }.count == 3001)
  }

  @Test func queuesOfRemovedObserversAreLetGo() {
    let harness = EngineHarness()
    harness.add(frames: 44_100)
    weak var last: HeldQueue?
    for _ in 0..<100 {
      let queue = HeldQueue()
      last = queue
      let id = harness.observe(on: queue)
      #expect(harness.engine.removeTimeObserver(id))
    }
    #expect(last == nil)
  }

  // MARK: Time

  @Test func timeNeverRunsBackBehindAnEndThatChangesNothing() {
    let harness = EngineHarness()
    harness.add(frames: 22_050)
    harness.engine.actionAtItemEnd = .none
    harness.engine.setRate(1)
    harness.advance(1.5)
    let ended = harness.engine.currentTime?.seconds ?? 0
    #expect(abs(ended - 1.5) < 0.01)
    harness.engine.setRate(0)
    let paused = harness.engine.currentTime?.seconds ?? 0
    #expect(abs(paused - ended) < 0.001)
    harness.advance(3)
    #expect(harness.engine.currentTime?.seconds == paused)
    harness.engine.setRate(1)
    #expect(abs((harness.engine.currentTime?.seconds ?? 0) - paused) < 0.001)
    harness.advance(1)
    #expect(abs((harness.engine.currentTime?.seconds ?? 0) - paused - 1) < 0.001)
    harness.engine.suspend()
    harness.advance(10)
    #expect(abs((harness.engine.currentTime?.seconds ?? 0) - paused - 1) < 0.001)
    harness.engine.resume()
    harness.advance(1)
    #expect(abs((harness.engine.currentTime?.seconds ?? 0) - paused - 2) < 0.001)
  }

  /// Whether a stopped device takes frames is its own affair; what an application sees must not depend on it.
  @Test(arguments: QueuePlaybackTests.living)
  func aSeekToTheEndWhilePausedEndsNothingUntilItPlays(_ name: String) {
    let harness = EngineHarness(QueuePlaybackTests.personality(name))
    harness.add(frames: 44_100, 10_000)
    harness.engine.setRate(1)
    harness.advance(0.6)
    harness.engine.setRate(0)
    harness.advance(0.2)
    harness.seek(1)
    harness.advance(1)
    #expect(!harness.seen.contains(.ended(1)))
    harness.engine.setRate(1)
    harness.playOut()
    #expect(harness.seen.contains(.ended(1)) && harness.seen.contains(.ended(2)))
  }

  @Test func nothingWakesWhileSuspendedInTheMiddleOfASeek() {
    let harness = EngineHarness(.init { $0.undroppable = 0.05 })
    harness.add(frames: 441_000)
    _ = harness.observe()
    harness.engine.setRate(1)
    harness.advance(1)
    harness.seek(5)
    harness.advance(0.01)
    harness.engine.suspend()
    harness.advance(1)
    #expect(harness.clock.nextDeadline.map { $0.seconds(since: harness.clock.now) > 1 } ?? true)
    harness.engine.resume()
    harness.playOut()
    #expect(!harness.seen.contains(.stalled(1)))
  }

  // MARK: Formats and ends

  @Test func afterASpliceAnItemOfAnotherRateStillGetsAStreamOfItsOwn() {
    let harness = EngineHarness()
    let ids = harness.add(frames: 20_000, 20_000)
    harness.engine.setRate(1)
    harness.advance(0.2)
    harness.add(SyntheticMedia(number: 7, frames: 10_000), after: ids[0])
    harness.playOut()
    harness.engine.setRate(0)
    harness.add(SyntheticMedia(number: 8, frames: 48_000, sampleRate: 48_000))
    harness.advance(0.1)
    harness.engine.setRate(1)
    harness.playOut()
    #expect(harness.device.recording.runs.last?.format.sampleRate == 48_000)
  }

  @Test func nothingIsDeliveredAfterClosing() {
    let harness = EngineHarness()
    harness.add(frames: 44_100)
    _ = harness.observe()
    harness.engine.setRate(1)
    harness.advance(0.2)
    harness.engine.setRate(0)
    harness.engine.close()
    let count = harness.seen.count
    harness.engine.setRate(1)
    harness.engine.seek(toSeconds: 0.5)
    harness.add(frames: 10)
    harness.advance(1)
    #expect(harness.seen.count == count)
    harness.engine.close()
  }

  @Test func aDeviceThatDiesAsSoonAsItOpensIsNotTriedWithoutEnd() {
    let device = ManualDevice()
    let harness = EngineHarness(output: device)
    harness.add(frames: 441_000)
    harness.engine.setRate(1)
    for _ in 0..<600 {
      harness.advance(0.1)
      guard let stream = device.streams.last, !stream.calls.contains(.close) else { continue }
      stream.send(.opened(route: "bad"))
      stream.send(.failed(OutputError("kicked out", isRecoverable: true), heardFrame: 0))
    }
    #expect(device.streams.count <= 20)
  }

  // MARK: Interleavings

  /// An engine that plays items of these lengths on a device that does what the test says; its stream is not open yet.
  private func playingByHand(frames: Int64...) -> (EngineHarness, ManualStream) {
    let device = ManualDevice()
    let harness = EngineHarness(output: device)
    for frames in frames { harness.add(frames: frames) }
    harness.engine.setRate(1)
    harness.advance(0.1)
    return (harness, device.streams[0])
  }

  /// A seek comes between the moment when a stream opens and the conductor's next look.
  @Test func aStreamThatOpensDuringASeekGetsNothingOld() {
    let (harness, stream) = playingByHand(frames: 441_000)
    harness.engine.seek(toSeconds: 5)
    stream.send(.opened(route: "manual"))
    #expect(stream.render(1000).isEmpty)
    harness.advance(0.1)
    stream.answerFlush(firstDropped: 0)
    harness.advance(0.1)
    #expect(stream.render(1000) == EngineHarness.sound(1, 220_500..<221_500))
  }

  /// The device takes more in the very moment in which the conductor finds that it has not.
  @Test func aFlushThatIsOutdatedChangesNothing() {
    let (harness, stream) = playingByHand(frames: 441_000)
    stream.send(.opened(route: "manual"))
    stream.render(1000)
    harness.engine.seek(toSeconds: 5)
    harness.advance(0.01)
    harness.engine.seek(toSeconds: 6)
    stream.answerFlush(firstDropped: 0)
    harness.advance(0.01)
    #expect(stream.render(1000).isEmpty)
    stream.answerFlush(firstDropped: 1000)
    harness.advance(0.01)
    #expect(stream.render(1000) == EngineHarness.sound(1, 264_600..<265_600))
  }

  @Test func aReaderOfTheTimeNeverSeesItGoBackWhenTheDeviceCorrectsItself() {
    let (harness, stream) = playingByHand(frames: 441_000)
    stream.send(.opened(route: "manual"))
    stream.render(8192)
    stream.hear(0, at: harness.clock.now, rate: 44_100)
    harness.advance(0.05)
    let before = harness.engine.currentTime?.seconds ?? 0
    #expect(abs(before - 0.05) < 0.001)
    stream.hear(1102, at: harness.clock.now, rate: 44_100)
    #expect(harness.engine.currentTime?.seconds ?? 0 >= before)
    harness.advance(0.01)
    #expect(harness.engine.currentTime?.seconds ?? 0 >= before)
  }

  @Test func anObserverAddedAtASeamGetsAllStepsOfTheNewItem() {
    let (harness, stream) = playingByHand(frames: 4410, 44_100)
    stream.send(.opened(route: "manual"))
    stream.render(8192)
    stream.hear(0, at: harness.clock.now, rate: 44_100)
    harness.advance(0.099)
    // The seam is heard, and nobody has looked yet.
    stream.hear(4500, at: harness.clock.now)
    _ = harness.observe()
    harness.advance(0.1)
    stream.hear(6000, at: harness.clock.now)
    harness.advance(0.1)
    #expect(harness.steps == [0, 1, 2, 3])
  }
}
