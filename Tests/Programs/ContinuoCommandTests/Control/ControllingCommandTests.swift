import ControlClient
import ControlProtocol
import ControlServer
import Foundation
import Glibc
import MusicFiles
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import ContinuoCommand

/// What the commands for people send, and how they end. Each test has a server of its own.
@Suite(.timeLimit(.minutes(10))) struct ControllingCommandTests {
  @Test(
    arguments: [
      (["pause"], ["pause 1"]), (["resume"], ["play"]), (["stop"], ["stop"]), (["next"], ["next"]),
      (["previous"], ["previous"]), (["clear"], ["clear"]), (["home"], ["home"]),
      (["foreground"], ["foreground"]),
      (["lock"], ["lock"]), (["unlock"], ["unlock"]), (["terminate"], ["terminate"]),
      (["launch"], ["launch"]),
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
      (["random", "on"], ["random 1"]), (["repeat", "off"], ["repeat 0"]),
      (["consume", "on"], ["consume 1"]),
      (["single", "oneshot"], ["single oneshot"]), (["single", "on"], ["single 1"]),
      (["jump", "3"], ["play 2"]), (["delete", "3"], ["delete 2"]), (["delete", "4-"], ["delete 3:"]),
      // From the back, and no song twice.
      (["delete", "1", "5-7", "6-9", "3"], ["delete 4:9", "delete 2", "delete 0"]),
      (["delete", "2-10", "4-5"], ["delete 1:10"]), (["delete", "3-5", "3-7"], ["delete 2:7"]),
      (["delete", "3", "1-"], ["delete 0:"]), (["delete", "8", "5-7"], ["delete 7", "delete 4:7"]),
      (["move", "5", "1"], ["move 4 0"]), (["move", "2-4", "6"], ["move 1:4 5"]),
      (["load", "evening"], ["load evening"]), (["update"], ["update", "unplayable"]),
      (["update", "a b"], ["update \"a b\"", "unplayable \"a b\""]),
      (["shuffle"], ["shuffle"]), (["speed", "1.25"], ["speed 1.25"]), (["sleep", "song"], ["sleep song"]),
      (["sleep", "30m"], ["sleep 1800.000"]), (["sleep", "1h30m"], ["sleep 5400.000"]),
      (["sleep", "90s"], ["sleep 90.000"]), (["sleep", "1:30:00"], ["sleep 5400.000"]),
      (["sleep", "off"], ["sleep off"]),
    ] as [([String], [String])])
  func sends(_ arguments: [String], _ lines: [String]) throws {
    let server = try ScriptedServer()
    let printed = try server.run(arguments)
    #expect(server.lines == lines)
    #expect(printed.status == .played)
    #expect(printed.text == "" && printed.complaints == [])
  }

  @Test(arguments: [("0", "off", "1"), ("1", "on", "0"), ("oneshot", "oneshot", "0")])
  func modes(_ present: String, _ text: String, _ toggled: String) throws {
    let server = try ScriptedServer { _ throws(Ack) in Reply(["single": present]) }
    #expect(try server.run(["single"]).text == "\(text)\n")
    #expect(try server.run(["single", "--json"]).text == "{\"single\":\"\(text)\"}\n")
    #expect(try server.run(["single", "toggle"]).text == "")
    #expect(server.lines == ["status", "status", "status", "single \(toggled)"])
  }

  @Test func searches() throws {
    let server = try ScriptedServer { _ throws(Ack) in
      Reply(["file": "a/b.mp3", "Title": "T", "duration": "1.500", "file": "c.mp3"])
    }
    #expect(try server.run(["search", "it's", "album=X \\ \"Y\"", "=", "a b=c"]).text == "a/b.mp3\nc.mp3\n")
    #expect(
      server.lines == [
        #"search "((any contains 'it\\'s') AND (album contains 'X \\\\ \\\"Y\\\"') AND (any contains '=') AND "#
          + #"(any contains 'a b=c'))" window 0:1000"#
      ])
    #expect(
      try server.run(["search", "--json", "t"]).text == """
        [
        {"file":"a/b.mp3","title":"T","artist":null,"album":null,"duration":1.500},
        {"file":"c.mp3","title":null,"artist":null,"album":null,"duration":null}
        ]

        """)
    #expect(
      try server.run(["search", "t"], terminal: true).text
        == "      1.50  T  a/b.mp3\n            c.mp3\n")
  }

  @Test func whatIsNotFoundIsTold() throws {
    let empty = try ScriptedServer()
    let json = try empty.run(["search", "--json", "t"])
    #expect(json.text == "[]\n" && json.status == .refused && json.complaints == [])
    for arguments in [["search", "t"], ["search", "--add", "t"]] {
      let printed = try empty.run(arguments)
      #expect(printed.text == "" && printed.status == .refused && printed.complaints == ["nothing found"])
    }
    let unknown = try ScriptedServer { _ throws(Ack) in Reply(["songs": "0"]) }
    #expect(
      try unknown.run(["search", "t"]).complaints == [
        "nothing found: the server knows no songs (continuo serve --home DIRECTORY)"
      ])
    #expect(!empty.lines.contains { $0.hasPrefix("searchadd") })
    let server = try ScriptedServer { _ throws(Ack) in Reply(["file": "a"]) }
    #expect(try server.run(["search", "--add", "canon"]).status == .played)
    #expect(
      server.lines == [
        #"search "((any contains 'canon'))" window 0:1"#, #"searchadd "((any contains 'canon'))""#,
      ])
  }

  @Test func anUnknownTagIsToldWithThoseThatExist() throws {
    let server = try ScriptedServer { command throws(Ack) in
      if case .connection = command { return Reply() }
      throw Ack(.argument, "Unknown filter type: colour")
    }
    let printed = try server.run(["search", "colour=red"])
    #expect(printed.status == .refused)
    let told = try #require(printed.complaints.first)
    #expect(told.hasPrefix("Unknown filter type: colour; the tags are any, file, artist, "), "\(told)")
  }

  @Test func aPlaylistThatExistsIsToldWithTheRemedy() throws {
    let server = try ScriptedServer { _ throws(Ack) in throw Ack(.exist, "Playlist already exists") }
    #expect(
      try server.run(["save", "evening"]).complaints
        == ["Playlist already exists; --replace replaces it, --append appends to it"])
  }

  @Test(
    arguments: [
      (["playlistlength": "5", "song": "2"], ["delete 3:", "delete 0:2"]),
      (["playlistlength": "3", "song": "2"], ["delete 0:2"]),
      (["playlistlength": "3", "song": "1"], ["delete 2:", "delete 0"]),
      (["playlistlength": "3", "song": "0"], ["delete 1:"]), (["playlistlength": "1", "song": "0"], []),
    ] as [(KeyValuePairs<String, String>, [String])])
  func cropKeepsTheCurrentSong(_ status: KeyValuePairs<String, String>, _ lines: [String]) throws {
    let answer = Array(status)
    let server = try ScriptedServer { command throws(Ack) in
      var reply = Reply()
      if command == .playback(.status) { for (name, value) in answer { reply.append(name, value) } }
      return reply
    }
    #expect(try server.run(["crop"]).status == .played)
    #expect(server.lines.dropFirst() == lines[...])
  }

  @Test func cropNeedsACurrentSong() throws {
    let server = try ScriptedServer { _ throws(Ack) in Reply(["playlistlength": "5"]) }
    let printed = try server.run(["crop"])
    #expect(printed.status == .refused && server.lines == ["status"])
    #expect(printed.complaints == ["no current song to keep; continuo clear empties the queue"])
  }

  /// The first name plays first: each is put directly after the current song, the last name first.
  @Test(arguments: [true, false]) func insertsAfterTheCurrentSong(_ hasSong: Bool) throws {
    let server = try ScriptedServer { command throws(Ack) in
      guard command == .playback(.status), hasSong else { return Reply() }
      return Reply(["random": "0", "playlistlength": "5", "song": "2"])
    }
    #expect(try server.run(["insert", "/a", "/b"]).status == .played)
    let position = hasSong ? "+0" : "0"
    #expect(server.lines == ["status", "add /b \(position)", "status", "add /a \(position)"])
  }

  @Test func insertsInRandomOrderByPriority() throws {
    let length = Mutex(5)
    let server = try ScriptedServer { command throws(Ack) in
      if case .library = command { length.withLock { $0 += 3 } }
      return Reply(["random": "1", "song": "2", "playlistlength": "\(length.withLock { $0 })"])
    }
    #expect(try server.run(["insert", "/a"]).status == .played)
    #expect(server.lines == ["status", "add /a +0", "status", "prio 255 3:6"])
  }

  @Test func outputsAreListedAndChosenByName() throws {
    let server = try ScriptedServer { command throws(Ack) in
      guard command == .outputs(.outputs) else { return Reply() }
      return Reply([
        "outputid": "0", "outputname": "usb", "plugin": "pulse", "outputenabled": "0",
        "attribute": "description=Kitchen DAC", "outputid": "3", "outputname": "hdmi.1", "plugin": "pulse",
        "outputenabled": "1", "outputid": "4", "outputname": "hdmi.10", "plugin": "pulse",
        "outputenabled": "0",
      ])
    }
    #expect(try server.run(["outputs"]).text == "off usb      Kitchen DAC\non  hdmi.1\noff hdmi.10\n")
    #expect(
      try server.run(["outputs", "--json"]).text == """
        [{"name":"usb","description":"Kitchen DAC","enabled":false},\
        {"name":"hdmi.1","description":"hdmi.1","enabled":true},\
        {"name":"hdmi.10","description":"hdmi.10","enabled":false}]

        """)
    for (name, id) in [("kitchen", 0), ("hdmi.1", 3), (".10", 4)] {
      #expect(try server.run(["outputs", name]).status == .played)
      #expect(server.lines.last == "enableoutput \(id)")
    }
    let count = server.lines.count
    for name in ["cellar", "hdmi"] { #expect(try server.run(["outputs", name]).status == .refused) }
    #expect(server.lines.count == count + 2)
  }

  @Test func speedAndSleepArePrinted() throws {
    let server = try ScriptedServer { command throws(Ack) in
      command == .playback(.getspeed) ? Reply(["speed": "1.25"]) : Reply(["sleep": "1799.250"])
    }
    #expect(try server.run(["speed"]).text == "1.25\n")
    #expect(try server.run(["speed", "--json"]).text == "{\"speed\":1.25}\n")
    #expect(try server.run(["speed", "-0.1"]).text == "")
    #expect(server.lines.last == "speed 1.15")
    #expect(try server.run(["speed", "+9"]).status == .played)
    #expect(server.lines.last == "speed 4.00")
    #expect(try server.run(["sleep"]).text == "29:59.25\n")
    #expect(try server.run(["sleep", "--json"]).text == "{\"sleep\":1799.250}\n")
    let off = try ScriptedServer { _ throws(Ack) in Reply(["sleep": "off"]) }
    #expect(try off.run(["sleep"]).text == "off\n")
    #expect(try off.run(["sleep", "--json"]).text == "{\"sleep\":\"off\"}\n")
  }

  @Test func playlists() throws {
    let server = try ScriptedServer { command throws(Ack) in
      if case .playlists(.listplaylist) = command { return Reply(["file": "a.mp3", "file": "b\".mp3"]) }
      return Reply(["playlist": "evening", "Last-Modified": "2026-01-01T00:00:00Z", "playlist": "noon"])
    }
    #expect(try server.run(["playlists"]).text == "evening\nnoon\n")
    #expect(try server.run(["playlists", "--json"]).text == "[\"evening\",\"noon\"]\n")
    #expect(try server.run(["playlists", "evening"]).text == "a.mp3\nb\".mp3\n")
    #expect(try server.run(["playlists", "--json", "evening"]).text == "[\"a.mp3\",\"b\\\".mp3\"]\n")
  }

  @Test func updates() throws {
    let server = try ScriptedServer { _ throws(Ack) in Reply(["updating_db": "3"]) }
    #expect(try server.run(["update", "--json"]).text == "{\"job\":3}\n")
    #expect(try server.run(["update"]).text == "")
  }

  @Test func aWaitForAChangeEndsWithTheServer() throws {
    let server = try ScriptedServer()
    var client = try MPDClient.connected(to: .path(server.path))
    try client.awaitChange(of: "update", limit: 0.01)
    #expect(try client.ask("status").fields.isEmpty)
    let silent = try LoopbackSocket.listening()
    let greeted = DispatchSemaphore(value: 0)
    let connection = Mutex<LoopbackSocket?>(nil)
    DispatchQueue(label: "silent").async {
      let accepted = try? silent.accept()
      try? accepted?.send("OK MPD 0.23.5\n")
      connection.withLock { $0 = accepted }
      greeted.signal()
    }
    var waiting = try MPDClient.connected(
      to: .network(NetworkAddress(host: "127.0.0.1", port: UInt16(silent.port))))
    #expect(greeted.wait(timeout: .now() + 120) == .success)
    #expect(throws: ControlClientError.timeout(seconds: MPDClient.quickPatience)) {
      try waiting.awaitChange(of: "update", limit: 0.01)
    }
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

  @Test func aSongWithoutATitleHasTheNameThatAPlaylistGivesIt() throws {
    let server = try ScriptedServer { command throws(Ack) in
      if command == .playback(.status) { return Reply(["playlistlength": "3", "songid": "2"]) }
      return Reply([
        "file": "http://h/1", "Name": "One", "Pos": "0", "Id": "1", "file": "http://h/2.mp3", "Pos": "1",
        "Id": "2",
        "file": "http://h/3", "Name": "Three", "Title": "T", "Pos": "2", "Id": "3",
      ])
    }
    #expect(try server.run(["queue"]).text == "  1    One\n> 2    2.mp3\n  3    T\n")
  }

  @Test(arguments: [("http://h/a.m3u: no", "http://h/a.m3u: no"), ("no", "http://h/a.m3u: no")])
  func aURLIsNamedOnce(_ answer: String, _ told: String) throws {
    let server = try ScriptedServer { _ throws(Ack) in throw Ack(.noExist, answer) }
    #expect(try server.run(["add", "http://h/a.m3u"]).complaints == [told])
  }

  /// What `search` prints can be given to `add`, also at a socket.
  @Test func namesAreTheServersWithHost() throws {
    let server = try ScriptedServer()
    #expect(try server.run(["add", "--host", server.path, "a/b.mp3"]).status == .played)
    #expect(server.lines.first == "add a/b.mp3")
  }

  @Test func aPhoneShowsItsProgramAndState() throws {
    let server = try ScriptedServer { _ throws(Ack) in Reply(["file": "/bin/program", "state": "active"]) }
    let lines = try server.run(["phone", "show"]).text.split(separator: "\n")
    #expect(lines.first == "/bin/program" && lines.count > 1)
  }

  @Test func aSocketOfAnotherUserIsNoMissingServer() {
    let text = ControlTrouble.text(.noPermission(at: .path("/s")), at: .path("/s"))
    #expect(text == "/s is closed to this user; its owner can open it by serve --socket-mode")
  }

  @Test(arguments: [
    (["jump", "9"], "no song 9"), (["delete", "2", "9"], "no song with this number"),
    (["move", "1", "9"], "no such songs, or no place 9 for them"),
  ])
  func aNumberThatIsNotInTheQueueIsToldAsPeopleCount(_ arguments: [String], _ told: String) throws {
    let server = try ScriptedServer { _ throws(Ack) in throw Ack(.argument, "Number too large: 8") }
    let printed = try server.run(arguments)
    #expect(printed.status == .refused)
    #expect(printed.complaints == ["\(told); continuo queue lists the numbers"])
    let other = try ScriptedServer { _ throws(Ack) in throw Ack(.playerSync, "not now") }
    #expect(try other.run(arguments).complaints == ["not now"])
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
    let result = UnixAddress.with(path) { bind(descriptor, $0, $1) }
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
    // Of a folder it asks what cannot be played.
    let requests = try expected.map { try Request("add", [$0]) } + [Request("unplayable", [Argument(here)])]
    #expect(
      server.lines
        == requests.map { request in
          var line: [UInt8] = []
          request.write(into: &line)
          return Argument(line.dropLast()).description
        })
  }

  @Test(arguments: [["add", "/"], ["insert", "/"], ["update"]])
  func filesThatCannotBePlayedAreCounted(_ arguments: [String]) throws {
    let server = try ScriptedServer { command throws(Ack) in
      guard case .library(.unplayable) = command else { return Reply() }
      var reply = Reply()
      for (kind, count) in [(".wma", 3), (".ape", 2)] {
        reply.append("kind", kind)
        reply.append("files", count)
      }
      for file in ["a.wma", "b.wma"] { reply.append("file", file) }
      return reply
    }
    let line = "5 files cannot be played: 3 .wma, 2 .ape"
    let printed = try server.run(arguments)
    #expect(printed.status == .played && printed.complaints == ["\(line) (--list-unplayable names them)"])
    #expect(
      try server.run(arguments + ["--list-unplayable"]).complaints == [line, "a.wma", "b.wma", "and 3 more"])
    // Mpd has no such command.
    let other = try ScriptedServer { command throws(Ack) in
      if case .library(.unplayable) = command { throw Ack(.unknown, "unknown command") }
      return Reply()
    }
    #expect(try other.run(arguments).complaints == [])
  }

  @Test(arguments: [
    ("a", "/m/a"), ("./a", "/m/a"), ("../a", "/m/../a"), ("/a", "/a"), (".", "/m"),
    ("http://h/a", "http://h/a"),
    ("file:/a", "file:/a"), ("a:b", "/m/a:b"), ("new\nline", "file:///m/new%0Aline"), ("\\ \"", "/m/\\ \""),
  ])
  func namesBecomeAbsolute(_ name: String, _ uri: String) {
    #expect(AddedNames.uri(MediaPath(name), directory: MediaPath("/m")) == Argument(uri))
  }

  @Test func namesThatAreNotUTF8StayBytes() {
    let name: [UInt8] = [0xE4, 0x2E, 0xFF]
    #expect(
      AddedNames.uri(MediaPath(bytes: name), directory: MediaPath("/m")) == Argument(Array("/m/".utf8) + name)
    )
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
