import Foundation
import PulseTestSupport
import Testing

extension ClientTests {
  /// What three shells offer for the words of a command line.
  @Suite struct CompletionTests {
    /// A shell, how it is started, and what it is told before its first line.
    struct Shell: CustomTestStringConvertible, Sendable {
      let name: String
      let arguments: [String]
      let beginning: String
      var testDescription: String { name }
    }

    static let shells = [
      Shell(name: "bash", arguments: ["bash", "--norc", "--noprofile"], beginning: "PS1='$ '"),
      Shell(
        name: "zsh", arguments: ["zsh", "-f"], beginning: "PS1='$ '; autoload -U compinit; compinit -u -D"),
      Shell(
        name: "fish", arguments: ["fish", "--no-config"], beginning: "function fish_prompt; echo '$ '; end"),
    ]

    /// Beginnings of lines, what is offered behind them, and what is not.
    static let lines: [(text: String, offers: [String], hides: [String])] = [
      ("play --output ", ["pulse", "simulated", "wav:"], ["a.mp3"]),
      ("play --output wav:", ["old.wav"], ["a.mp3"]),
      ("play --sink ", ["hall", "garden"], ["a.mp3"]),
      ("play --background-modes audio,fe", ["audio,fetch"], []),
      ("play --background-modes v", ["voip"], []),
      ("play --at 3:pa", ["3:pause"], []),
      ("play --at 3:inter", ["interrupt"], ["pause"]),
      ("play ", ["a.mp3", "list.m3u", "old.wav", "sub"], ["notes.txt"]),
      ("serve --home . ", ["a.mp3"], ["notes.txt"]),
      ("watch ", ["time", "events"], []),
      ("watch time ", ["0.01"], ["events"]),
      ("watch time 0.01 e", ["time 0.01 events"], []),
      ("ctl playlistin", ["playlistinfo"], []),
      ("ctl --json playlistin", ["playlistinfo"], []),
      ("seek +", ["+5", "+30"], ["-5"]),
      ("add ", ["a.mp3"], ["notes.txt"]),
    ]

    @Test(arguments: shells) func valuesAreOffered(shell: Shell) async throws {
      let hall = try await Hall()
      defer { hall.close() }
      for name in ["notes.txt", "old.wav"] {
        try Data().write(to: URL(fileURLWithPath: "\(hall.music)/\(name)"))
      }
      // What lists the sinks, where there is a server. Two: one alone would be taken by the first key, and the second key
      // would ask for what comes behind it.
      let bin = "\(hall.folder)/bin"
      try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
      let sinks = ["hall", "garden"].map {
        "printf '0\\t\($0)\\tmodule-null-sink.c\\ts16le 2ch 44100Hz\\tIDLE\\n'\n"
      }
      try await write(program: sinks.joined(), to: "\(bin)/pactl")
      let program = product("continuo")
      let script = "\(hall.folder)/script"
      try Data(try await output(of: [program, "--generate-completion-script", shell.name])).write(
        to: URL(fileURLWithPath: script))
      let programs = URL(fileURLWithPath: program).deletingLastPathComponent().path
      let window = try await Window(
        hall, shell.arguments,
        environment: ["PATH": "\(bin):\(programs):\(hall.environment["PATH"] ?? "")"])
      do {
        try await window.press("\(shell.beginning); source \(script); cd \(hall.music); clear", "Enter")
        try await window.shows("a prompt") { $0.hasPrefix("$") && !$0.contains("source") }
        for line in Self.lines {
          try await window.press("continuo \(line.text)", "Tab", "Tab")
          try await window.shows("\(line)") { screen in line.offers.allSatisfy { screen.contains($0) } }
          let screen = try await window.screen()
          #expect(!line.hides.contains { screen.contains($0) }, "\(line): \(screen)")
          try await window.press("C-u", "clear", "Enter")
          try await window.shows("a prompt") { $0.hasPrefix("$") && !$0.contains("continuo") }
        }
      } catch {
        await window.end()
        throw error
      }
      await window.end()
    }
  }
}
