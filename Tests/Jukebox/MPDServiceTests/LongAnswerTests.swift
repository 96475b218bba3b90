import ControlProtocol
import ControlTestSupport
import Jukebox
import JukeboxPlayback
import MusicFiles
import TestSupport
import Testing

@testable import MPDService

/// What is answered about a queue that is longer than one piece of an answer.
@Suite struct LongAnswerTests {
  private let host: JukeboxHost
  private let commands: QueueCommands
  private static let count = 1000

  init() throws {
    var generator = SystemRandomNumberGenerator()
    var machine = JukeboxMachine(using: &generator)
    let ids = try machine.add((0..<Self.count).map { Song(path: Array("/music/\($0).mp3".utf8)) })
    machine.setMetadata(
      ids.enumerated().map { ($1, SongMetadata(tags: [SongTag(.title, Argument("Title \($0 % 10)"))])) })
    host = JukeboxHost(machine)
    commands = QueueCommands(host: host, home: try MusicHome(MediaPath("/")))
  }

  /// The whole answer to a request, and how many pieces it had. `meanwhile` is called before each piece.
  private func answer(
    _ request: String, meanwhile: () throws -> Void = {}
  ) throws -> (text: String, pieces: Int) {
    var machine = ConnectionMachine()
    _ = machine.next()
    machine.append("\(request)\n".utf8)
    guard case .perform(.listing(let command), let context) = machine.next() else { return ("", 0) }
    machine.complete(.success(try commands.list(command, tags: context.tags)))
    var bytes: [UInt8] = []
    var pieces = 0
    while true {
      try meanwhile()
      guard let action = machine.next() else { break }
      if case .send(let piece) = action { bytes += piece }
      pieces += 1
      #expect(bytes.count <= pieces * 65_536)
    }
    #expect(machine.isAnswering == false)
    return (String(decoding: bytes, as: UTF8.self), pieces)
  }

  private static func songs(in text: String) -> Int {
    text.split(separator: "\n").count { $0.hasPrefix("Id: ") }
  }

  @Test(arguments: [
    "playlistinfo", "playlistinfo 3:900", "playlistid", "plchanges 0", "plchanges 1", "playlist",
  ])
  func isThatOfShortOnesTogether(request: String) throws {
    let (text, pieces) = try answer(request)
    #expect(pieces > 1)
    let command = request.hasPrefix("playlistinfo 3") ? 3..<900 : 0..<Self.count
    guard request != "playlist" else {
      #expect(text.split(separator: "\n").count == Self.count + 1)
      return
    }
    let single = try command.map { try answer("playlistinfo \($0)") }
    #expect(single.allSatisfy { $0.pieces == 1 })
    #expect(text == single.map { $0.text.dropLast("OK\n".count) }.joined() + "OK\n")
  }

  @Test func changesAreThoseSinceTheVersion() throws {
    let version = host.read { $0.queue.version }
    try host.change { machine throws(JukeboxError) in try machine.move(10..<11, to: .absolute(20)) }
    let few = try answer("plchangesposid \(version)")
    #expect(few.pieces == 1 && Self.songs(in: few.text) == 11)
    try host.change { machine throws(JukeboxError) in try machine.delete(500..<501) }
    let many = try answer("plchangesposid \(version)")
    #expect(many.pieces > 1 && Self.songs(in: many.text) == 11 + 499)
    #expect(many.text.hasPrefix(few.text.dropLast("OK\n".count)))
  }

  @Test(arguments: ["playlistinfo", "plchanges 0", "playlistsearch any e", "playlist"])
  func isOfTheMomentOfTheRequest(request: String) throws {
    let before = try answer(request).text
    var edits = 0
    let during = try answer(request) {
      try host.change { machine throws(JukeboxError) in
        if edits.isMultiple(of: 2) { try machine.delete(0..<10) } else { try machine.shuffle() }
      }
      edits += 1
    }.text
    #expect(edits > 3 && during == before)
    #expect(try answer(request).text != before)
  }

  @Test func whatIsFoundIsLookedForInPieces() throws {
    let found = try answer("playlistfind title \"Title 3\"")
    #expect(found.pieces > 10)
    #expect(Self.songs(in: found.text) == Self.count / 10)
    let nothing = try answer("playlistfind title x")
    #expect(nothing.text == "OK\n" && nothing.pieces > 10)
  }

  @Test("An expression that takes too many steps ends the answer with a refusal") func expensiveExpression()
    throws
  {
    let title = String(repeating: "a", count: 60)
    try host.change { machine throws(JukeboxError) in
      let ids = (900..<Self.count).compactMap { machine.queue[position: $0]?.id }
      machine.setMetadata(ids.map { ($0, SongMetadata(tags: [SongTag(.title, Argument(title))])) })
    }
    for command in ["playlistfind", "playlistsearch"] {
      let (text, _) = try answer("\(command) \"(title =~ '^Title 1|(a+)+[bz]')\"")
      #expect(Self.songs(in: text) == 90)
      let end = text.split(separator: "\n").last ?? ""
      #expect(end.hasPrefix("ACK [2@0] {\(command)} ") && end.contains("regular expression"), "\(end)")
    }
    #expect(try answer("playlistfind \"(title =~ '^Title 1')\"").text.hasSuffix("\nOK\n"))
  }
}
