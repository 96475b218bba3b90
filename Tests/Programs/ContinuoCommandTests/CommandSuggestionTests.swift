import Testing

@testable import ContinuoCommand

@Suite struct CommandSuggestionTests {
  @Test("No arguments at all, not even the program's name, are told with their cause")
  func noArguments() {
    #expect(CommandLineTool.reasonForNoArguments(count: 1) == nil)
    #expect(CommandLineTool.reasonForNoArguments(count: 0)?.contains("/proc") == true)
  }

  @Test(
    "A mistyped command gets a suggestion",
    arguments: [
      ("ply", "play"), ("prev", "previous"), ("stauts", "status"), ("pasue", "pause"), ("serv", "serve"),
      ("rate", "speed"), ("ls", "queue"), ("playnext", "insert"),
    ])
  func suggests(_ word: String, _ command: String) throws {
    let hint = try #require(CommandSuggestion.hint(for: word))
    #expect(hint.contains("did you mean continuo \(command)?"), "\(hint)")
  }

  @Test("What is a command, or an option, gets none", arguments: ["play", "help", "ctl", "--help", "-h", ""])
  func knows(_ word: String) { #expect(CommandSuggestion.hint(for: word) == nil) }

  @Test("What can be played is told how", arguments: ["/", "http://example.org/a.mp3"])
  func plays(_ word: String) throws {
    let hint = try #require(CommandSuggestion.hint(for: word))
    #expect(hint.hasSuffix("to play it: continuo play \(word)"), "\(hint)")
  }

  @Test(
    "A crossfade is refused with the reason",
    arguments: [["crossfade", "5"], ["play", "--crossfade", "5", "a.mp3"], ["serve", "--xfade"]])
  func crossfade(_ arguments: [String]) throws {
    #expect(CommandSuggestion.hint(for: arguments)?.contains("exact frames") == true)
  }

  @Test("Help for what is no command is a mistake like any other") func help() throws {
    #expect(CommandSuggestion.hint(for: ["help", "plya"])?.contains("continuo play?") == true)
    #expect(CommandSuggestion.hint(for: ["help", "play"]) == nil)
    #expect(CommandSuggestion.hint(for: ["help"]) == nil)
  }

  @Test("What is like nothing is said to be none") func unlike() throws {
    let hint = try #require(CommandSuggestion.hint(for: "Nowhere/song.mp3"))
    #expect(hint.contains("continuo play plays files") && !hint.contains("did you mean"))
    #expect(CommandSuggestion.hint(for: String(repeating: "x", count: 100_000)) != nil)
  }

  @Test("A time may begin with its point") func point() throws {
    #expect(try ScheduledCommand(parsing: ".5:quit").time == .milliseconds(500))
    #expect(throws: SyntaxError.self) { try ScheduledCommand(parsing: ".:quit") }
  }
}
