import Foundation
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// What people get wrong, and what they are told.
  @Suite struct CommandLineTests {
    /// Runs the program, or another one, to its end, or without a status until it has said `text`.
    private func says(
      _ text: String, _ arguments: [String], status: Int32?, in studio: Studio
    ) async throws {
      let player = try Player(
        arguments, environment: studio.environment, folder: studio.folder, hasEvents: false)
      defer { player.kill() }
      _ = try await player.log.wait(for: text) { log in log.errors.contains { $0.contains(text) } }
      if status == nil { player.child.signal(SIGTERM) }
      let end = try await player.ended()
      if let status { #expect(end.status == status) }
    }

    @Test func anotherProgramsWayToShuffleIsKnown() async throws {
      let studio = try Studio()
      defer { studio.close() }
      for arguments in [
        ["--shuffle"], ["play", "--shuffle", "Media"], ["play", "Media", "--random"], ["play", "-z", "."],
      ] {
        try await says("| shuf | continuo play -", arguments, status: 64, in: studio)
      }
    }

    @Test("Where /proc is not mounted, the arguments are those that were given") func noProc() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let environment = try await Interposer.withoutProc(in: studio.folder).environment
      let song = try await Song(duration: 0.2).write(into: studio.folder)
      for (arguments, status, text) in [
        (["--version"], 0, "continuo "), (["ply"], 64, "did you mean continuo play?"),
        (["play", "--no-socket", "--output", "wav:\(studio.folder)/out.wav", song], 0, "1/1 "),
        (["play", "--no-socket", "--output", "simulated", song], 0, "1/1 "),
      ] as [([String], Int32, String)] {
        let player = try Player(
          arguments, environment: studio.environment.merging(environment) { $1 }, folder: studio.folder,
          hasEvents: false)
        #expect(try await player.ended().status == status)
        let said = player.log.value
        #expect((said.output + said.errors).contains { $0.contains(text) }, "\(said)")
      }
    }

    @Test func aServerThatDoesNotAnswerIsNamed() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 0.2).write(into: studio.folder)
      let arguments = ["--server", "unix:/nowhere/kitchen"]
      try await says(
        "the sound server at unix:/nowhere/kitchen", ["play", "--no-socket", path] + arguments,
        status: nil,
        in: studio)
    }

    @Test func aNameThatIsNotThereIsNamed() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let server = try await studio.serve(["--output", "simulated", "--no-state"])
      let place = ["--socket", studio.socketPath]
      try await says(
        "nonexist: no such file or folder", ["add"] + place + ["nonexist"], status: 1, in: studio)
      try await says("continuo jump 2", ["play", "--no-socket", "2"], status: 66, in: studio)
      let song = try await Song(duration: 1).write(into: studio.folder)
      let added = try Player(
        ["add"] + place + [song], environment: studio.environment, folder: studio.folder, hasEvents: false)
      #expect(try await added.ended().status == 0)
      // The protocol's line in one word, as its manual has it.
      let asked = try Player(
        ["ctl"] + place + ["playlistinfo 0"], environment: studio.environment, folder: studio.folder,
        hasEvents: false)
      #expect(try await asked.ended().status == 0)
      #expect(asked.log.value.output.contains("Pos: 0"), "\(asked.log.value)")
      server.child.signal(SIGTERM)
      try await server.ended()
    }
  }
}
