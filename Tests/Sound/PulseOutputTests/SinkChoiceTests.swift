import AudioCore
import CPulse
import Clocks
import Foundation
import PulseTestSupport
import Testing

@testable import PulseOutput

/// The choice of a sink, against a server that does what the test says.
@Suite(.timeLimit(.minutes(10))) struct SinkChoiceTests {
  let pulse = ScriptedPulse()
  let log = StreamLog()

  private func device(sink: String? = nil) -> PulseDevice {
    PulseDevice(
      configuration: PulseConfiguration(server: "unix:/scripted", sink: sink), clock: SteppedClock(),
      calls: pulse)
  }

  /// What was asked of the stream, in order.
  private var commands: [String] {
    pulse.calls.filter { $0.hasPrefix("move") || ["cork", "uncork", "flush"].contains($0) }
  }

  @Test func playingStreamIsCorkedForItsMove() {
    let device = device()
    let stream = pulse.open(device, log)
    device.choose(destination: "hall")
    #expect(commands == ["cork", "move hall"])
    #expect(stream.timing().frameRate == 0)
    pulse.answerMove()
    #expect(commands == ["cork", "move hall", "uncork"])
    #expect(log.events.contains(.moved(route: "hall")))
    // It is there.
    device.choose(destination: "hall")
    #expect(commands.count == 3)
    stream.close()
  }

  @Test func pausedStreamStaysPaused() {
    let device = device()
    let stream = pulse.open(device, log, started: false)
    device.choose(destination: "hall")
    pulse.answerMove()
    #expect(commands == ["move hall"])
    // What is wanted meanwhile counts afterwards.
    stream.start()
    device.choose(destination: "scripted")
    stream.stop()
    stream.start()
    stream.stop()
    #expect(commands == ["move hall", "uncork", "cork", "move scripted"])
    pulse.answerMove()
    #expect(commands.count == 4)
    stream.start()
    #expect(commands.last == "uncork")
    stream.close()
  }

  @Test func streamIsStillWhenItsMoveIsAnswered() {
    let device = device()
    let stream = pulse.open(device, log)
    device.choose(destination: "hall")
    stream.stop()
    #expect(!stream.isStill)
    pulse.answerMove()
    #expect(commands == ["cork", "move hall"] && stream.isStill)
    stream.close()
  }

  @Test func moveAndFlushWaitForEachOther() {
    let device = device()
    let stream = pulse.open(device, log, RampSource())
    pulse.setTiming(read: 1000, write: 5000, sinkMicroseconds: 0, playing: true)
    stream.flush { _ in }
    device.choose(destination: "hall")
    #expect(commands == ["cork", "flush"])
    pulse.answerTiming()
    #expect(commands == ["cork", "flush", "move hall"])
    stream.flush { _ in }
    pulse.answerMove()
    #expect(commands == ["cork", "flush", "move hall", "flush"])
    pulse.answerTiming()
    #expect(commands == ["cork", "flush", "move hall", "flush", "uncork"])
    stream.close()
  }

  @Test func streamThatAPersonMovedStaysThereAtAFlush() {
    let device = device(sink: "scripted")
    let stream = pulse.open(device, log, RampSource())
    pulse.moveStream(to: "other")
    let before = commands.count
    pulse.setTiming(read: 1000, write: 5000, sinkMicroseconds: 0, playing: true)
    stream.flush { _ in }
    pulse.answerTiming()
    #expect(commands.dropFirst(before) == ["cork", "flush", "uncork"])
    // A sink that the server has refused is not tried again either.
    device.choose(destination: "nowhere")
    pulse.answerMove(isThere: false)
    let after = commands.count
    stream.flush { _ in }
    pulse.answerTiming()
    #expect(commands.dropFirst(after) == ["cork", "flush", "uncork"])
    stream.close()
  }

  @Test func refusedMoveGoesOnWhereItIsAndALaterChoiceCounts() {
    let device = device()
    let stream = pulse.open(device, log)
    device.choose(destination: "nowhere")
    pulse.answerMove(isThere: false)
    #expect(commands == ["cork", "move nowhere", "uncork"])
    device.choose(destination: "hall")
    device.choose(destination: "attic")
    #expect(commands.suffix(2) == ["cork", "move hall"])
    pulse.answerMove()
    #expect(commands.suffix(2) == ["move hall", "move attic"])
    pulse.answerMove()
    #expect(commands.suffix(2) == ["move attic", "uncork"])
    stream.close()
  }

  @Test func serverThatNeverAnswersIsGivenUp() async throws {
    let device = device()
    let stream = pulse.open(device, log)
    device.choose(destination: "hall")
    pulse.fireTimers(atLeast: 4, atMost: 6)
    #expect(try await log.failed().error.isRecoverable)
    stream.close()
  }

  @Test func choiceCountsForLaterStreams() {
    let device = device(sink: "attic")
    device.choose(destination: "hall")
    let stream = pulse.open(device, log)
    #expect(pulse.with { $0.connectedSink } == "hall")
    stream.close()
  }

  @Test func streamReturnsToASinkThatComesBack() {
    let device = device()
    let stream = pulse.open(device, log)
    device.choose(destination: "hall")
    pulse.answerMove()
    pulse.answerSurroundings(streams: [], volume: PA_VOLUME_NORM, sinks: ["scripted", "hall"])
    let before = commands
    pulse.moveStream(to: "scripted")
    pulse.tellOfChange()
    pulse.answerSurroundings(streams: [], volume: nil, sinks: ["scripted"])
    #expect(commands == before)
    pulse.tellOfChange()
    pulse.answerSurroundings(streams: [], volume: PA_VOLUME_NORM, sinks: ["scripted", "hall"])
    #expect(commands == before + ["cork", "move hall"])
    pulse.answerMove()
    // A person who moves it has another wish.
    pulse.moveStream(to: "scripted")
    pulse.tellOfChange()
    pulse.answerSurroundings(streams: [], volume: PA_VOLUME_NORM, sinks: ["scripted", "hall"])
    #expect(commands == before + ["cork", "move hall", "uncork"])
    stream.close()
  }

  @Test func streamReturnsToTheSinkOfTheOptions() {
    let device = device(sink: "scripted")
    let stream = pulse.open(device, log)
    #expect(!pulse.calls.contains("subscribe"))
    pulse.moveStream(to: "other")
    #expect(pulse.calls.contains("subscribe"))
    pulse.answerSurroundings(streams: [], volume: nil, sinks: ["other"])
    pulse.tellOfChange()
    pulse.answerSurroundings(streams: [], volume: PA_VOLUME_NORM, sinks: ["other", "scripted"])
    #expect(commands == ["cork", "move scripted"])
    stream.close()
  }
}

extension RealServers {
  @Suite struct SinkMoveTests {
    private static let stereo = PCMFormat(sampleRate: 44100, channelCount: 2)

    /// Another null sink, as the server's own.
    private func addSink(_ name: String, to server: PrivatePulseServer) throws -> String {
      try pactl(
        server.address, "load-module", "module-null-sink", "sink_name=\(name)", "norewinds=1",
        "format=float32le", "rate=44100", "channels=2"
      ).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func wait(for route: String, _ log: StreamLog, from index: Int) async throws {
      try await log.wait(for: "a move to \(route)", from: index) { $0 == .moved(route: route) }
    }

    @Test func movedSoundIsBitExact() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      _ = try addSink("hall", to: server)
      let captures = try ["continuo", "hall"].map { try MonitorCapture(address: server.address, sink: $0) }
      defer { for capture in captures { capture.stop() } }
      for capture in captures { try await capture.started() }
      let device = PulseDevice(
        configuration: PulseConfiguration(server: server.address), clock: SystemClock.shared)
      let source = RampSource(available: 132_300, isAtEnd: true)
      let log = StreamLog()
      let stream = device.makeStream(format: Self.stereo, source: source, events: log.handler)
      defer { stream.close() }
      stream.start()
      for (index, frame) in [20_000, 50_000, 80_000].enumerated() as EnumeratedSequence<[Int64]> {
        _ = try await captures[index % 2].heard(frame: frame)
        device.choose(destination: index % 2 == 0 ? "hall" : "continuo")
      }
      _ = try await captures[1].heard(frame: 132_299)
      let heard = captures.map { $0.read { $0.frames } }
      #expect(heard.allSatisfy { !$0.contains(nil) })
      let all = heard.flatMap { $0.compactMap { $0 } }
      let sorted = all.sorted()
      let wrong = zip(sorted, 0...).first { $0 != $1 }
      #expect(sorted.count == 132_300 && wrong == nil, "\(sorted.count) frames; \(String(describing: wrong))")
      // Each of them in order, and two pieces of each.
      for frames in heard {
        let frames = frames.compactMap { $0 }
        #expect(frames == frames.sorted())
        #expect(zip(frames, frames.dropFirst()).count { $1 != $0 + 1 } == 1)
      }
      #expect(source.isConsecutive)
    }

    @Test func sinkThatGoesAndComesBackHasTheStreamAgain() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let module = try addSink("hall", to: server)
      let device = PulseDevice(
        configuration: PulseConfiguration(server: server.address), clock: SystemClock.shared)
      let log = StreamLog()
      let stream = device.makeStream(format: Self.stereo, source: RampSource(), events: log.handler)
      defer { stream.close() }
      stream.start()
      try await log.opened()
      device.choose(destination: "hall")
      try await wait(for: "hall", log, from: 0)
      var index = log.events.count
      try pactl(server.address, "unload-module", module)
      try await wait(for: "continuo", log, from: index)
      index = log.events.count
      _ = try addSink("hall", to: server)
      try await wait(for: "hall", log, from: index)
    }
  }
}
