import AudioCore
import AudioOutput
import Clocks
import ControlProtocol
import Dispatch
import Jukebox
import JukeboxPlayback
import Synchronization
import Testing

@testable import MPDService

/// The device's destinations as outputs.
@Suite(.timeLimit(.minutes(10))) struct OutputCommandTests {
  /// A device that has the destinations that a test says, and moves nothing.
  private final class ScriptedDevice: AudioOutputDevice {
    private struct State {
      var surroundings: OutputSurroundings?
      var handlers = SurroundingsHandlers()
      var chosen: [String] = []
      var isSilent = false
    }
    private let state = Mutex(State())
    private let other = SimulatedOutput(clock: SystemClock.shared)

    /// The first question waits for an answer, and the test for the question.
    private let asked = DispatchSemaphore(value: 0)
    private let answered = DispatchSemaphore(value: 0)

    var chosen: [String] { state.withLock { $0.chosen } }

    /// Knows nothing before `answer()`.
    func beSilent() { state.withLock { $0.isSilent = true } }
    func waitUntilAsked() throws { try #require(asked.wait(timeout: .now() + 120) == .success) }
    func answer() { answered.signal() }

    func set(_ names: [String]?, destination: String? = nil) {
      let new = names.map { names in
        OutputSurroundings(
          destinations: names.map { OutputDestination(name: $0, description: "The \($0)") },
          destination: destination)
      }
      let handlers = state.withLock { state in
        state.surroundings = new
        return new.map { state.handlers.due(for: $0) } ?? []
      }
      if let new { for handler in handlers { handler(new) } }
    }

    func surroundings(limit: Double) -> OutputSurroundings? {
      if limit > 0, state.withLock({ $0.isSilent }) {
        asked.signal()
        _ = answered.wait(timeout: .now() + 120)
        state.withLock { $0.isSilent = false }
      }
      return state.withLock { $0.isSilent ? nil : $0.surroundings }
    }
    func followSurroundings(_ handler: @escaping @Sendable (OutputSurroundings) -> Void) {
      state.withLock { $0.handlers.add(handler) }
      if let known = surroundings(limit: 0) { handler(known) }
    }
    func choose(destination name: String) { state.withLock { $0.chosen.append(name) } }
    func makeStream(
      format: PCMFormat, source: any RenderSource, events: @escaping @Sendable (OutputEvent) -> Void
    ) -> any AudioOutputStream { other.makeStream(format: format, source: source, events: events) }
  }

  private let device = ScriptedDevice()
  private let sound = SoundState(clock: SystemClock.shared)

  private final class Calls: Sendable {
    let switches = Mutex(0)
    let changes = Mutex(0)
  }
  private let calls = Calls()

  private func commands() -> OutputCommands {
    OutputCommands(
      sound: sound, plugin: "pulse", device: device,
      onSwitch: { [calls] in calls.switches.withLock { $0 += 1 } },
      onChange: { [calls] in calls.changes.withLock { $0 += 1 } })
  }

  private func begin(_ commands: OutputCommands, _ command: Command.Outputs) -> Answer {
    let answer = Answer()
    commands.perform(command) { answer.complete($0) }
    return answer
  }

  private func ask(_ commands: OutputCommands, _ command: Command.Outputs) throws -> String {
    String(decoding: try begin(commands, command).get().bytes, as: UTF8.self)
  }

  /// The names of the outputs with their ids; the enabled one has a star.
  private func list(_ commands: OutputCommands) throws -> [String] {
    let lines = try ask(commands, .outputs).split(separator: "\n").map { $0.split(separator: " ").last ?? "" }
    return stride(from: 0, to: lines.count, by: 5).map {
      "\(lines[$0]) \(lines[$0 + 1])\(lines[$0 + 3] == "1" ? "*" : "")"
    }
  }

  @Test func destinationsAreOutputsAndOneHasTheSound() throws {
    device.set(["attic", "hall"], destination: "hall")
    let commands = commands()
    #expect(
      try ask(commands, .outputs) == """
        outputid: 0
        outputname: attic
        plugin: pulse
        outputenabled: 0
        attribute: description=The attic
        outputid: 1
        outputname: hall
        plugin: pulse
        outputenabled: 1
        attribute: description=The hall

        """)
    // What is enabled already stays, and what is disabled.
    _ = try ask(commands, .enableoutput(1))
    _ = try ask(commands, .disableoutput(0))
    #expect(device.chosen == [] && !sound.isSwitchedOff)
    _ = try ask(commands, .enableoutput(0))
    #expect(device.chosen == ["attic"])
    #expect(try list(commands) == ["0 attic*", "1 hall"])
    sound.route = "attic"
    #expect(try list(commands) == ["0 attic*", "1 hall"])
    // The server, or a person, has it elsewhere.
    sound.route = "hall"
    #expect(try list(commands) == ["0 attic", "1 hall*"])
    _ = try ask(commands, .toggleoutput(0))
    #expect(device.chosen == ["attic", "attic"])
  }

  @Test func offIsOffWhereverTheSoundWas() throws {
    device.set(["attic", "hall"], destination: "hall")
    let commands = commands()
    _ = try ask(commands, .disableoutput(1))
    #expect(sound.isSwitchedOff)
    #expect(try list(commands) == ["0 attic", "1 hall"])
    // As `mpc enable only` does.
    _ = try ask(commands, .enableoutput(0))
    _ = try ask(commands, .disableoutput(1))
    #expect(!sound.isSwitchedOff && device.chosen == ["attic"])
    #expect(calls.switches.withLock { $0 } == 2)
    _ = try ask(commands, .toggleoutput(0))
    #expect(sound.isSwitchedOff)
    _ = try ask(commands, .toggleoutput(0))
    #expect(!sound.isSwitchedOff && device.chosen == ["attic"])
  }

  @Test func choiceIsTakenBackWhileTheSoundMoves() throws {
    device.set(["attic", "hall"], destination: "hall")
    sound.route = "hall"
    let commands = commands()
    _ = try ask(commands, .enableoutput(0))
    // The route has not changed yet.
    _ = try ask(commands, .enableoutput(1))
    #expect(device.chosen == ["attic", "hall"])
    #expect(try list(commands) == ["0 attic", "1 hall*"])
    // Chosen already.
    _ = try ask(commands, .enableoutput(1))
    #expect(device.chosen == ["attic", "hall"])
  }

  @Test func presentOutputReplacesAChosenOneThatIsGone() throws {
    device.set(["attic", "hall"], destination: "hall")
    sound.route = "hall"
    let commands = commands()
    _ = try ask(commands, .enableoutput(0))
    sound.route = "attic"
    device.set(["hall"])
    sound.route = "hall"
    #expect(try list(commands) == ["1 hall*"])
    _ = try ask(commands, .enableoutput(1))
    #expect(device.chosen == ["attic", "hall"])
    _ = try ask(commands, .enableoutput(1))
    #expect(device.chosen == ["attic", "hall"] && !sound.isSwitchedOff)
  }

  @Test("A command before the device's first answer waits for it, whoever has asked") func firstAnswer()
    throws
  {
    device.set(["attic", "hall"], destination: "hall")
    device.beSilent()
    sound.route = "hall"
    let commands = commands()
    let first = begin(commands, .outputs)
    try device.waitUntilAsked()
    let second = begin(commands, .outputs)
    let third = begin(commands, .toggleoutput(0))
    device.answer()
    let expected = try first.get()
    #expect(String(decoding: expected.bytes, as: UTF8.self).hasPrefix("outputid: 0\noutputname: attic\n"))
    #expect(try second.get() == expected)
    _ = try third.get()
    #expect(device.chosen == ["attic"])
  }

  @Test func idsStayAndChangesAreTold() throws {
    device.set(["attic", "hall"], destination: "hall")
    let commands = commands()
    _ = try list(commands)
    let before = calls.changes.withLock { $0 }
    device.set(["hall"], destination: "hall")
    #expect(try list(commands) == ["1 hall*"])
    #expect(throws: Ack.noSuchOutput) { try ask(commands, .enableoutput(0)) }
    device.set(["cellar", "hall", "attic"], destination: "hall")
    #expect(try list(commands) == ["2 cellar", "1 hall*", "0 attic"])
    // A server that is away still has the output that clients know.
    sound.route = "hall"
    device.set(nil)
    #expect(try ask(commands, .outputs) == "outputid: 1\noutputname: hall\nplugin: pulse\noutputenabled: 1\n")
    #expect(calls.changes.withLock { $0 } == before + 2)
  }

  @Test func deviceWithoutAChoiceIsOneOutput() throws {
    let commands = OutputCommands(sound: sound, plugin: "simulated", onSwitch: {})
    #expect(
      try ask(commands, .outputs)
        == "outputid: 0\noutputname: simulated\nplugin: simulated\noutputenabled: 1\n")
    #expect(throws: Ack.noSuchOutput) { try ask(commands, .toggleoutput(1)) }
  }
}
