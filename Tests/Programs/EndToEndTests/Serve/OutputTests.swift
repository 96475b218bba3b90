import Foundation
import PulseOutput
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// The server's sinks as outputs that people choose.
  @Suite struct OutputTests {
    @Test func soundMovesToAnotherSinkWithoutLosingAFrame() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 10, seed: 61).write(into: studio.folder)
      let pulse = try studio.startServer()
      try pactl(
        pulse.address, "load-module", "module-null-sink", "sink_name=hall", "norewinds=1",
        "format=float32le", "rate=44100", "channels=2", "sink_properties=device.description=Concert-Hall")
      let first = try await studio.capture(pulse.address)
      let second = try await studio.capture(pulse.address, sink: "hall")
      let served = try await studio.serve(["--no-state"], server: pulse)
      let client = try Conversation(studio.socketPath)
      let waiting = try Conversation(studio.socketPath)
      // Before any sound the sinks are known, and the default one has it.
      let listed = try await client.ask("outputs")
      #expect(
        listed.filter { $0.hasPrefix("output") } == [
          "outputid: 0", "outputname: continuo", "outputenabled: 1",
          "outputid: 1", "outputname: hall", "outputenabled: 0",
        ])
      #expect(listed.contains("attribute: description=Concert-Hall"))
      #expect(try await client.ask("add \"\(path)\"") == ["OK"])
      #expect(try await client.ask("play") == ["OK"])
      _ = try await first.heard(30_000)
      waiting.send("idle output")
      #expect(try await client.ask("enableoutput 1") == ["OK"])
      let after = try await client.ask("outputs").filter { $0.hasPrefix("outputenabled") }
      #expect(after == ["outputenabled: 0", "outputenabled: 1"])
      _ = try await waiting.lines(from: 1, until: "changed: output") { $0 == "changed: output" }
      _ = try await second.heard(30_000)
      #expect(try await client.field("state", of: "status") == "play")
      // By name, and back.
      let socket = ["--socket", studio.socketPath]
      _ = try await Run("continuo", ["outputs", "CONT"] + socket).finished()
      try await client.comes("state: stop", in: "status")
      _ = try await Run("continuo", ["outputs", "cellar"] + socket).finished(status: 1)
      let list = try await Run("continuo", ["outputs"] + socket).finished()
      #expect(list.output.first?.hasPrefix("on  continuo") == true)
      #expect(list.output.last == "off hall      Concert-Hall")
      let (begin, middle) = (Sound(try await first.untilSilence()), Sound(second.read { $0 }))
      let (away, frames) = (begin.trimmed.longestSilence, begin.trimmed.frames)
      let parts = frames[..<away.start] + middle.trimmed.frames + frames[(away.start + away.count)...]
      let heard = Sound(format: begin.format, frames: parts)
      expectSame(heard.withoutSilence, try await Sound.mpg123([path]).withoutSilence, "all three parts")
      // Off is silence, wherever it is switched; on is there.
      #expect(try await client.ask("disableoutput 1") == ["OK"])
      #expect(try await client.ask("toggleoutput 0") == ["OK"])
      #expect(try await client.ask("outputs").filter { $0 == "outputenabled: 0" }.count == 2)
      #expect(try await client.ask("enableoutput 7") == ["ACK [50@0] {enableoutput} No such audio output"])
      for conversation in [client, waiting] { conversation.finish() }
      _ = try await served.ended(by: SIGTERM)
    }
  }
}
