import ArgumentParser
import ControlClient
import SystemSupport
import Testing
import TextFormatting

@testable import ContinuoCommand

@Suite struct ControllingOptionTests {
  @Test(arguments: [
    ["seek"], ["seek", "x"], ["seek", "1", "2"], ["seek", "+"], ["seek", "--json", "1"], ["volume", "101"],
    ["volume", "x"], ["volume", "1", "2"], ["volume", "--json", "5"], ["volume", "--loud"], ["add"],
    ["add", ""], ["pause", "now"], ["status", "--socket", ""], ["status", "--socket"], ["pause", "--json"],
    ["interrupt"], ["interrupt", "maybe"], ["interrupt", "begin", "resume"], ["interrupt", "end", "later"],
    ["watch", "time"], ["watch", "time", "0"], ["watch", "time", "x"], ["watch", "time", "9999"],
    ["watch", "nothing"], ["watch", "events", "events", "events", "events"], ["ctl"], ["ctl", "--"],
    ["ctl", "--json"], ["ctl", "noidle"], ["ctl", "command_list_begin"], ["ctl", "--json", "watch"],
    ["ctl", "--xml", "status"], ["random", "maybe"], ["random", "oneshot"], ["repeat", "--json", "on"],
    ["consume", "oneshot"], ["single", "1"], ["jump"], ["jump", "0"], ["jump", "-1"], ["jump", "x"],
    ["delete"], ["delete", "0"], ["delete", "3-2"], ["delete", "1-2-3"], ["delete", "+1"], ["move", "1"],
    ["move", "1", "0"], ["move", "1", "2", "3"], ["search"], ["search", ""],
    ["search", "--add", "--json", "x"],
    ["load"], ["save"], ["save", "--append", "--replace", "x"], ["playlists", "a", "b"],
    ["update", "a", "b"], ["speed", "5"], ["speed", "1", "2"], ["speed", "--json", "1"], ["outputs", ""],
    ["outputs", "--json", "hall"], ["sleep", "30"],
    ["sleep", "30x"], ["sleep", "0m"], ["sleep", "25h"], ["sleep", ""], ["sleep", "--json", "5m"], ["insert"],
  ])
  func nonsenseIsAUsageError(_ arguments: [String]) throws {
    let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(arguments) }
    guard let error else { return }
    #expect(RootCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue)
    #expect(!RootCommand.message(for: error).isEmpty)
  }

  @Test func aPasswordIsNotShown() throws {
    let error = #expect(throws: (any Error).self) {
      try RootCommand.parseAsRoot(["status", "--host", "a@b@c"])
    }
    let message = error.map { RootCommand.message(for: $0) } ?? ""
    #expect(message.contains("\"b@c\" is not a host") && !message.contains("a@b"))
  }

  @Test(arguments: [
    (["status", "--socket", "/a"], "/b", "/a"), (["status"], "/b", "/b"),
    (["ctl", "--socket", "/a", "add", "--socket"], nil, "/a"),
  ])
  func whichSocket(_ arguments: [String], _ variable: String?, _ path: String) throws {
    let command = try #require(try RootCommand.parseAsRoot(arguments) as? any ControlCommand)
    let server = try command.control.server { $0 == "CONTINUO_SOCKET" ? variable : nil }
    #expect(server.address == .path(path))
  }

  @Test func socketThatNobodyNames() throws {
    let command = try #require(try RootCommand.parseAsRoot(["status"]) as? any ControlCommand)
    for variable in [nil, ""] {
      #expect("\(try command.control.server { _ in variable }.address)".hasSuffix("/socket"))
    }
  }

  /// All commands that speak to a server.
  private static let commands: [any ControlCommand.Type] =
    RootCommand.configuration.subcommands.compactMap { $0 as? any ControlCommand.Type }

  @Test func allAreThere() {
    let names = Self.commands.map { $0._commandName }
    #expect(
      names.sorted()
        == [
          "add", "clear", "consume", "crop", "ctl", "delete", "foreground", "home", "insert", "interrupt",
          "jump", "launch", "lifecycle", "load", "lock", "move", "next", "outputs", "pause", "playlists",
          "previous",
          "queue", "random", "repeat", "resume", "save", "search", "seek", "shuffle", "single", "sleep",
          "speed",
          "status", "stop", "terminate", "toggle", "unlock", "update", "volume", "watch",
        ])
  }

  @Test func helpExplainsEverything() {
    for command in Self.commands {
      let help = RootCommand.helpMessage(for: command, columns: 80)
      for word in ["--socket", "CONTINUO_SOCKET", "--host", "MPD_HOST", "EXIT STATUS", "69"] {
        #expect(help.contains(word), "\(command)")
      }
      #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
    // A value that is refused is not offered.
    for command in [Random.self, Repeat.self, Consume.self] as [any ControlCommand.Type] {
      #expect(!RootCommand.helpMessage(for: command, columns: 80).contains("oneshot"))
    }
    // Its words are all of the rest, and yet this is a question.
    for word in ["--help", "-h"] {
      let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["ctl", word]) }
      if let error { #expect(RootCommand.exitCode(for: error) == .success) }
    }
  }

  /// A person's help names each key that the JSON has.
  @Test func helpNamesTheKeys() {
    let values: [(any ParsableCommand.Type, JSONValue)] = [
      (Status.self, RemoteStatus(status: ReplyFields(), song: ReplyFields(), lifecycle: ReplyFields()).json),
      (ShowLifecycle.self, RemoteLifecycle(ReplyFields()).json),
    ]
    for (command, value) in values {
      guard case .object(let members) = value else {
        Issue.record("no object")
        continue
      }
      let help = RootCommand.helpMessage(for: command, columns: 80)
      for member in members { #expect(help.contains(member.key)) }
    }
  }
}
