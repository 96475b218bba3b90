import ControlProtocol
import ControlServer
import Foundation
import Glibc
import MusicFiles
import TestSupport
import Testing

@testable import ContinuoCommand

/// What the commands for people send, and how they end. Each test has a server of its own.
@Suite(.timeLimit(.minutes(10))) struct ControllingCommandTests {
  @Test(arguments: [
    (["pause"], ["pause 1"]), (["resume"], ["play"]), (["stop"], ["stop"]), (["next"], ["next"]),
    (["previous"], ["previous"]), (["clear"], ["clear"]), (["home"], ["home"]),
    (["foreground"], ["foreground"]),
    (["lock"], ["lock"]), (["unlock"], ["unlock"]), (["terminate"], ["terminate"]), (["launch"], ["launch"]),
    (["interrupt", "begin"], ["interrupt begin"]), (["interrupt", "end"], ["interrupt end resume"]),
    (["interrupt", "end", "noresume"], ["interrupt end noresume"]),
    (["seek", "1:02"], ["seekcur 62.000"]), (["seek", "12.34"], ["seekcur 12.340"]),
    (["seek", "+5"], ["seekcur +5.000"]), (["seek", "-5"], ["seekcur -5.000"]),
    (["seek", "-0:05.5"], ["seekcur -5.500"]), (["seek", "--", "-5"], ["seekcur -5.000"]),
    (["volume", "50"], ["setvol 50"]), (["volume", "+5"], ["volume 5"]),
    (["volume", "-100"], ["volume -100"]),
    (["volume", "--", "-5"], ["volume -5"]),
    (["ctl", "setvol", "7"], ["setvol 7"]), (["ctl", "volume", "-5"], ["volume -5"]),
    (["ctl", "--", "seekcur", "-1.5"], ["seekcur -1.500"]),
    (["ctl", "add", "a b", "+1"], ["add \"a b\" +1"]),
    (["ctl", "load", "--json"], ["load --json"]),
  ])
  func sends(_ arguments: [String], _ lines: [String]) throws {
    let server = try ScriptedServer()
    let printed = try server.run(arguments)
    #expect(server.lines == lines)
    #expect(printed.status == .played)
    #expect(printed.text == "" && printed.complaints == [])
  }

  @Test(arguments: [("play", "pause"), ("pause", "pause"), ("stop", "play")])
  func togglesWhatTheServerMeans(_ state: String, _ line: String) throws {
    let server = try ScriptedServer { _ throws(Ack) in Reply(["state": state]) }
    #expect(try server.run(["toggle"]).status == .played)
    #expect(server.lines == ["status", line])
  }

  @Test(arguments: [["pause"], ["status"], ["queue"], ["volume"], ["lifecycle"], ["ctl", "stats"]])
  func refusalsAreTold(_ arguments: [String]) throws {
    let server = try ScriptedServer { _ throws(Ack) in throw Ack(.playerSync, "not now") }
    let printed = try server.run(arguments)
    #expect(printed.status == .refused && printed.status.rawValue == 1)
    #expect(printed.complaints == ["not now"])
    #expect(printed.text == "")
  }

  @Test func withoutAServer() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("nobody")
    for arguments in [["status"], ["next"], ["add", "a"], ["watch"], ["ctl", "ping"]] {
      let printed = try Printed(arguments, path: path)
      #expect(printed.status == .unavailable && printed.status.rawValue == 69)
      let told = try #require(printed.complaints.first)
      #expect(told.contains("no server at \(path)"))
      #expect(told.contains("continuo serve --socket \(path)"))
    }
  }

  @Test func serverThatSaysNothing() throws {
    let folder = try TemporaryFolder()
    let descriptor = try listen(at: folder.file("socket"))
    defer { close(descriptor) }
    let printed = try Printed(["status"], path: folder.file("socket"))
    #expect(printed.status == .unavailable)
    #expect(printed.complaints == ["the server at \(folder.file("socket")) has not answered for 5 s"])
  }

  /// A socket at which nobody ever accepts.
  private func listen(at path: String) throws -> Int32 {
    let descriptor = unixSocket()
    let result = withUnixAddress(path) { bind(descriptor, $0, $1) }
    #expect(result == 0 && Glibc.listen(descriptor, 5) == 0)
    return descriptor
  }

  @Test func readerThatLeavesIsNoError() throws {
    let server = try ScriptedServer { _ throws(Ack) in Reply(["volume": "1"]) }
    let printed = try server.run(["volume"], lines: 0)
    #expect(printed.status == .played && printed.complaints == [])
  }

  // MARK: Adding

  @Test func addsWhatTheNamesMeanHere() throws {
    let server = try ScriptedServer()
    let here = MediaPath.workingDirectory().description
    #expect(try server.run(["add", "a b.mp3", "/x/./y.mp3", "file:///z%20.mp3", "."]).status == .played)
    let expected = [
      Argument("\(here)/a b.mp3"), Argument("/x/y.mp3"), Argument("file:///z%20.mp3"), Argument(here),
    ]
    #expect(
      server.lines
        == expected.map { uri in
          var line: [UInt8] = []
          (try? Request("add", [uri]))?.write(into: &line)
          return Argument(line.dropLast()).description
        })
  }

  @Test(arguments: [
    ("a", "/m/a"), ("./a", "/m/a"), ("../a", "/m/../a"), ("/a", "/a"), (".", "/m"),
    ("http://h/a", "http://h/a"),
    ("file:/a", "file:/a"), ("a:b", "/m/a:b"), ("new\nline", "file:///m/new%0Aline"), ("\\ \"", "/m/\\ \""),
  ])
  func namesBecomeAbsolute(_ name: String, _ uri: String) {
    #expect(Add.uri(MediaPath(name), directory: MediaPath("/m")) == Argument(uri))
  }

  @Test func namesThatAreNotUTF8StayBytes() {
    let name: [UInt8] = [0xE4, 0x2E, 0xFF]
    #expect(
      Add.uri(MediaPath(bytes: name), directory: MediaPath("/m")) == Argument(Array("/m/".utf8) + name))
  }

  @Test func eachFailureIsToldAndTheRestAdded() throws {
    let server = try ScriptedServer { command throws(Ack) in
      if case .library(.add(let uri, _)) = command, uri.description.contains("bad") { throw .noSuchSong }
      return Reply()
    }
    let long = String(repeating: "x", count: ProtocolLimits.requestLine)
    let printed = try server.run(["add", "/bad1", "/good1", "/\(long)", "/bad2", "/good2"])
    #expect(printed.status == .refused)
    #expect(
      printed.complaints == [
        "/bad1: No such song", "/\(long): the line is longer than 8192 bytes", "/bad2: No such song",
      ])
    #expect(server.lines == ["add /bad1", "add /good1", "add /bad2", "add /good2"])
  }

  // MARK: Replies as they came

  @Test func ctlPrintsWhatCame() throws {
    let picture = (0..<3000).map { UInt8(truncatingIfNeeded: $0) }
    let server = try ScriptedServer { command throws(Ack) in
      var reply = Reply()
      if command == .listing(.playlist) {
        reply.appendPlaylistLine(position: 0, file: "a: b.mp3")
      } else {
        reply.appendBinary(picture, totalSize: 9000, mediaType: "image/png")
      }
      return reply
    }
    #expect(try server.run(["ctl", "playlist"]).text == "0:file: a: b.mp3\n")
    let raw = try server.run(["ctl", "readpicture", "a", "0"])
    #expect(raw.bytes == Array("size: 9000\ntype: image/png\nbinary: 3000\n".utf8) + picture + [0x0A])
    let shown = try server.run(["ctl", "readpicture", "a", "0"], terminal: true)
    #expect(shown.text == "size: 9000\ntype: image/png\nbinary: 3000\n(3000 bytes)\n")
    let json = try server.run(["ctl", "--json", "readpicture", "a", "0"])
    let lines = try #require(
      try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [[String: String]])
    #expect(lines.map { $0["name"] } == ["size", "type", "binary"])
    #expect(lines.map { $0["value"] } == ["9000", "image/png", "3000"])
    #expect(lines.last?["base64"].flatMap { Data(base64Encoded: $0) } == Data(picture))
  }

  @Test func terminalsGetNothingTheyWouldObey() throws {
    let server = try ScriptedServer { _ throws(Ack) in Reply(["Title": "a\u{9B}31mb\u{202E}c"]) }
    #expect(try server.run(["ctl", "currentsong"]).text == "Title: a\u{9B}31mb\u{202E}c\n")
    #expect(try server.run(["ctl", "currentsong"], terminal: true).text == "Title: a\u{FFFD}31mb\u{FFFD}c\n")
  }

  @Test func ctlOfAConnectionsOwnCommands() throws {
    let server = try ScriptedServer()
    #expect(try server.run(["ctl", "close"]).status == .played)
    #expect(try server.run(["ctl", "ping"]).status == .played)
    #expect(try server.run(["ctl", "commands"]).text.contains("command: watch\n"))
    #expect(server.lines == [])
  }

  @Test func ctlRefusesWhatNoLineCanHold() throws {
    let server = try ScriptedServer()
    for words in [["9lives"], ["add", "a\nb"], ["add", String(repeating: "x", count: 9000)]] {
      let printed = try server.run(["ctl"] + words)
      #expect(printed.status == .usage && printed.complaints.count == 1)
    }
    #expect(server.lines == [])
  }
}
