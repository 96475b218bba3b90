import AudioCore
import CPulse
import Clocks
import Foundation
import PulseTestSupport
import Synchronization
import Testing

@testable import PulseOutput

/// The device against a server that does what the test says.
@Suite(.timeLimit(.minutes(10))) struct ScriptedTests {
  let pulse = ScriptedPulse()
  let clock = SteppedClock()
  let log = StreamLog()

  func device(delayBehindSink: Double = 0) -> PulseDevice {
    var configuration = PulseConfiguration(server: "unix:/scripted")
    configuration.delayBehindSink = delayBehindSink
    return PulseDevice(configuration: configuration, clock: clock, calls: pulse)
  }

  func report(read: Int64, write: Int64, sink: Double, playing: Bool = true) {
    pulse.setTiming(read: read, write: write, sinkMicroseconds: UInt64(sink * 1e6), playing: playing)
    pulse.fire(\.latency)
  }

  func pass(_ seconds: Double) {
    clock.advance(seconds)
    pulse.with { $0.wallClock += Int64((seconds * 1e6).rounded()) }
  }

  @Test func prepareConnectsAndTheStreamFollows() {
    let device = device()
    device.prepare()
    #expect(pulse.calls.contains("contextConnect unix:/scripted \(PA_CONTEXT_NOAUTOSPAWN.rawValue)"))
    let stream = pulse.open(device, log, RampSource(available: 0))
    #expect(pulse.calls.count { $0 == "contextNew" } == 1)
    #expect(pulse.calls.contains("connectPlayback corked=false"))
    #expect(log.events == [.opened(route: "scripted")])
    stream.close()
  }

  @Test func stoppedStreamIsCorkedAndStartUncorks() {
    let device = device()
    let stream = pulse.open(device, log, RampSource(available: 0), started: false)
    #expect(pulse.calls.contains("connectPlayback corked=true"))
    #expect(!pulse.calls.contains("uncork"))
    stream.start()
    stream.start()
    #expect(pulse.calls.count { $0 == "uncork" } == 1)
    stream.stop()
    stream.stop()
    #expect(pulse.calls.count { $0 == "cork" } == 1)
    stream.close()
  }

  @Test func streamIsStillWhenTheServerHasAnsweredTheCork() {
    let device = device()
    let stream = pulse.open(device, log, RampSource())
    pulse.request(bytes: 8 * 44100)
    report(read: 4410, write: 44100, sink: 0.05)
    #expect(!stream.isStill)
    stream.stop()
    #expect(stream.timing().frameRate == 0 && !stream.isStill)
    pulse.answerTiming()
    #expect(stream.isStill)
    stream.close()
  }

  @Test func bufferIsAskedForInTwoParts() {
    let device = device()
    let stream = pulse.open(device, log, RampSource(available: 0))
    let attributes = pulse.with { $0.attributes }
    #expect(attributes.tlength == 44100 * 8)
    // (tlength − 2·minreq) / 2 is the sink's.
    #expect((attributes.tlength - 2 * attributes.minreq) / 2 == 1764 * 8)
    stream.close()
  }

  @Test func writesWholeFramesWhateverIsAskedFor() {
    let device = device()
    let source = RampSource()
    let stream = pulse.open(device, log, source)
    pulse.with { $0.blockSize = 100 }
    pulse.request(bytes: 8 * 37 + 5)
    #expect(source.rendered == 37)
    #expect(source.isConsecutive)
    pulse.request(bytes: 7)
    #expect(source.rendered == 37)
    pulse.with { $0.blockSize = 4 }
    pulse.request(bytes: 800)
    #expect(source.rendered == 37)
    stream.close()
  }

  @Test func shortRenderWaitsForData() {
    let device = device()
    let source = RampSource(available: 10)
    let stream = pulse.open(device, log, source)
    pulse.request(bytes: 800)
    #expect(source.rendered == 10)
    let calls = source.calls
    stream.dataAvailable()
    pulse.run {}
    #expect(source.calls > calls)
    source.extend(to: 1000)
    stream.dataAvailable()
    pulse.run {}
    #expect(source.rendered == 100)
    // Filled: nobody needs to be woken.
    let after = source.calls
    stream.dataAvailable()
    pulse.run {}
    #expect(source.calls == after)
    stream.close()
  }

  @Test func endIsForcedOutOnceAndNeverWhileStopped() {
    let device = device()
    let source = RampSource(available: 10, isAtEnd: true)
    let stream = pulse.open(device, log, source, started: false)
    pulse.request(bytes: 800)
    #expect(!pulse.calls.contains("drain"))
    stream.start()
    #expect(pulse.calls.count { $0 == "drain" } == 1)
    pulse.fire(\.underflow)
    #expect(pulse.calls.count { $0 == "drain" } == 1)
    pulse.with { $0.isSuspended = true }
    pulse.fire(\.suspended)
    source.extend(to: 20, isAtEnd: true)
    stream.dataAvailable()
    pulse.run {}
    #expect(pulse.calls.count { $0 == "drain" } == 1)
    pulse.with { $0.isSuspended = false }
    pulse.fire(\.suspended)
    #expect(pulse.calls.count { $0 == "drain" } == 2)
    stream.close()
  }

  @Test func streamThatOutlivesItsLoopCanBeCalledStill() async throws {
    var held: (any AudioOutputStream)?
    do {
      let device = device()
      held = pulse.open(device, log, RampSource())
      held?.close()
    }
    // The device is gone, and with it, on a thread of its own, the loop. Before, its lock was taken after that.
    while pulse.with({ !$0.loops.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
    let locks = pulse.locksOfFreedLoops
    held?.close()
    held?.stop()
    held?.setVolume(0.5, muted: false)
    held?.flush { _ in Issue.record("nobody answers") }
    #expect(pulse.locksOfFreedLoops == locks && locks == 0)
  }

  /// A server that is starved itself plays the last block later than the clock has it: the end is what it says.
  @Test func lastFrameIsHeardWhenTheServerSaysSo() {
    let device = device()
    let source = RampSource(available: 4410, isAtEnd: true)
    let stream = pulse.open(device, log, source)
    pulse.request(bytes: 8 * 44100)
    #expect(pulse.calls.count { $0 == "drain" } == 1)
    report(read: 0, write: 4410, sink: 0)
    pass(0.05)
    #expect(abs(stream.timing().heardFrame - 2205) < 0.1)
    pass(1)
    #expect(stream.timing().heardFrame == 4409)
    let before = log.events.count { $0 == .timingChanged }
    pulse.answerDrain()
    #expect(stream.timing().heardFrame == 4410)
    #expect(log.events.count { $0 == .timingChanged } == before + 1)
    stream.close()
    #expect(pulse.with { $0.timers.isEmpty })
  }

  /// What carries the sink's sound to other rooms takes half a second, of which the server knows nothing.
  @Test func whatIsHeardBehindTheSinkIsHeardLater() {
    let device = device(delayBehindSink: 0.5)
    let stream = pulse.open(device, log, RampSource(available: 4410, isAtEnd: true))
    pulse.request(bytes: 8 * 44100)
    report(read: 882, write: 4410, sink: 0.02)
    #expect(stream.timing().heardFrame == 0)
    pass(0.5)
    #expect(abs(stream.timing().heardFrame) < 0.1)
    pass(0.05)
    #expect(abs(stream.timing().heardFrame - 2205) < 0.1)
    // What the sink has taken is not replaced: the half second, the sink's 20 ms and the source's 20.
    #expect(abs((stream.timing().replacementLead ?? 0) - 0.54 * 44100) < 0.1)
    // The sink has played everything, the rooms have not.
    pulse.answerDrain()
    #expect(abs(stream.timing().heardFrame - 2205) < 0.1)
    pass(0.05)
    #expect(stream.timing().heardFrame == 4410)
    stream.close()
  }

  @Test func pauseBeforeTheEndKeepsTheLastFrame() {
    let device = device()
    let stream = pulse.open(device, log, RampSource(available: 4410, isAtEnd: true))
    pulse.request(bytes: 8 * 44100)
    report(read: 0, write: 4410, sink: 0)
    pass(1)
    stream.stop()
    #expect(stream.timing().heardFrame == 4409)
    // Corked nothing is waited for: the end comes after the uncork, however late that is.
    pulse.fireTimers(atLeast: 0.5)
    #expect(stream.timing().heardFrame == 4409)
    stream.start()
    pulse.answerDrain()
    report(read: 4410, write: 4410, sink: 0)
    pass(0.01)
    #expect(stream.timing().heardFrame == 4410)
    stream.close()
  }

  @Test func serverThatNeverSaysSoIsNotWaitedForForEver() {
    let device = device()
    let stream = pulse.open(device, log, RampSource(available: 4410, isAtEnd: true))
    pulse.request(bytes: 8 * 44100)
    report(read: 0, write: 4410, sink: 0)
    pass(3)
    #expect(stream.timing().heardFrame == 4409)
    pulse.fireTimers(atLeast: 1.5)
    #expect(stream.timing().heardFrame == 4410)
    stream.close()
  }

  @Test func endThatMovesAwayIsAskedForAgain() {
    let device = device()
    let source = RampSource(available: 4410, isAtEnd: true)
    let stream = pulse.open(device, log, source)
    pulse.request(bytes: 8 * 44100)
    source.extend(to: 8820, isAtEnd: true)
    stream.dataAvailable()
    pulse.run {}
    #expect(pulse.calls.count { $0 == "drain" } == 2)
    report(read: 0, write: 8820, sink: 0)
    pass(1)
    #expect(stream.timing().heardFrame == 8819)
    pulse.answerDrain()
    #expect(stream.timing().heardFrame == 8820)
    stream.close()
  }

  @Test func heardFollowsReports() {
    let device = device()
    let stream = pulse.open(device, log, RampSource())
    pulse.request(bytes: 8 * 44100)
    #expect(stream.timing().frameRate == 0)
    report(read: 0, write: 44100, sink: 0.05, playing: false)
    #expect(stream.timing().frameRate == 0)
    report(read: 2205, write: 44100, sink: 0.06)
    // Its first frame will be heard in 10 ms.
    let first = stream.timing()
    #expect(first.heardFrame == 0)
    #expect(abs(first.hostTime.seconds(since: clock.now) - 0.01) < 1e-6)
    #expect(first.heardFrame(at: clock.now) == 0)
    pass(0.110)
    #expect(abs(stream.timing().heardFrame - 4410) < 0.1)
    #expect(log.events.count { $0 == .timingChanged } == 1)
    // All that was rendered, and no more.
    pass(2)
    #expect(stream.timing().heardFrame == 44100)
    #expect(stream.timing().frameRate == 0)
    stream.close()
  }

  @Test func starvationHoldsTheClockUntilTheServerPlays() {
    let device = device()
    let source = RampSource(available: 4410)
    let stream = pulse.open(device, log, source)
    pulse.request(bytes: 8 * 44100)
    report(read: 441, write: 4410, sink: 0.01)
    pass(1)
    #expect(stream.timing().heardFrame == 4410)
    source.extend(to: 44100)
    stream.dataAvailable()
    pulse.run {}
    pass(0.5)
    #expect(stream.timing().heardFrame == 4410)
    #expect(stream.timing().frameRate == 0)
    report(read: 4410 + 882, write: 44100, sink: 0.01)
    #expect(abs(stream.timing().heardFrame - 4851) < 0.1)
    #expect(log.events.last == .timingChanged)
    stream.close()
  }

  @Test func stopSettlesOnTheReadIndexAndNeverGoesBack() {
    let device = device()
    let stream = pulse.open(device, log, RampSource())
    pulse.request(bytes: 8 * 44100)
    report(read: 4410, write: 44100, sink: 0.05)
    pass(0.01)
    stream.stop()
    let stopped = stream.timing()
    #expect(stopped.frameRate == 0)
    #expect(abs(stopped.heardFrame - (4410 - 2205 + 441)) < 0.1)
    report(read: 4410, write: 44100, sink: 0.04, playing: false)
    #expect(stream.timing().heardFrame == 4410)
    // A rewinding sink sets it back.
    report(read: 3000, write: 44100, sink: 0.04, playing: false)
    #expect(stream.timing().heardFrame == 4410)
    stream.start()
    report(read: 4000, write: 44100, sink: 0.01)
    #expect(stream.timing().heardFrame == 4410)
    pass(0.05)
    #expect(stream.timing().heardFrame > 4410)
    stream.close()
  }

  @Test func flushAnswersBetweenRenders() {
    let device = device()
    let source = RampSource()
    let stream = pulse.open(device, log, source)
    pulse.request(bytes: 8 * 44100)
    report(read: 4410, write: 44100, sink: 0.05)
    let dropped = Mutex<[Int64]>([])
    stream.flush { frame in dropped.withLock { $0.append(frame) } }
    stream.flush { frame in dropped.withLock { $0.append(frame) } }
    #expect(pulse.calls.suffix(5).filter { ["cork", "flush", "uncork"].contains($0) } == ["cork", "flush"])
    pulse.request(bytes: 8 * 1000)
    #expect(source.rendered == 44100)
    #expect(stream.timing().frameRate == 0)
    pulse.setTiming(read: 5000, write: 5000, sinkMicroseconds: 40000, playing: false)
    pulse.answerTiming()
    #expect(dropped.withLock { $0 } == [5000, 5000])
    #expect(source.rendered == 45100)
    #expect(pulse.calls.last { ["cork", "flush", "uncork"].contains($0) } == "uncork")
    #expect(stream.timing().heardFrame == 44100)
    report(read: 5441, write: 6000, sink: 0.005)
    #expect(abs(stream.timing().heardFrame - (44100 + 441 - 220.5)) < 0.1)
    stream.close()
  }

  @Test func flushBeforeOpeningDropsNothing() {
    let device = device()
    let stream = device.makeStream(
      format: PCMFormat(sampleRate: 44100, channelCount: 2), source: RampSource(), events: log.handler)
    let dropped = Mutex<[Int64]>([])
    stream.flush { frame in dropped.withLock { $0.append(frame) } }
    pulse.run {}
    #expect(dropped.withLock { $0 } == [0])
    stream.close()
  }

  @Test func deathDuringFlushFailsOnceAndLeavesNothing() async throws {
    let stream: any AudioOutputStream
    do {
      let device = device()
      stream = pulse.open(device, log, RampSource())
      pulse.request(bytes: 8 * 44100)
      report(read: 4410, write: 44100, sink: 0.05)
      stream.flush { _ in Issue.record("a dead server answered") }
      pulse.with { $0.refusesOperations = true }
      pulse.setContext(PA_CONTEXT_FAILED)
      pulse.setStream(PA_STREAM_FAILED)
      pulse.answerTiming()
      guard case .failed(let error, let frame) = log.events.last else {
        Issue.record("no failure")
        return
      }
      #expect(error.isRecoverable)
      #expect(frame == 2205)
      #expect(log.events.count { if case .failed = $0 { true } else { false } } == 1)
      stream.start()
      stream.stop()
      stream.flush { _ in Issue.record("a dead stream answered") }
      stream.dataAvailable()
      stream.setVolume(0.3, muted: true)
      pulse.run {}
      pulse.fireTimers(atLeast: 0)
      stream.close()
      #expect(
        pulse.with { $0.operations.isEmpty && $0.timers.isEmpty && $0.streams.isEmpty && $0.contexts.isEmpty }
      )
      // The next stream gets a new context.
      pulse.with { $0.refusesOperations = false }
      let second = pulse.open(device, log, RampSource())
      #expect(pulse.calls.count { $0 == "contextNew" } == 2)
      second.close()
    }
    try await ended()
  }

  /// The device is gone: its loop has to go as well, on a thread of its own.
  func ended() async throws {
    let end = ContinuousClock.now + .seconds(120)
    while pulse.living > 0, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
    #expect(pulse.living == 0)
    #expect(pulse.calls.suffix(2) == ["mainloopStop", "mainloopFree"])
  }

  @Test func refusedOperationsEndTheStream() {
    let device = device()
    let stream = pulse.open(device, log, RampSource(), started: false)
    pulse.with { $0.refusesOperations = true }
    stream.start()
    pulse.run {}
    #expect(log.events.count { if case .failed = $0 { true } else { false } } == 1)
    stream.close()
    #expect(pulse.with { $0.streams.isEmpty && $0.operations.isEmpty })
  }

  @Test func refusedConnectionFailsFromTheLoop() {
    pulse.with { $0.refusesConnection = true }
    let device = device()
    let stream = device.makeStream(
      format: PCMFormat(sampleRate: 44100, channelCount: 2), source: RampSource(), events: log.handler)
    #expect(log.events.isEmpty)
    pulse.run {}
    #expect(log.events.count == 1)
    #expect(pulse.with { $0.contexts.isEmpty })
    stream.close()
  }

  /// The connection is there already, so that the stream is made inside `makeStream`.
  @Test(arguments: [false, true]) func aRefusedStreamFailsFromTheLoop(isMade: Bool) {
    let device = device()
    device.prepare()
    pulse.setContext(PA_CONTEXT_READY)
    pulse.with {
      $0.refusesStream = !isMade
      $0.refusesPlayback = isMade
    }
    let stream = device.makeStream(
      format: PCMFormat(sampleRate: 44100, channelCount: 2), source: RampSource(), events: log.handler)
    #expect(log.events.isEmpty)
    pulse.run {}
    let error =
      isMade
      ? OutputError("the sound server refuses the stream: scripted error 3", isRecoverable: true)
      : OutputError("libpulse refuses this format", isRecoverable: false)
    #expect(log.events == [.failed(error, heardFrame: 0)])
    #expect(pulse.with { $0.streams.isEmpty })
    stream.close()
  }

  @Test func noMainLoopFails() {
    pulse.with { $0.refusesLoop = true }
    let device = device()
    let stream = device.makeStream(
      format: PCMFormat(sampleRate: 44100, channelCount: 2), source: RampSource(), events: log.handler)
    #expect(log.events.count == 1)
    stream.start()
    stream.close()
  }

  @Test func aMissingLibraryIsNamedAndPermanent() {
    pulse.with {
      $0.unavailability = "no libpulse"
      $0.refusesLoop = true
    }
    let stream = device().makeStream(
      format: PCMFormat(sampleRate: 44100, channelCount: 2), source: RampSource(), events: log.handler)
    #expect(log.events == [.failed(OutputError("no libpulse", isRecoverable: false), heardFrame: 0)])
    stream.close()
  }

  @Test func closedStreamHearsNothingMore() async throws {
    do {
      let device = device()
      let stream = pulse.open(device, log, RampSource())
      pulse.request(bytes: 8000)
      stream.flush { _ in Issue.record("closed") }
      let count = log.events.count
      stream.close()
      stream.close()
      pulse.answerTiming()
      pulse.fire(\.state)
      pulse.request(bytes: 8000)
      pulse.fireTimers(atLeast: 0)
      pulse.setContext(PA_CONTEXT_FAILED)
      #expect(log.events.count == count)
      let calls = pulse.calls
      let off = try #require(calls.lastIndex(of: "callbacks off"))
      let gone = try #require(calls.lastIndex(of: "streamDisconnect"))
      #expect(off < gone)
    }
    try await ended()
  }

  @Test func streamClosedWhileBeingMadeIsDisconnectedLater() {
    let device = device()
    let stream = device.makeStream(
      format: PCMFormat(sampleRate: 44100, channelCount: 2), source: RampSource(), events: log.handler)
    pulse.setContext(PA_CONTEXT_READY)
    stream.close()
    #expect(!pulse.calls.contains("streamDisconnect"))
    pulse.setStream(PA_STREAM_READY)
    #expect(pulse.calls.contains("streamDisconnect"))
    #expect(pulse.with { $0.streams.isEmpty })
    #expect(log.events.isEmpty)
  }

  @Test func droppedStreamIsClosed() {
    let device = device()
    _ = pulse.open(device, log, RampSource())
    #expect(pulse.with { $0.streams.isEmpty })
  }

  @Test func volumeIsSentWhenItChanges() {
    let device = device()
    let stream = device.makeStream(
      format: PCMFormat(sampleRate: 44100, channelCount: 2), source: RampSource(), events: log.handler)
    stream.setVolume(0.5, muted: false)
    pulse.setContext(PA_CONTEXT_READY)
    pulse.setStream(PA_STREAM_READY)
    stream.setVolume(0.5, muted: false)
    stream.setVolume(0.5, muted: true)
    stream.setVolume(1, muted: false)
    stream.setVolume(7, muted: false)
    stream.setVolume(.nan, muted: false)
    #expect(pulse.with { $0.volumes } == [pa_sw_volume_from_linear(0.5), 0, 65536, 0])
    stream.setVolume(0.25, muted: false)
    stream.close()
    // The next one is another player's, perhaps: it begins at full volume, as the engine takes it to.
    let next = pulse.open(device, log, RampSource(available: 0))
    #expect(pulse.with { $0.volumes.last } == 65536)
    next.close()
    // What is set while the stream is being opened is sent when it is open.
    let third = device.makeStream(
      format: PCMFormat(sampleRate: 44100, channelCount: 2), source: RampSource(), events: log.handler)
    pulse.setContext(PA_CONTEXT_READY)
    third.setVolume(0.75, muted: false)
    #expect(pulse.with { $0.volumes.last } == 65536)
    pulse.setStream(PA_STREAM_READY)
    #expect(pulse.with { $0.volumes.last } == pa_sw_volume_from_linear(0.75))
    third.close()
  }

  @Test func wallClockJumpIsNoReport() {
    let device = device()
    let stream = pulse.open(device, log, RampSource())
    pulse.request(bytes: 8 * 44100)
    report(read: 441, write: 44100, sink: 0.01)
    let line = stream.timing()
    for jump: Int64 in [-3600, 3600] {
      pulse.setTiming(read: 20000, write: 44100, sinkMicroseconds: 0, playing: true)
      pulse.with { $0.wallClock += jump * 1_000_000 }
      pulse.fire(\.latency)
      #expect(stream.timing() == line)
      pulse.with { $0.wallClock -= jump * 1_000_000 }
    }
    stream.close()
  }

  @Test func suspensionHoldsTheClock() {
    let device = device()
    let stream = pulse.open(device, log, RampSource())
    pulse.request(bytes: 8 * 44100)
    report(read: 441, write: 44100, sink: 0.01)
    pass(0.1)
    pulse.with { $0.isSuspended = true }
    pulse.fire(\.suspended)
    #expect(log.events.last == .suspended(true))
    let held = stream.timing()
    #expect(held.frameRate == 0)
    pass(1)
    #expect(stream.timing().heardFrame == held.heardFrame)
    pulse.with { $0.isSuspended = false }
    pulse.fire(\.moved)
    #expect(log.events.suffix(2) == [.moved(route: "scripted"), .suspended(false)])
    report(read: 4851 + 441, write: 44100, sink: 0.01)
    #expect(stream.timing().frameRate > 0)
    stream.close()
  }

  /// A sink has a delay of its own: the first report from a new one counts at once, and what the old one held does not.
  @Test func aMoveForgetsTheOldSinksTiming() {
    let device = device()
    let stream = pulse.open(device, log, RampSource())
    pulse.request(bytes: 8 * 44100)
    report(read: 4410, write: 44100, sink: 0.05)
    pass(0.1)
    // Confirms the line, which a single report of the same sink does not move any more.
    report(read: 8820, write: 44100, sink: 0.05)
    pulse.fire(\.moved)
    pass(0.1)
    report(read: 13230, write: 44100, sink: 0.01)
    let timing = stream.timing()
    #expect(abs(timing.heardFrame - (13230 - 441)) < 0.1)
    // The new sink's 10 ms and the source's 20.
    #expect(abs((timing.replacementLead ?? 0) - 1323) < 0.1)
    stream.close()
  }
}

/// A clock that stands until it is told to move.
final class SteppedClock: HostClock {
  private let time = Atomic<Int64>(1_000_000_000)
  var now: HostTime { HostTime(nanoseconds: time.load(ordering: .relaxed)) }
  func advance(_ seconds: Double) { time.add(Int64((seconds * 1e9).rounded()), ordering: .relaxed) }
  func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
    fatalError("no workers here")
  }
}
