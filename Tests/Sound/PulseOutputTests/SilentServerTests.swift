import AudioCore
import CPulse
import PulseTestSupport
import Testing

@testable import PulseOutput

/// A server that stops answering, while its connection looks alive.
extension ScriptedTests {
  private func failures(_ log: StreamLog) -> Int {
    log.events.count { if case .failed = $0 { true } else { false } }
  }

  @Test func unansweredFlushMeetsTheLimit() {
    let device = device()
    let stream = pulse.open(device, log, RampSource())
    pulse.request(bytes: 8000)
    stream.flush { _ in Issue.record("nobody answered") }
    // An answer to an earlier question is none to the flush.
    pulse.fire(\.latency)
    pulse.fireTimers(atLeast: 4)
    #expect(failures(log) == 1)
    pulse.answerTiming()
    stream.close()
    #expect(pulse.with { $0.contexts.isEmpty && $0.streams.isEmpty })
    let second = pulse.open(device, StreamLog())
    #expect(pulse.calls.count { $0 == "contextNew" } == 2)
    second.close()
  }

  @Test func unansweredConnectionMeetsTheLimitAndIsReplaced() {
    let device = device()
    let stream = device.makeStream(
      format: PCMFormat(sampleRate: 44100, channelCount: 2), source: RampSource(), events: log.handler)
    pulse.fireTimers(atLeast: 4)
    #expect(log.events.count == 1)
    #expect(pulse.with { $0.contexts.isEmpty })
    let second = pulse.open(device, log, RampSource())
    #expect(pulse.calls.count { $0 == "contextNew" } == 2)
    second.close()
    stream.close()
  }

  @Test func aStreamThatIsNeverMadeMeetsTheLimitAndItsConnectionIsReplaced() {
    let device = device()
    let stream = device.makeStream(
      format: PCMFormat(sampleRate: 44100, channelCount: 2), source: RampSource(), events: log.handler)
    pulse.setContext(PA_CONTEXT_READY)
    pulse.fireTimers(atLeast: 4)
    #expect(failures(log) == 1)
    #expect(pulse.with { $0.contexts.isEmpty && $0.streams.isEmpty })
    let second = pulse.open(device, log, RampSource())
    #expect(pulse.calls.count { $0 == "contextNew" } == 2)
    second.close()
    stream.close()
  }

  @Test func silenceDuringPlaybackMeetsTheLimit() {
    let device = device()
    let (other, otherLog) = (pulse.open(device, StreamLog(), started: false), StreamLog())
    let another = pulse.open(device, otherLog, started: false)
    _ = device.surroundings(limit: 0)
    pulse.answerSurroundings(streams: [], volume: PA_VOLUME_NORM)
    #expect(device.surroundings(limit: 0) != nil)
    let stream = pulse.open(device, log, RampSource())
    pulse.request(bytes: 8000)
    pulse.fireTimers(atLeast: 4)
    guard case .failed(let error, _)? = log.events.last else {
      Issue.record("\(log.events)")
      return
    }
    #expect(error.isRecoverable && error.message.contains("did not answer"))
    // All others of the connection hear of it, once.
    #expect(failures(log) == 1 && failures(otherLog) == 1)
    #expect(device.surroundings(limit: 0) == nil)
    for stream in [stream, other, another] { stream.close() }
    #expect(pulse.with { $0.streams.isEmpty })
    // That question has connected anew.
    #expect(pulse.calls.count { $0 == "contextNew" } == 2)
    pulse.setContext(PA_CONTEXT_READY)
    pulse.answerSurroundings(streams: [], volume: PA_VOLUME_NORM)
    #expect(device.surroundings(limit: 0) != nil)
  }

  /// A second question does not give it more time.
  @Test func theLimitIsThatOfTheFirstQuestion() {
    let device = device()
    let stream = pulse.open(device, log, RampSource())
    let limits = pulse.with { state in state.timers.filter { $0.value.delay >= 4_000_000 }.map(\.key) }
    #expect(limits.count == 1)
    pulse.fire(\.started)
    #expect(pulse.with { state in state.timers.filter { $0.value.delay >= 4_000_000 }.map(\.key) } == limits)
    stream.close()
  }

  @Test func aSlowServerAndAStoppedStreamMeetNoLimit() {
    let device = device()
    let stream = pulse.open(device, log, RampSource())
    pulse.request(bytes: 8 * 44100)
    report(read: 441, write: 44100, sink: 0.01)
    // It has answered; the next question is not due yet.
    pulse.fireTimers(atLeast: 4)
    pulse.fireTimers(atLeast: 0, atMost: 2)
    #expect(pulse.with { state in state.timers.contains { $0.value.delay >= 4_000_000 } })
    report(read: 882, write: 44100, sink: 0.01)
    stream.stop()
    pulse.fireTimers(atLeast: 0)
    pulse.with { $0.isSuspended = true }
    stream.start()
    pulse.fire(\.suspended)
    report(read: 882, write: 44100, sink: 0.01)
    pulse.fireTimers(atLeast: 0)
    #expect(failures(log) == 0)
    stream.close()
  }
}
