import AudioCore
import CPulse
import Clocks
import PulseTestSupport
import Synchronization
import Testing

@testable import PulseOutput

/// The hosts that a server string names, and what is said of those that do not exist.
@Suite(.timeLimit(.minutes(10))) struct ServerNamesTests {
  @Test(
    arguments: [
      ("kitchen", ["kitchen"], false), ("kitchen.local:4713", ["kitchen.local"], false),
      ("tcp:kitchen:4713", ["kitchen"], false), ("tcp4:kitchen", ["kitchen"], false),
      ("tcp6:kitchen:1", ["kitchen"], false), ("192.0.2.1:4713", ["192.0.2.1"], false),
      ("unix:/run/x", [], true), ("/run/x:1", [], true), ("[::1]:4713", [], true), ("tcp6:[::1]", [], true),
      ("{0123}unix:/run/x {hall}tcp:hall:4713 attic", ["hall", "attic"], true),
      ("{hall}", [], true), ("{hall", ["{hall"], false), ("", [], false), ("  a \n b ", ["a", "b"], false),
      (":4713", [], true), ("tcp:", [], true),
    ])
  func hostsAreFound(_ text: String, _ hosts: [String], _ hasOthers: Bool) {
    let names = ServerNames(text)
    #expect(names.hosts == hosts && names.hasOthers == hasOthers)
  }

  @Test func oneHostThatExistsIsEnough() {
    let names = ServerNames("a b")
    #expect(names.problem { $0 == "b" ? nil : "no \($0)" } == nil)
    #expect(names.problem { "no \($0)" } == "no a; no b")
    #expect(ServerNames("/run/x").problem { "no \($0)" } == nil)
  }

  @Test func theResolverIsAsked() {
    #expect(ServerNames.lookUp("127.0.0.1") == nil)
    // Longer than a label may be: no name server is asked.
    let name = String(repeating: "x", count: 64)
    #expect(ServerNames.lookUp(name) == "no such host: \(name)")
  }

  // MARK: In the connection

  /// A resolver that answers when it may, and how often it was asked.
  private final class Resolver: Sendable {
    let count = Observed(0)
    let answer: String?
    private let mayAnswer = Semaphore()

    init(_ answer: String?) { self.answer = answer }

    func lookUp(_ host: String) -> String? {
      count.update { $0 += 1 }
      _ = mayAnswer.wait(until: SystemClock.shared.now.advanced(bySeconds: 60))
      return answer
    }

    func release() { mayAnswer.post() }
  }

  private let pulse = ScriptedPulse()
  private let log = StreamLog()

  private func device(_ resolver: Resolver, server: String = "tcp:nowhere.test") -> PulseDevice {
    pulse.with { $0.contextError = Int32(PA_ERR_CONNECTIONREFUSED.rawValue) }
    return PulseDevice(
      configuration: PulseConfiguration(server: server), clock: SteppedClock(), calls: pulse,
      lookUp: { resolver.lookUp($0) })
  }

  private func stream(_ device: PulseDevice, _ log: StreamLog? = nil) -> any AudioOutputStream {
    device.makeStream(
      format: PCMFormat(sampleRate: 44100, channelCount: 2), source: RampSource(),
      events: (log ?? self.log).handler)
  }

  private func failure(_ server: String, _ reason: String) -> [OutputEvent] {
    [
      .failed(
        OutputError(
          "the connection to the sound server at \(server) failed: \(reason)", isRecoverable: true,
          cause: .server), heardFrame: 0)
    ]
  }

  /// Waits until the answer has reached the loop, and runs it.
  private func runs(_ log: StreamLog, limit: Double = 120) async throws {
    let end = SystemClock.shared.now.advanced(bySeconds: limit)
    while log.events.isEmpty {
      pulse.run {}
      try #require(SystemClock.shared.now < end)
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  @Test(arguments: ["tcp:nowhere.test", "/run/x tcp:nowhere.test"])
  func nameThatDoesNotExistIsSaidSo(server: String) async throws {
    let resolver = Resolver("no such host: nowhere.test")
    let device = device(resolver, server: server)
    let first = stream(device)
    pulse.setContext(PA_CONTEXT_FAILED)
    // A second stream meanwhile waits for the same answer.
    let otherLog = StreamLog()
    let second = stream(device, otherLog)
    #expect(log.events.isEmpty && otherLog.events.isEmpty)
    #expect(pulse.calls.count { $0 == "contextNew" } == 1)
    resolver.release()
    try await runs(log)
    let words = server.contains("/") ? "scripted error 6; " : ""
    #expect(log.events == failure(server, "\(words)no such host: nowhere.test"))
    #expect(otherLog.events == log.events)
    #expect(pulse.with { $0.contexts.isEmpty })
    first.close()
    second.close()
  }

  @Test func hostThatExistsHasRefused() async throws {
    let resolver = Resolver(nil)
    resolver.release()
    let device = device(resolver)
    let stream = stream(device)
    pulse.setContext(PA_CONTEXT_FAILED)
    try await runs(log)
    #expect(log.events == failure("tcp:nowhere.test", "scripted error 6"))
    stream.close()
  }

  @Test func resolverThatDoesNotAnswerIsNotWaitedFor() async throws {
    let resolver = Resolver("no such host: nowhere.test")
    let device = device(resolver)
    let first = stream(device)
    pulse.setContext(PA_CONTEXT_FAILED)
    pulse.fireTimers(atLeast: 2, atMost: 3)
    #expect(log.events == failure("tcp:nowhere.test", "scripted error 6"))
    // As long as it hangs it is not asked again.
    let secondLog = StreamLog()
    let second = stream(device, secondLog)
    pulse.setContext(PA_CONTEXT_FAILED)
    #expect(secondLog.events == log.events)
    _ = try await resolver.count.wait(for: "the question") { $0 == 1 }
    resolver.release()
    first.close()
    second.close()
  }

  @Test func answerThatComesTooLateChangesNothing() async throws {
    let resolver = Resolver("no such host: nowhere.test")
    let device = device(resolver)
    let first = stream(device)
    pulse.setContext(PA_CONTEXT_FAILED)
    // The stream's own time is up.
    pulse.fireTimers(atLeast: 4)
    #expect(log.events.count == 1)
    let secondLog = StreamLog()
    let second = stream(device, secondLog)
    resolver.release()
    _ = try await resolver.count.wait(for: "the question") { $0 == 1 }
    pulse.run {}
    pulse.setContext(PA_CONTEXT_READY)
    pulse.setStream(PA_STREAM_READY)
    #expect(secondLog.events == [.opened(route: "scripted")])
    first.close()
    second.close()
  }

  @Test func socketOfThisMachineIsNotLookedUp() {
    let resolver = Resolver("no such host")
    let device = device(resolver, server: "unix:/scripted")
    let stream = stream(device)
    pulse.setContext(PA_CONTEXT_FAILED)
    #expect(log.events == failure("unix:/scripted", "scripted error 6") && resolver.count.value == 0)
    stream.close()
  }

  // MARK: Sinks

  private func sinkDevice(_ sink: String?, requiresSink: Bool = false) -> PulseDevice {
    var configuration = PulseConfiguration(server: "unix:/scripted", sink: sink)
    configuration.requiresSink = requiresSink
    pulse.with { $0.contextError = Int32(PA_ERR_NOENTITY.rawValue) }
    return PulseDevice(configuration: configuration, clock: SteppedClock(), calls: pulse)
  }

  private func refused(_ device: PulseDevice, sinks: [String]?) -> OutputError? {
    let log = StreamLog()
    let stream = stream(device, log)
    pulse.setContext(PA_CONTEXT_READY)
    pulse.setStream(PA_STREAM_FAILED)
    #expect(log.events.isEmpty)
    pulse.answerSinks(sinks)
    defer { stream.close() }
    if case .failed(let error, _)? = log.events.first, log.events.count == 1 { return error }
    return nil
  }

  @Test(
    arguments: [
      (
        "hall", ["a", "b\nc\u{1B}[2J"],
        "no sink \"hall\" on the sound server at unix:/scripted; its sinks: a, bc[2J"
      ),
      ("hall", [], "no sink \"hall\" on the sound server at unix:/scripted; it has no sink"),
      (nil, ["a"], "the sound server at unix:/scripted has no default sink; its sinks: a"),
      (nil, [], "the sound server at unix:/scripted has no sink"),
      ("hall", nil, "no sink \"hall\" on the sound server at unix:/scripted"),
      (nil, nil, "the sound server at unix:/scripted has no default sink"),
    ] as [(String?, [String]?, String)])
  func missingSinkIsNamed(sink: String?, sinks: [String]?, message: String) {
    let device = sinkDevice(sink)
    #expect(
      refused(device, sinks: sinks) == OutputError(message, isRecoverable: true, cause: .device))
  }

  @Test func sinkThatIsRequiredIsWaitedForOnceItWasThere() {
    let device = sinkDevice("hall", requiresSink: true)
    #expect(refused(device, sinks: ["a"])?.isRecoverable == false)
    let stream = stream(device)
    pulse.setStream(PA_STREAM_READY)
    #expect(log.events == [.opened(route: "scripted")])
    stream.close()
    #expect(refused(device, sinks: ["a"])?.isRecoverable == true)
  }

  @Test func listOfSinksThatDoesNotComeMeetsTheLimit() {
    let device = sinkDevice("hall")
    let stream = stream(device)
    pulse.setContext(PA_CONTEXT_READY)
    pulse.setStream(PA_STREAM_FAILED)
    pulse.fireTimers(atLeast: 4)
    #expect(log.events.count == 1)
    pulse.answerSinks(["a"])
    #expect(log.events.count == 1)
    stream.close()
  }

  @Test func streamThatIsClosedMeanwhileHearsNothing() {
    let device = sinkDevice("hall")
    let stream = stream(device)
    pulse.setContext(PA_CONTEXT_READY)
    pulse.setStream(PA_STREAM_FAILED)
    stream.close()
    pulse.answerSinks(["a"])
    #expect(log.events.isEmpty)
  }
}
