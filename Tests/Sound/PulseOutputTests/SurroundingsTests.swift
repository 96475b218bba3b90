import AudioCore
import CPulse
import Clocks
import Foundation
import PulseTestSupport
import TestSupport
import Testing

@testable import PulseOutput

/// What the device says of others' sound and of the sink's volume.
@Suite(.timeLimit(.minutes(10))) struct SurroundingsTests {
  let pulse = ScriptedPulse()

  func device(sink: String? = nil) -> PulseDevice {
    PulseDevice(
      configuration: PulseConfiguration(server: "unix:/scripted", sink: sink), clock: SteppedClock(),
      calls: pulse)
  }

  @Test func asksOnceAndAgainAfterAChange() {
    let device = device(sink: "hall")
    #expect(device.surroundings(limit: 0) == nil)
    pulse.setContext(PA_CONTEXT_READY)
    #expect(device.surroundings(limit: 0) == nil && pulse.calls.contains("getSink hall"))
    // Its own client is number 3.
    pulse.answerSurroundings(
      streams: [(client: 3, isCorked: false), (client: 4, isCorked: true)], volume: PA_VOLUME_NORM / 2)
    #expect(device.surroundings(limit: 0) == OutputSurroundings(isOtherAudioPlaying: false, volume: 0.5))
    #expect(pulse.calls.count { $0 == "getSinkInputs" } == 1)
    pulse.tellOfChange()
    pulse.tellOfChange()
    #expect(pulse.calls.count { $0 == "getSinkInputs" } == 2)
    pulse.answerSurroundings(streams: [(client: 4, isCorked: false)], volume: PA_VOLUME_NORM * 2)
    #expect(device.surroundings(limit: 0) == OutputSurroundings(isOtherAudioPlaying: true, volume: 1))
    // The second change came while the first one's question was under way.
    #expect(pulse.calls.count { $0 == "getSinkInputs" } == 3)
    pulse.answerSurroundings(streams: [], volume: nil)
    #expect(device.surroundings(limit: 0) == OutputSurroundings())
  }

  @Test func lostServerIsAskedAgain() {
    let device = device()
    _ = device.surroundings(limit: 0)
    pulse.setContext(PA_CONTEXT_READY)
    pulse.answerSurroundings(streams: [(client: 4, isCorked: false)], volume: PA_VOLUME_NORM)
    #expect(device.surroundings(limit: 0)?.isOtherAudioPlaying == true)
    pulse.setContext(PA_CONTEXT_FAILED)
    #expect(device.surroundings(limit: 0) == nil)
    pulse.setContext(PA_CONTEXT_READY)
    pulse.answerSurroundings(streams: [], volume: PA_VOLUME_NORM)
    #expect(device.surroundings(limit: 0) == OutputSurroundings())
  }

  @Test func changesAreToldOnceEach() {
    let device = device()
    let told = Collected<OutputSurroundings>()
    device.followSurroundings { told.add($0) }
    pulse.setContext(PA_CONTEXT_READY)
    #expect(told.all == [])
    pulse.answerSurroundings(streams: [], volume: PA_VOLUME_NORM)
    pulse.tellOfChange()
    pulse.answerSurroundings(streams: [], volume: PA_VOLUME_NORM)
    #expect(told.all == [OutputSurroundings()])
    pulse.tellOfChange()
    pulse.answerSurroundings(streams: [], volume: PA_VOLUME_NORM / 2)
    pulse.setContext(PA_CONTEXT_FAILED)
    // What is asked connects anew.
    #expect(device.surroundings(limit: 0) == nil)
    pulse.setContext(PA_CONTEXT_READY)
    pulse.answerSurroundings(streams: [(client: 4, isCorked: false)], volume: PA_VOLUME_NORM / 2)
    let last = OutputSurroundings(isOtherAudioPlaying: true, volume: 0.5)
    #expect(told.all == [OutputSurroundings(), OutputSurroundings(volume: 0.5), last])
    // Another handler hears of what is known already, the first one not again.
    let late = Collected<OutputSurroundings>()
    device.followSurroundings { late.add($0) }
    #expect(late.all == [last] && told.all.count == 3)
  }

  /// Nobody has asked yet when the connection is lost.
  @Test func theFirstQuestionWaitsAlsoAfterALostConnection() async throws {
    let device = PulseDevice(
      configuration: PulseConfiguration(server: "unix:/scripted"), clock: SystemClock.shared, calls: pulse)
    let stream = pulse.open(device, StreamLog())
    pulse.setContext(PA_CONTEXT_FAILED)
    stream.close()
    let known = Observed<OutputSurroundings??>(nil)
    Thread.detachNewThread {
      let answer = device.surroundings(limit: 120)
      known.update { $0 = .some(answer) }
    }
    try await eventually("the connection") {
      known.value != nil || pulse.calls.count { $0 == "contextNew" } == 2
    }
    pulse.setContext(PA_CONTEXT_READY)
    pulse.answerSurroundings(streams: [], volume: PA_VOLUME_NORM)
    let answer = try await known.wait(for: "the answer") { $0 != nil }
    #expect(answer == .some(OutputSurroundings()))
  }

  @Test func aRefusalDoesNotCountAsTheFirstQuestion() async throws {
    pulse.with { $0.refusesConnection = true }
    let device = PulseDevice(
      configuration: PulseConfiguration(server: "unix:/scripted"), clock: SystemClock.shared, calls: pulse)
    #expect(device.surroundings(limit: 120) == nil)
    pulse.with { $0.refusesConnection = false }
    let known = Observed<OutputSurroundings??>(nil)
    Thread.detachNewThread {
      let answer = device.surroundings(limit: 120)
      known.update { $0 = .some(answer) }
    }
    try await eventually("the connection") { known.value != nil || pulse.with { !$0.contexts.isEmpty } }
    pulse.setContext(PA_CONTEXT_READY)
    pulse.answerSurroundings(streams: [], volume: PA_VOLUME_NORM)
    #expect(try await known.wait(for: "the answer") { $0 != nil } == .some(OutputSurroundings()))
  }

  @Test func refusalsLeaveNothingKnown() {
    pulse.with { $0.refusesOperations = true }
    let device = device()
    _ = device.surroundings(limit: 0)
    pulse.setContext(PA_CONTEXT_READY)
    #expect(device.surroundings(limit: 0) == nil)
    pulse.with { $0.refusesConnection = true }
    pulse.setContext(PA_CONTEXT_FAILED)
    #expect(device.surroundings(limit: 10) == nil)
  }

  @Test func nothingOfItOutlivesTheDevice() async throws {
    do {
      let device = device()
      _ = device.surroundings(limit: 0)
      pulse.setContext(PA_CONTEXT_READY)
      pulse.answerSurroundings(streams: [], volume: PA_VOLUME_NORM)
      pulse.tellOfChange()
    }
    // The loop is ended by a thread of its own.
    try await eventually("the end of the loop") { pulse.living == 0 }
    #expect(pulse.with { $0.subscriber == nil } && pulse.locksOfFreedLoops == 0)
  }
}

extension RealServers {
  @Suite struct RealSurroundingsTests {
    private func device(_ address: String) -> PulseDevice {
      PulseDevice(configuration: PulseConfiguration(server: address), clock: SystemClock.shared)
    }

    /// Waits until the device says so. The server tells of changes by itself.
    private func wait(_ device: PulseDevice, for expected: OutputSurroundings) async throws {
      try await eventually("\(expected)") {
        guard var known = device.surroundings(limit: 0), known.destination == "continuo",
          known.destinations.map(\.name) == ["continuo"]
        else { return false }
        (known.destination, known.destinations) = (nil, [])
        return known == expected
      }
    }

    @Test func othersAndTheVolumeAreSeen() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let (device, other) = (device(server.address), device(server.address))
      #expect(device.surroundings(limit: 60)?.isOtherAudioPlaying == false)
      let format = PCMFormat(sampleRate: 44100, channelCount: 2)
      let (log, otherLog) = (StreamLog(), StreamLog())
      let own = device.makeStream(
        format: format, source: RampSource(available: 44100 * 60), events: log.handler)
      own.start()
      _ = try await log.opened()
      // The other one sees it; its own device does not count it.
      try await wait(other, for: OutputSurroundings(isOtherAudioPlaying: true))
      try await wait(device, for: OutputSurroundings())
      let stream = other.makeStream(
        format: format, source: RampSource(available: 44100 * 60), events: otherLog.handler)
      stream.start()
      try await wait(device, for: OutputSurroundings(isOtherAudioPlaying: true))
      stream.stop()
      try await wait(device, for: OutputSurroundings())
      try pactl(server.address, "set-sink-volume", "@DEFAULT_SINK@", "50%")
      try await wait(device, for: OutputSurroundings(volume: 0.5))
      stream.close()
      own.close()
    }

    @Test func withoutAServerTheAnswerComesInTime() {
      let device = device("unix:/nowhere/native")
      let start = SystemClock.shared.now
      #expect(device.surroundings(limit: 60) == nil && device.surroundings(limit: 60) == nil)
      #expect(SystemClock.shared.now.seconds(since: start) < 60)
    }
  }
}

/// Waits until `condition` holds, at most 120 s.
private func eventually(
  _ what: String, location: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(120)
  while !condition(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
  #expect(condition(), "waited for \(what)", sourceLocation: location)
}
