import ControlProtocol
import ControlTestSupport
import TestSupport
import Testing

@Suite struct CommandTests {
  @Test("Refusals are mpd's, word for word", arguments: refusalsOfMPD)
  func refusals(_ line: String, _ refusal: String) {
    let (text, _) = Conversation.reply(to: line + "\n")
    #expect(text == refusal + "\n")
  }

  @Test(
    "Arguments are understood",
    arguments: [
      ("play", Command.transport(.play(position: nil))), ("play -1", .transport(.play(position: nil))),
      ("play \" +5\"", .transport(.play(position: 5))),
      ("playid 7", .transport(.playid(id: 7))), ("playid -1", .transport(.playid(id: nil))),
      ("pause", .transport(.pause(nil))),
      ("pause 01", .transport(.pause(true))),
      ("seek 3 1.5", .transport(.seek(position: 3, time: Milliseconds(rawValue: 1500)))),
      ("seekid 3 1e3", .transport(.seekid(id: 3, time: Milliseconds(rawValue: 1_000_000)))),
      ("seekid 3 1e300", .transport(.seekid(id: 3, time: Milliseconds(rawValue: Milliseconds.limit)))),
      ("seekcur 5.", .transport(.seekcur(.absolute(.milliseconds(5000))))),
      ("seekcur +.5", .transport(.seekcur(.relative(.milliseconds(500))))),
      ("seekcur -100", .transport(.seekcur(.relative(.milliseconds(-100_000))))),
      ("setvol +5", .playback(.setvol(5))), ("volume -5", .playback(.volume(-5))),
      ("single oneshot", .playback(.single(.oneshot))), ("consume oneshot", .playback(.consume(.oneshot))),
      ("consume 1", .playback(.consume(.on))),
      ("speed 1.5", .playback(.speed(PlaybackSpeed(clamping: 150)))),
      ("speed 4", .playback(.speed(PlaybackSpeed(clamping: 400)))),
      ("sleep 1.5", .playback(.sleep(.after(Milliseconds(rawValue: 1500))))),
      ("sleep song", .playback(.sleep(.song))), ("sleep off", .playback(.sleep(.off))),
      ("unplayable", .library(.unplayable(nil))), ("unplayable x", .library(.unplayable("x"))),
      ("add a +0", .library(.add(uri: "a", at: .afterCurrent(0)))),
      ("addid a -2", .library(.addid(uri: "a", at: .beforeCurrent(2)))),
      ("addid a 4", .library(.addid(uri: "a", at: .absolute(4)))),
      ("delete 0:", .queue(.delete(.all))), ("delete 3", .queue(.delete(PositionRange(single: 3)))),
      ("playlistinfo -1", .listing(.playlistinfo(.all))), ("shuffle", .queue(.shuffle(nil))),
      ("plchanges 99999999999", .listing(.plchanges(version: .max, range: nil))),
      ("plchanges -1", .listing(.plchanges(version: .max, range: nil))),
      ("rangeid 1 :", .queue(.rangeid(1, .whole))), ("rangeid 1 0:0", .queue(.rangeid(1, .whole))),
      ("binarylimit 64", .connection(.binarylimit(64))), ("idle", .connection(.idle(.standard))),
      ("idle PLAYER \"mixer\"", .connection(.idle([.player, .mixer]))),
      ("idle application", .connection(.idle(.application))),
      ("tagtypes enable artist TITLE", .connection(.tagtypes(.enable([TagSet(.artist), TagSet(.title)])))),
      ("load x 0:1 +0", .playlists(.load("x", range: PositionRange(0, 1), at: .afterCurrent(0)))),
      ("save x", .playlists(.save("x", .create))), ("save x replace", .playlists(.save("x", .replace))),
      ("playlistadd x y +3", .playlists(.playlistadd("x", uri: "y", at: 3))),
      (
        "prio 5 0 0:",
        .queue(.prio(5, [PositionRange(single: 0), .all]))
      ),
      ("sticker find song x y > 5", .stickers(.find(uri: "x", name: "y", .above("5")))),
      ("interrupt end", .application(.interrupt(.end(shouldResume: true)))),
      ("interrupt end noresume", .application(.interrupt(.end(shouldResume: false)))),
      ("watch", .connection(.watch(WatchRequest(events: true)))),
      ("watch time 0.010", .connection(.watch(WatchRequest(interval: WatchInterval("0.01"))))),
      ("watch events time 1", .connection(.watch(WatchRequest(interval: WatchInterval("1"), events: true)))),
    ])
  func understands(_ line: String, _ command: Command) throws {
    #expect(try Command(Request.parse(line: line)) == command)
  }

  @Test(
    "A speed is 0.25 to 4, and a time at most a day",
    arguments: [
      "speed 0.24", "speed 4.01", "speed 1.001", "speed -1", "speed +1", "speed nan", "speed 1.", "speed .5",
      "speed \"\"", "sleep 0", "sleep -1", "sleep 86400.001", "sleep maybe", "sleep nan",
    ])
  func refusesSpeedsAndTimes(_ line: String) throws {
    #expect(throws: Ack.self) { try Command(Request.parse(line: line)) }
  }

  @Test(
    "What mpd takes and Continuo refuses on purpose",
    arguments: [
      ("delete -1", "ACK [2@0] {delete} Number is negative: -1\n"),
      ("seekcur nan", "ACK [2@0] {seekcur} Float expected: nan\n"),
      ("seekcur inf", "ACK [2@0] {seekcur} Float expected: inf\n"),
      ("seekcur 0x10", "ACK [2@0] {seekcur} Float expected: 0x10\n"),
      ("ping \0", "ACK [5@0] {} NUL is not allowed\n"),
      ("kill", "ACK [5@0] {} unknown command \"kill\"\n"),
    ])
  func onPurpose(_ line: String, _ refusal: String) {
    #expect(Conversation.reply(to: line + "\n").text == refusal)
  }

  @Test(
    "The extensions' own refusals",
    arguments: [
      ("interrupt", "{interrupt} too few arguments for \"interrupt\""),
      ("interrupt begin resume", "{interrupt} too many arguments for \"interrupt\""),
      ("interrupt x", "{interrupt} Unrecognized interruption, expected begin or end: x"),
      ("interrupt end x", "{interrupt} Unrecognized end, expected resume or noresume: x"),
      ("watch time", "{watch} Not enough arguments"),
      ("watch time 0", "{watch} Interval from 0.001 to 3600 seconds expected: 0"),
      ("watch time 0.0009", "{watch} Interval from 0.001 to 3600 seconds expected: 0.0009"),
      ("watch time 3600.1", "{watch} Interval from 0.001 to 3600 seconds expected: 3600.1"),
      ("watch time -1", "{watch} Interval from 0.001 to 3600 seconds expected: -1"),
      ("watch time 1e1", "{watch} Interval from 0.001 to 3600 seconds expected: 1e1"),
      ("watch events events", "{watch} Unrecognized watch, expected time SECONDS or events: events"),
      ("home now", "{home} wrong number of arguments for \"home\""),
    ])
  func extensionRefusals(_ line: String, _ refusal: String) {
    #expect(Conversation.reply(to: line + "\n").text == "ACK [2@0] \(refusal)\n")
  }

  @Test("An interval is what was written, exactly")
  func intervals() {
    let cases: [(String, Int64, Int32)] = [
      ("0.01", 1, 100), ("0.010", 1, 100), ("1", 1, 1), ("1.50", 15, 10), (".5", 5, 10), ("60", 60, 1),
      ("0.001", 1, 1000), ("0.123456789", 123_456_789, 1_000_000_000),
    ]
    for (text, value, timescale) in cases {
      let interval = WatchInterval(text)
      #expect(interval?.value == value && interval?.timescale == timescale, "\(text)")
      #expect(interval.flatMap { WatchInterval($0.description) } == interval)
    }
    for text in ["", ".", "1.2.3", "0.0000000001", "9999999999999999", "1 ", "+1"] {
      #expect(WatchInterval(text) == nil, "\(text)")
    }
  }

  @Test("A command is printed as a request that is understood as the same command")
  func identity() throws {
    let seed: UInt64 = 11
    var lines = LineGenerator(seed: seed)
    var names: Set<String> = []
    for _ in 0..<Rounds.count(50_000) {
      guard let request = lines.request(), let command = try? Command(request) else { continue }
      names.insert(command.name)
      #expect(command.name == request.name)
      #expect(try Command(command.request()) == command, "seed \(seed): \(request)")
    }
    #expect(Set(CommandRow.all.map(\.name)).symmetricDifference(names).isEmpty)
  }

  @Test("The names are in the order of `commands`, and a word of the grammar each")
  func names() throws {
    let names = CommandRow.all.map(\.name)
    #expect(names == names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
    for name in names { #expect(try Request(name).name == name) }
  }

  @Test("What a client may do")
  func permissions() throws {
    let request = try Request("next")
    #expect(throws: Ack(.permission, "you don't have permission for \"next\"")) {
      try Command(request, permissions: .read)
    }
    #expect(try Command(request, permissions: .player) == .transport(.next))
    #expect(try Command(Request("ping"), permissions: []) == .connection(.ping))
    // The permission comes before the number of arguments, the name before the permission.
    #expect(throws: Ack(.permission, "you don't have permission for \"status\"")) {
      try Command(Request("status", ["x"]), permissions: [])
    }
    #expect(throws: Ack(.unknown, "unknown command \"foo\"")) { try Command(Request("foo"), permissions: []) }
  }

  @Test("Positions cannot trap")
  func extremes() throws {
    #expect(PositionRange(single: .max).upperBound == nil)
    #expect(PositionRange(.max, .max) != nil)
    #expect(PositionRange(5, 4) == nil)
    let range = try #require(PositionRange(.max, .max))
    #expect(try Command.queue(.delete(range)).request().arguments == ["4294967295:4294967295"])
    #expect(SongRange(start: Milliseconds(rawValue: -1), end: nil) == nil)
  }
}
