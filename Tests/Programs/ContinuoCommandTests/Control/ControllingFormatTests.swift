import ControlProtocol
import Foundation
import Testing

@testable import ContinuoCommand

/// What the commands print, for people and for programs.
@Suite(.timeLimit(.minutes(10))) struct ControllingFormatTests {
  /// A server that plays the second of three songs.
  private func player(
    _ change: @escaping @Sendable (inout StatusReply) -> Void = { _ in }
  ) throws -> ScriptedServer {
    try ScriptedServer { command throws(Ack) in
      var reply = Reply()
      switch command {
      case .playback(.status):
        var status = StatusReply()
        status.volume = 80
        status.playlistLength = 3
        status.state = .play
        status.song = StatusReply.Place(position: 1, id: 12)
        status.progress = StatusReply.Progress(
          elapsed: Milliseconds(rawValue: 62_345), duration: Milliseconds(rawValue: 3_725_999))
        change(&status)
        status.write(into: &reply)
      case .playback(.currentsong): Self.songs[1].write(into: &reply)
      case .listing(.playlistinfo(let range)):
        let start = Int(range?.lowerBound ?? 0)
        for song in Self.songs[start...] { song.write(into: &reply) }
      case .application(.lifecycle):
        LifecycleReply(
          application: "background", backgroundModes: ["audio", "fetch"], keptRunningBy: ["audio"],
          backgroundTimeRemaining: .infinity
        ).write(into: &reply)
      default: throw Ack(.unknown, "not scripted")
      }
      return reply
    }
  }

  private static let songs = [
    SongReply(file: "sub/no tags.mp3", place: StatusReply.Place(position: 0, id: 11)),
    SongReply(
      file: "b.mp3",
      tags: [
        SongTag(.title, "Two \u{202E}2\" \\"), SongTag(.artist, "A"),
        SongTag(.artist, "B"), SongTag(.album, "Alb\u{FC}m"),
      ],
      duration: Milliseconds(rawValue: 3_725_999), place: StatusReply.Place(position: 1, id: 12)),
    SongReply(
      file: "/c.mp3", tags: [SongTag(.title, "三")], duration: Milliseconds(rawValue: 7000),
      place: StatusReply.Place(position: 2, id: 13)),
  ]

  @Test func statusForAPerson() throws {
    #expect(
      try player().run(["status"]).text == """
        state        playing
        song         A, B – Two \u{FFFD}2" \\
        album        Albüm
        file         b.mp3
        time         1:02.34 / 1:02:05.99
        queue        2 of 3
        volume       80
        application  background, kept running by audio

        """)
    let others = try player { status in
      status.state = .pause
      status.error = "no audio server"
      status.random = true
      status.repeats = true
      status.single = .oneshot
      status.consume = .on
      status.progress?.duration = nil
    }.run(["status"]).text
    #expect(others.contains("state        paused\nerror        no audio server\n"))
    #expect(others.contains("time         1:02.34\n"))
    #expect(others.contains("modes        repeat, random, single oneshot, consume\n"))
  }

  @Test func statusOfAnEmptyQueue() throws {
    let server = try ScriptedServer { command throws(Ack) in
      var reply = Reply()
      if command == .playback(.status) { StatusReply().write(into: &reply) }
      if command == .application(.lifecycle) { reply.append("application", "active") }
      return reply
    }
    #expect(
      try server.run(["status"]).text == """
        state        stopped
        queue        empty
        application  active

        """)
    #expect(
      try server.run(["status", "--json"]).text
        == #"{"state":"stopped","song":null,"elapsed":null,"duration":null,"queueLength":0,"volume":null,"#
        + #""repeat":false,"random":false,"single":"off","consume":"off","application":"active","error":null}"#
        + "\n")
  }

  @Test func statusForAProgram() throws {
    #expect(
      try player().run(["status", "--json"]).text
        == #"{"state":"playing","song":{"position":1,"id":12,"file":"b.mp3","title":"Two "#
        + "\u{202E}2" + #"\" \\","artist":"A, B","album":"Albüm","duration":3725.999},"elapsed":62.345,"#
        + #""duration":3725.999,"queueLength":3,"volume":80,"repeat":false,"random":false,"single":"off","#
        + #""consume":"off","application":"background","error":null}"# + "\n")
  }

  @Test func queueForAPerson() throws {
    #expect(
      try player().run(["queue"]).text == """
          1              no tags.mp3
        > 2  1:02:05.99  A, B – Two \u{FFFD}2" \\
          3        7.00  三

        """)
  }

  @Test(arguments: [
    ("http://x/a/02%20Hundredths.mp3?key=%2F", "02 Hundredths.mp3"), ("http://x/", "x"),
    ("http://x/100%", "100%"), ("a/02%20Hundredths.mp3", "02%20Hundredths.mp3"), ("a/why?.mp3", "why?.mp3"),
  ])
  func theNameOfASongWithoutTags(file: String, name: String) throws {
    let server = try ScriptedServer { command throws(Ack) in
      var reply = Reply()
      switch command {
      case .playback(.status): StatusReply().write(into: &reply)
      case .listing:
        SongReply(file: Argument(file), place: StatusReply.Place(position: 0, id: 1)).write(into: &reply)
      default: throw Ack(.unknown, "not scripted")
      }
      return reply
    }
    #expect(try server.run(["queue"]).text == "  1    \(name)\n")
    #expect(try server.run(["queue", "--json"]).text.contains("\"file\":\"\(file)\""))
  }

  @Test func queueForAProgram() throws {
    let printed = try player().run(["queue", "--json"])
    #expect(printed.text.split(separator: "\n").count == 5)
    let songs = try #require(
      try JSONSerialization.jsonObject(with: Data(printed.bytes)) as? [[String: Any]])
    #expect(songs.map { $0["id"] as? Int } == [11, 12, 13])
    #expect(songs.map { $0["title"] as? String } == [nil, "Two \u{202E}2\" \\", "三"])
    #expect(songs[0]["duration"] is NSNull && songs[1]["duration"] as? Double == 3725.999)
  }

  @Test(arguments: [0, 1, 999, 1000, 1001, 2500])
  func longQueuesComeInPages(_ count: Int) throws {
    let server = try ScriptedServer { command throws(Ack) in
      var reply = Reply()
      switch command {
      case .playback(.status):
        var status = StatusReply()
        status.playlistLength = count
        status.write(into: &reply)
      case .listing(.playlistinfo(let range?)):
        guard range.lowerBound <= count else { throw .badSongIndex }
        for position in range.lowerBound..<min(UInt32(count), range.upperBound ?? .max) {
          SongReply(file: "x", place: StatusReply.Place(position: position, id: position + 1)).write(
            into: &reply)
        }
      default: throw Ack(.unknown, "not scripted")
      }
      return reply
    }
    let text = try server.run(["queue"])
    #expect(text.status == .played && text.text.count(where: { $0 == "\n" }) == count)
    let json = try server.run(["queue", "--json"])
    let songs = try #require(try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [[String: Any]])
    #expect(songs.map { $0["position"] as? Int } == Array(0..<count))
  }

  @Test func lifecycle() throws {
    let server = try ScriptedServer { _ throws(Ack) in
      var reply = Reply()
      LifecycleReply(
        application: "background", backgroundModes: [], keptRunningBy: ["task"],
        backgroundTimeRemaining: 174.2,
        tasks: [.init(name: "up, load", age: 5.8), .init(name: "", age: 0)],
        lastTermination: .init(code: "0x8badf00d", reason: "too slow \u{1B}[31m")
      ).write(into: &reply)
      return reply
    }
    #expect(
      try server.run(["lifecycle"]).text == """
        application       background
        background modes  none
        kept running by   task
        background time   174.20 s left
        task              up, load, begun 5.80 s ago
        task              , begun 0.00 s ago
        terminated        0x8badf00d too slow  [31m

        """)
    #expect(
      try server.run(["lifecycle", "--json"]).text
        == #"{"application":"background","backgroundModes":[],"keptRunningBy":["task"],"#
        + #""backgroundTimeRemaining":174.20,"tasks":[{"name":"up, load","age":5.80},{"name":"","age":0.00}],"#
        + #""terminated":{"code":"0x8badf00d","reason":"too slow  [31m"}}"# + "\n")
    let unlimited = try player()
    #expect(try unlimited.run(["lifecycle"]).text.contains("background time   unlimited\n"))
    #expect(try unlimited.run(["lifecycle", "--json"]).text.contains(#""backgroundTimeRemaining":null"#))
    #expect(try unlimited.run(["lifecycle", "--json"]).text.contains(#""terminated":null"#))
  }

  @Test func volume() throws {
    let server = try ScriptedServer { _ throws(Ack) in Reply(["volume": "35"]) }
    #expect(try server.run(["volume"]).text == "35\n")
    #expect(try server.run(["volume", "--json"]).text == "{\"volume\":35}\n")
    #expect(server.lines == ["getvol", "getvol"])
  }

  @Test func answersThatMakeNoSense() throws {
    let server = try ScriptedServer()
    #expect(try server.run(["volume"]).status == .unavailable)
    // Nothing to tell is told as such.
    #expect(try server.run(["status"]).text == "state  unknown\nqueue  empty\n")
    #expect(try server.run(["queue"]).text == "")
    #expect(try server.run(["queue", "--json"]).text == "[]\n")
  }
}
