import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import MusicLibrary

/// Long answers are made once, and anew when the library has changed.
@Suite(.timeLimit(.minutes(10))) struct KeptAnswersTests {
  private func command(_ arguments: String...) throws -> Command.Database {
    guard case .database(let command) = try Command(try Request("list", arguments.map { Argument($0) }))
    else {
      throw CocoaError(.featureUnsupported)
    }
    return command
  }

  private func reply(_ size: Int, _ letter: Character = "x") -> Reply {
    var reply = Reply()
    while reply.bytes.count < size { reply.append("Title", String(repeating: letter, count: 1_000)) }
    return reply
  }

  @Test("A long answer is that of before, until a song comes") func keeps() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try folder.song("a.mp3", ["TIT2": "A"])
    let run = try LibraryRun(folder)
    try run.start()
    let titles = try command("title")
    /// Asks, and says whether the answer was made for it.
    func isMade(_ letter: Character, _ size: Int = KeptAnswers.shortest) throws -> (Bool, Reply) {
      var isMade = false
      let answer = try run.library.read { reader throws(DatabaseError) in
        try reader.answer(to: titles) {
          isMade = true
          return reply(size, letter)
        }
      }
      return (isMade, answer)
    }
    let first = try isMade("a")
    let second = try isMade("b")
    #expect(first.0 && !second.0 && second.1 == first.1)
    try run.update()
    #expect(try isMade("c").0 == false, "nothing has changed")
    try folder.song("b.mp3", ["TIT2": "B"])
    try run.update()
    let third = try isMade("d")
    #expect(third.0 && third.1 != first.1)
    try FileManager.default.removeItem(atPath: folder.file("music/b.mp3"))
    try run.update()
    #expect(try isMade("e", 10_000).0)
    #expect(try isMade("f", 10_000).0, "a short one is made each time")
  }

  @Test("They have a limit, above which the oldest go") func limit() throws {
    var kept = KeptAnswers()
    let third = KeptAnswers.limit / 3
    let commands = try ["title", "album", "artist", "genre"].map { try command($0) }
    for command in commands.prefix(3) { kept.keep(reply(third - 2_000), to: command, 1) }
    for command in commands.prefix(3) { #expect(kept.reply(to: command, 1) != nil) }
    kept.keep(reply(third), to: commands[3], 1)
    #expect(commands.map { kept.reply(to: $0, 1) != nil } == [false, true, true, true])
    kept.keep(reply(KeptAnswers.limit + 1), to: commands[0], 1)
    #expect(kept.reply(to: commands[0], 1) == nil)
    #expect(kept.reply(to: commands[1], 1) != nil)
    #expect(kept.reply(to: commands[1], 2) == nil)
    kept.keep(reply(third), to: commands[0], 2)
    #expect(commands.map { kept.reply(to: $0, 2) != nil } == [true, false, false, false])
  }
}
