import AudioCore
import AudioOutput
import Clocks
import Foundation
import Synchronization
import Testing

/// What a listener of a simulated device hears, to the frame and the microsecond.
@Suite(.timeLimit(.minutes(10)))
struct SimulatedOutputTests {
  private let rate = 44_100.0

  private func probe(_ change: (inout SimulatedOutput.Personality) -> Void = { _ in }) -> OutputProbe {
    OutputProbe(OutputSubject(name: "test", kind: .simulated(SimulatedOutput.Personality(change))))
  }

  private func runs(_ probe: OutputProbe) throws -> [SimulatedOutput.Recording.Run] {
    try #require(probe.device as? SimulatedOutput).recording.runs
  }

  private func near(_ time: HostTime, _ seconds: Double) -> Bool {
    abs(time.seconds - seconds) < 1e-6
  }

  @Test func theIdealDeviceIsExact() throws {
    let probe = probe()
    let source = NumberedSource(available: 44_100)
    probe.clock.advance(bySeconds: 1)
    let stream = probe.makeStream(source)
    stream.start()
    probe.clock.runUntilIdle()
    #expect(probe.log == [.opened(route: "simulated"), .timingChanged])
    // 100 ms in blocks of 1024 frames.
    #expect(source.now.rendered == 4096)
    for step in 1...9 {
      probe.clock.advance(bySeconds: 0.1)
      let timing = stream.timing()
      #expect(abs(timing.heardFrame - Double(step) * 4410) < 0.001)
      #expect(timing.frameRate == rate)
      #expect(timing.hostTime == probe.clock.now)
    }
    probe.clock.advance(bySeconds: 1)
    #expect(stream.timing().frameRate == 0)
    let changed = try #require(probe.datedLog.last)
    #expect(changed.event == .timingChanged)
    #expect(near(changed.time, 2))
    let run = try #require(try runs(probe).first)
    #expect(try runs(probe).count == 1)
    #expect(near(run.start, 1))
    #expect(near(run.end, 2))
    #expect(run.frameCount == 44_100)
  }

  @Test func theRecordIsUpToDateAtEveryMoment() throws {
    let probe = probe()
    let stream = try #require(probe.open(NumberedSource(available: 44_100)))
    stream.start()
    probe.clock.runUntilIdle()
    probe.clock.advance(bySeconds: 0.0501)
    // The frame that has begun to leave counts as heard.
    #expect(try runs(probe).map(\.frameCount) == [2210])
  }

  @Test func aStoppedDeviceIsAGapInTime() throws {
    let probe = probe()
    let stream = try #require(probe.open(NumberedSource(available: 44_100)))
    stream.start()
    probe.clock.advance(bySeconds: 0.25)
    stream.stop()
    probe.clock.advance(bySeconds: 0.5)
    stream.start()
    probe.clock.advance(bySeconds: 2)
    let runs = try runs(probe)
    try #require(runs.count == 2)
    #expect(near(runs[0].start, 0))
    #expect(runs[0].frameCount == 11_025)
    #expect(runs[1].firstFrame == 11_025)
    #expect(near(runs[1].start, 0.75))
    #expect(near(runs[1].end, 1.5))
  }

  @Test func anEmptyDeviceStandsStillAndGoesOn() throws {
    let probe = probe()
    let source = NumberedSource(available: 4410, isAtEnd: false)
    let stream = try #require(probe.open(source))
    stream.start()
    probe.clock.advance(bySeconds: 1)
    #expect(stream.timing().heardFrame == 4410)
    #expect(stream.timing().frameRate == 0)
    source.give(4410, isAtEnd: true)
    probe.clock.advance(bySeconds: 1)
    #expect(source.now.rendered == 4410)
    stream.dataAvailable()
    probe.clock.advance(bySeconds: 1)
    let runs = try runs(probe)
    try #require(runs.count == 2)
    #expect(near(runs[1].start, 2))
    #expect(near(runs[1].end, 2.1))
    #expect(probe.timingChanges == 4)
  }

  @Test func framesThatComeInTimeLeaveNoGap() throws {
    let probe = probe()
    let source = NumberedSource(available: 0, isAtEnd: false)
    let stream = try #require(probe.open(source))
    stream.start()
    for _ in 0..<100 {
      source.give(441)
      stream.dataAvailable()
      probe.clock.advance(bySeconds: 0.01)
    }
    #expect(try runs(probe).map(\.frameCount) == [44_100])
  }

  @Test func startDelayIsSilence() throws {
    let probe = probe { $0.startDelay = 0.08 }
    let stream = try #require(probe.open(NumberedSource(available: 4410)))
    stream.start()
    probe.clock.advance(bySeconds: 0.05)
    #expect(stream.timing().frameRate == 0)
    probe.clock.advance(bySeconds: 1)
    #expect(near(try #require(try runs(probe).first).start, 0.08))
  }

  @Test func aStopWithinTheStartDelayStartsItAnew() throws {
    let probe = probe { $0.startDelay = 0.08 }
    let stream = try #require(probe.open(NumberedSource(available: 4410)))
    stream.start()
    probe.clock.advance(bySeconds: 0.05)
    stream.stop()
    probe.clock.advance(bySeconds: 1)
    #expect(try runs(probe).isEmpty)
    stream.start()
    probe.clock.advance(bySeconds: 1)
    #expect(near(try #require(try runs(probe).first).start, 1.13))
  }

  @Test func driftIsInRateAndTime() throws {
    let probe = probe { $0.clockDrift = 0.001 }
    let stream = try #require(probe.open(NumberedSource(available: 44_100)))
    stream.start()
    probe.clock.advance(bySeconds: 0.5)
    #expect(abs(stream.timing().frameRate - 44_144.1) < 1e-6)
    #expect(abs(stream.timing().heardFrame - 22_072.05) < 0.01)
    probe.clock.advance(bySeconds: 1)
    #expect(near(try #require(try runs(probe).first).end, 1 / 1.001))
  }

  @Test func tooFewFramesWaitForMoreOrTheEnd() throws {
    let probe = probe { $0.prebufferFrames = 2000 }
    let source = NumberedSource(available: 1500, isAtEnd: false)
    let stream = try #require(probe.open(source))
    stream.start()
    probe.clock.advance(bySeconds: 1)
    #expect(stream.timing().heardFrame == 0)
    source.give(1000)
    stream.dataAvailable()
    probe.clock.advance(bySeconds: 1)
    #expect(stream.timing().heardFrame == 2500)
    source.give(300)
    stream.dataAvailable()
    probe.clock.advance(bySeconds: 1)
    #expect(stream.timing().heardFrame == 2500)
    source.give(0, isAtEnd: true)
    stream.dataAvailable()
    probe.clock.advance(bySeconds: 1)
    #expect(stream.timing().heardFrame == 2800)
    #expect(try runs(probe).map(\.frameCount) == [2500, 300])
  }

  @Test func whatAFlushCannotTakeBackIsHeardFirst() throws {
    let probe = probe { $0.undroppable = 0.05 }
    let source = NumberedSource(available: 44_100)
    let stream = try #require(probe.open(source))
    stream.start()
    probe.clock.advance(bySeconds: 0.5)
    let dropped = Mutex<Int64>(-1)
    stream.flush { frame in dropped.withLock { $0 = frame } }
    probe.clock.runUntilIdle()
    #expect(dropped.withLock { $0 } == 22_050 + 2205)
    let rendered = stream.timing().renderedFrames
    probe.clock.advance(bySeconds: 0.04)
    #expect(stream.timing().frameRate == 0)
    probe.clock.advance(bySeconds: 2)
    let runs = try runs(probe)
    try #require(runs.count == 2)
    #expect(near(runs[0].end, 0.55))
    #expect(near(runs[1].start, 0.55))
    #expect(runs[1].firstFrame < rendered)
  }

  @Test func anEndThatIsNotAcknowledged() throws {
    let probe = probe { $0.acknowledgesEnd = false }
    let source = NumberedSource(available: 4410)
    let stream = try #require(probe.open(source))
    stream.start()
    probe.clock.advance(bySeconds: 5)
    #expect(stream.timing().frameRate == rate)
    #expect(stream.timing().heardFrame == 4410)
    #expect(probe.timingChanges == 1)
    source.give(4410, isAtEnd: true)
    stream.dataAvailable()
    probe.clock.advance(bySeconds: 0.05)
    #expect(abs(stream.timing().heardFrame - 4410 - 2205) < 0.01)
    stream.stop()
    probe.clock.runUntilIdle()
    #expect(stream.timing().frameRate == 0)
  }

  @Test func coarseTimingLagsByAStepAtMost() throws {
    let probe = probe { $0.timingStepFrames = 1024 }
    let stream = try #require(probe.open(NumberedSource(available: 44_100)))
    stream.start()
    probe.clock.runUntilIdle()
    for step in 1...90 {
      probe.clock.advance(bySeconds: 0.01)
      let lag = Double(step) * 441 - stream.timing().heardFrame
      #expect((-0.001..<1024).contains(lag))
      #expect(stream.timing().heardFrame.truncatingRemainder(dividingBy: 1024) == 0)
    }
  }

  @Test func lateTimingComesOnItsGrid() throws {
    let probe = probe { $0.timingInterval = 0.1 }
    probe.clock.advance(bySeconds: 0.05)
    let stream = try #require(probe.open(NumberedSource(available: 13_230)))
    probe.clock.advance(bySeconds: 0.23)
    stream.start()
    probe.clock.advance(bySeconds: 0.05)
    #expect(stream.timing().frameRate == 0)
    #expect(stream.timing().heardFrame == 0)
    probe.clock.advance(bySeconds: 1)
    // Opened at 0.05; heard from 0.28 to 0.58; told at 0.35 and 0.65.
    let changes = probe.datedLog.filter { $0.event == .timingChanged }.map(\.time.seconds)
    try #require(changes.count == 2)
    #expect(abs(changes[0] - 0.35) < 1e-6)
    #expect(abs(changes[1] - 0.65) < 1e-6)
    #expect(stream.timing().heardFrame == 13_230)
  }

  @Test func anEarlyNoticeMeansNothing() throws {
    let probe = probe { $0.earlyNotice = 0.05 }
    let stream = try #require(probe.open(NumberedSource(available: 22_050)))
    stream.start()
    probe.clock.advance(bySeconds: 2)
    let changes = probe.datedLog.filter { $0.event == .timingChanged }.map(\.time.seconds)
    try #require(changes.count == 3)
    #expect(abs(changes[1] - 0.45) < 1e-6)
    #expect(abs(changes[2] - 0.5) < 1e-6)
  }

  @Test func connectionsThatFail() throws {
    let probe = probe {
      $0.failingConnections = 1
      $0.connectDelay = 0.5
      $0.connectionError = OutputError("no", isRecoverable: false)
    }
    let first = probe.makeStream(NumberedSource(available: 10))
    probe.clock.advance(bySeconds: 0.49)
    #expect(probe.log.isEmpty)
    probe.clock.advance(bySeconds: 0.02)
    #expect(probe.log == [.failed(OutputError("no", isRecoverable: false), heardFrame: 0)])
    first.close()
    let second = probe.makeStream(NumberedSource(available: 10))
    probe.clock.advance(bySeconds: 1)
    #expect(probe.log.last == .opened(route: "simulated"))
    second.close()
  }

  @Test func deathAndRevival() throws {
    let probe = probe {
      $0.death = 0.7
      $0.revival = 2
    }
    let source = NumberedSource(available: 88_200)
    let stream = try #require(probe.open(source))
    stream.start()
    probe.clock.advance(bySeconds: 1)
    guard case .failed(let error, let heard) = probe.log.last else {
      Issue.record("no failure")
      return
    }
    #expect(error.isRecoverable)
    #expect(heard == 30_870)
    #expect(stream.timing().heardFrame.rounded() == 30_870)
    #expect(stream.timing().frameRate == 0)
    #expect(try runs(probe).map(\.frameCount) == [30_870])
    let vain = probe.makeStream(source)
    probe.clock.runUntilIdle()
    guard case .failed(_, heardFrame: 0) = probe.log.last else {
      Issue.record("opened while dead")
      return
    }
    probe.clock.advance(bySeconds: 1)
    let next = probe.makeStream(NumberedSource(available: 4410))
    next.start()
    probe.clock.advance(bySeconds: 1)
    let last = try #require(try runs(probe).last)
    #expect(last.stream == 2)
    #expect(near(last.start, 2))
    for stream in [stream, vain, next] { stream.close() }
  }

  @Test func suspensionIsAGap() throws {
    let probe = probe { $0.suspension = 0.5..<1.5 }
    let stream = try #require(probe.open(NumberedSource(available: 44_100)))
    stream.start()
    probe.clock.advance(bySeconds: 5)
    #expect(probe.log.contains(.suspended(true)))
    #expect(probe.log.contains(.suspended(false)))
    let runs = try runs(probe)
    try #require(runs.count == 2)
    #expect(near(runs[0].end, 0.5))
    #expect(near(runs[1].start, 1.5))
    #expect(runs[1].frameCount == 22_050)
  }

  @Test func movesAreTold() throws {
    let probe = probe { $0.move = 0.5 }
    let stream = try #require(probe.open(NumberedSource(available: 44_100)))
    stream.start()
    probe.clock.advance(bySeconds: 2)
    #expect(probe.log.contains(.moved(route: "simulated.2")))
    #expect(try runs(probe).map(\.frameCount) == [44_100])
  }

  @Test func volumeIsRecordedAndChangesNoSample() throws {
    let probe = probe()
    let stream = try #require(probe.open(NumberedSource(available: 4410)))
    stream.start()
    probe.clock.advance(bySeconds: 0.05)
    stream.setVolume(0.25, muted: true)
    probe.clock.advance(bySeconds: 1)
    let recording = try #require(probe.device as? SimulatedOutput).recording
    #expect(recording.volumeChanges.map(\.volume) == [0.25])
    #expect(recording.volumeChanges.map(\.muted) == [true])
    #expect(areIdentical(recording.samples, NumberedSource.samples(0..<4410)))
  }

  @Test func memoryStaysFlatWithoutARecord() throws {
    let clock = VirtualClock()
    let device = SimulatedOutput(clock: clock, recordsSound: false)
    let source = NumberedSource(available: 30 * 44_100)
    let stream = device.makeStream(format: OutputProbe.format, source: source) { _ in }
    stream.start()
    clock.advance(bySeconds: 40)
    #expect(stream.timing().heardFrame == 30 * 44_100)
    #expect(device.recording.runs.isEmpty)
    stream.close()
  }

  @Test func itPlaysInRealTimeToo() async throws {
    let device = SimulatedOutput(clock: SystemClock.shared)
    let changes = AsyncStream<OutputEvent>.makeStream()
    let stream = device.makeStream(format: OutputProbe.format, source: NumberedSource(available: 8820)) {
      changes.continuation.yield($0)
    }
    let begin = SystemClock.shared.now
    stream.start()
    var iterator = changes.stream.makeAsyncIterator()
    #expect(await iterator.next() == .opened(route: "simulated"))
    #expect(await iterator.next() == .timingChanged)
    while stream.timing().heardFrame < 8820 { _ = await iterator.next() }
    #expect(SystemClock.shared.now.seconds(since: begin) > 0.199)
    stream.close()
    #expect(areIdentical(device.recording.samples, NumberedSource.samples(0..<8820)))
  }
}
