import ControlProtocol
import TestSupport
import Testing

@Suite struct ReplyTests {
  private func text(_ write: (inout Reply) -> Void) -> String {
    var reply = Reply()
    write(&reply)
    return String(decoding: reply.bytes, as: UTF8.self)
  }

  @Test("status of a stopped player with an empty queue, as mpd has it")
  func stopped() {
    var status = StatusReply()
    status.volume = 100
    status.playlistVersion = 42
    #expect(
      text(status.write) == """
        volume: 100
        repeat: 0
        random: 0
        single: 0
        consume: 0
        partition: default
        playlist: 42
        playlistlength: 0
        mixrampdb: 0
        state: stop

        """)
  }

  @Test("status while playing, as mpd has it")
  func playing() {
    var status = StatusReply()
    status.repeats = true
    status.random = true
    status.single = .oneshot
    status.consume = .on
    status.playlistLength = 3
    status.state = .play
    status.song = .init(position: 0, id: 4)
    status.progress = .init(
      elapsed: Milliseconds(rawValue: 510), duration: Milliseconds(seconds: 20.035), bitRate: 127_500,
      audio: AudioFormatText(rate: 44100, bits: 24, channels: 2))
    status.error = "two\nlines"
    status.nextSong = .init(position: 1, id: 5)
    #expect(
      text(status.write) == """
        repeat: 1
        random: 1
        single: oneshot
        consume: 1
        partition: default
        playlist: 1
        playlistlength: 3
        mixrampdb: 0
        state: play
        song: 0
        songid: 4
        time: 1:20
        elapsed: 0.510
        bitrate: 128
        duration: 20.035
        audio: 44100:24:2
        error: two lines
        nextsong: 1
        nextsongid: 5

        """)
  }

  @Test("A stopped player has a place to go on, but no time")
  func resumePoint() {
    var status = StatusReply()
    status.song = .init(position: 2, id: 9)
    status.progress = .init(elapsed: Milliseconds(rawValue: 1), duration: nil)
    #expect(text(status.write).hasSuffix("state: stop\nsong: 2\nsongid: 9\n"))
    status.state = .pause
    #expect(text(status.write).hasSuffix("songid: 9\ntime: 0:0\nelapsed: 0.001\nbitrate: 0\n"))
  }

  @Test("A song, as mpd has it")
  func song() {
    let song = SongReply(
      file: "/m/a.mp3", lastModified: 1_795_227_836,
      format: AudioFormatText(rate: 44100, bits: nil, channels: 2),
      tags: [.init(.artist, "A"), .init(.title, "Line\nbreak"), .init(.artist, "B"), .init(.comment, "C")],
      duration: Milliseconds(rawValue: 4500), range: SongRange(start: Milliseconds(rawValue: 1500), end: nil),
      place: .init(position: 1, id: 29))
    #expect(
      text { song.write(into: &$0) } == """
        file: /m/a.mp3
        Range: 1.500-
        Last-Modified: 2026-11-21T02:23:56Z
        Format: 44100:f:2
        Artist: A
        Title: Line break
        Artist: B
        Time: 5
        duration: 4.500
        Pos: 1
        Id: 29

        """)
    #expect(text { song.write(into: &$0, tags: []) }.contains("Artist") == false)
    #expect(text { SongReply(file: "b.mp3").write(into: &$0) } == "file: b.mp3\n")
  }

  @Test("A name that a line cannot have becomes a URL where there is one")
  func fileNames() {
    func line(_ bytes: [UInt8]) -> String { text { SongReply(file: Argument(bytes)).write(into: &$0) } }
    #expect(line(Array("/a b%.mp3".utf8)) == "file: /a b%.mp3\n")
    #expect(line(Array("/a b%".utf8) + [0xFF]) == "file: file:///a%20b%25%FF\n")
    #expect(line(Array("/a\nb".utf8)) == "file: file:///a%0Ab\n")
    #expect(line(Array("a".utf8) + [0xFF, 0x0A]) == "file: a\\xFF \n")
    #expect(text { $0.appendPlaylistLine(position: 3, file: "x.mp3") } == "3:file: x.mp3\n")
  }

  @Test("Every line is valid UTF-8, one line, and below 4096 bytes", arguments: [21, 22] as [UInt64])
  func lines(seed: UInt64) {
    var random = RandomSource(seed: seed)
    for round in 0..<2000 {
      let length = round % 50 == 0 ? 5000 : random.below(60)
      let value =
        random.below(2) == 0 ? random.bytes(length) : Array(String(repeating: "é€😀", count: length / 4).utf8)
      let line = text { $0.append("Title", Argument(value)) }
      let bytes = Array(line.utf8)
      #expect(!line.contains("\u{FFFD}") && bytes.last == 0x0A)
      #expect(!bytes.dropLast().contains { $0 < 0x20 })
      #expect(bytes.count <= ProtocolLimits.replyLine, "seed \(seed)")
    }
    // Not a byte is wasted beyond what the last character would take.
    #expect(text { $0.append("A", String(repeating: "x", count: 9000)) }.utf8.count == 4095)
    #expect((4092...4095).contains(text { $0.append("A", String(repeating: "€", count: 9000)) }.utf8.count))
  }

  @Test("A value is escaped exactly where it is not UTF-8, as the standard library decides it")
  func validity() {
    var random = RandomSource(seed: 5)
    for _ in 0..<20_000 {
      // Mostly the bytes at which the rules change.
      let edges: [UInt8] = [
        0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5,
      ]
      let length = 1 + random.below(5)
      let bytes = (0..<length).map { _ in random.pick(edges) }
      let isValid = String(validating: bytes, as: UTF8.self) != nil
      #expect((Array(Argument(bytes).description.utf8) == bytes) == isValid, "\(bytes)")
    }
  }

  @Test("A tag has the line that any text has, wherever in it a byte is that a line cannot have")
  func tags() {
    func expectEqual(_ value: [UInt8]) {
      var tag = Reply()
      tag.appendTag(.title, value.span)
      var line = Reply()
      line.append("Title", Argument(value))
      #expect(tag == line, "\(value)")
    }
    for byte in UInt8.min...UInt8.max {
      for place in 0..<19 {
        var value = Array("Nineteen characters".utf8)
        value[place] = byte
        expectEqual(value)
      }
    }
    for text in ["", "é", "Всё идёт по плану", "三", "😀", "e\u{301}", "\u{85}\u{2028}"] {
      expectEqual(Array(text.utf8))
      expectEqual(Array(text.utf8.dropLast()))
    }
    for length in 4080..<4100 { expectEqual(Array(repeating: 0x41, count: length)) }
  }

  @Test("A refusal is one short line, whatever it quotes")
  func refusal() {
    let ack = Ack(.argument, "a\nb" + String(repeating: "x", count: 9000))
    let line = ack.line(index: 7, command: "play")
    #expect(line.count == ProtocolLimits.replyLine)
    #expect(String(decoding: line.prefix(22), as: UTF8.self) == "ACK [2@7] {play} a bxx")
    #expect(line.firstIndex(of: 0x0A) == line.count - 1)
    #expect(Ack.Code.allCases.map(\.rawValue) == [2, 3, 4, 5, 50, 51, 52, 54, 55, 56])
  }

  @Test("A number is written as the standard library writes it", arguments: [31, 32] as [UInt64])
  func numbers(seed: UInt64) {
    var random = RandomSource(seed: seed)
    var numbers: [Int64] = [0, 1, 9, 10, 99, 100, -1, -9, -10, .max, .min]
    for _ in 0..<1000 { numbers.append(Int64(bitPattern: random.next()) >> random.below(64)) }
    for number in numbers {
      #expect(text { $0.append("n", number) } == "n: \(number)\n", "seed \(seed)")
      let time = Milliseconds(rawValue: number)
      #expect(text { $0.append("n", time) } == "n: \(time)\n", "seed \(seed)")
    }
    #expect(text { $0.append("n", UInt64.max) } == "n: 18446744073709551615\n")
  }

  @Test("Times are rounded as mpd rounds them")
  func times() {
    #expect(Milliseconds(seconds: 0.4999).roundedSeconds == 1)
    #expect(Milliseconds(rawValue: 499).roundedSeconds == 0)
    #expect(Milliseconds(rawValue: -1).roundedSeconds == 0)
    #expect(Milliseconds(seconds: -1.5).description == "-1.500")
    #expect(Milliseconds(seconds: .nan).rawValue == 0)
    #expect(Milliseconds(seconds: .infinity).rawValue == Milliseconds.limit)
    #expect(Milliseconds(rawValue: .min).rawValue == -Milliseconds.limit)
  }

  @Test(
    "Dates",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (4_107_542_399, "2100-02-28T23:59:59Z"),
      (4_107_542_400, "2100-03-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
      (Int64.max, "9999-12-31T23:59:59Z"), (Int64.min, "1970-01-01T00:00:00Z"),
    ])
  func dates(_ seconds: Int64, _ expected: String) {
    #expect(text { SongReply(file: "a", lastModified: seconds).write(into: &$0) }.contains(": \(expected)\n"))
  }

  @Test("The application's state")
  func lifecycle() {
    var lifecycle = LifecycleReply(
      application: "background", backgroundModes: ["audio", "fetch"], keptRunningBy: ["audio", "task"],
      backgroundTimeRemaining: 174.204, tasks: [.init(name: "save\nit", age: 12.345)])
    lifecycle.lastTermination = .init(code: "0x8badf00d", reason: "too long")
    #expect(
      text(lifecycle.write) == """
        application: background
        backgroundmodes: audio,fetch
        keptrunningby: audio,task
        backgroundtimeremaining: 174.20
        task: save it
        begun: 12.35 ago
        terminated: 0x8badf00d too long

        """)
    let plain = LifecycleReply(
      application: "suspended", backgroundModes: [], keptRunningBy: [], backgroundTimeRemaining: .infinity)
    #expect(
      text(plain.write)
        == "application: suspended\nbackgroundmodes: \nkeptrunningby: none\nbackgroundtimeremaining: inf\n")
  }

  @Test("The records of a watch")
  func records() {
    func record(_ event: WatchRecord.Event) -> String {
      String(decoding: WatchRecord(event, host: 5_123_456_789_999).bytes, as: UTF8.self)
    }
    let song = StatusReply.Place(position: 0, id: 4)
    #expect(
      record(.time(songID: 4, value: 1234, timescale: 100)) == """
        event: time
        songid: 4
        elapsed: 12.34
        value: 1234
        timescale: 100
        host: 5123.456789

        """)
    #expect(record(.time(songID: 4, value: 1200, timescale: 100)).contains("elapsed: 12.00\n"))
    #expect(record(.time(songID: 4, value: 44_101, timescale: 44_100)).contains("elapsed: 1.000022\n"))
    #expect(record(.time(songID: 4, value: .min, timescale: 0)).contains("elapsed: -9223372036854775808\n"))
    #expect(record(.currentItem(nil, url: nil)) == "event: currentItem\nhost: 5123.456789\n")
    #expect(
      record(.currentItem(song, url: "file:///a"))
        == "event: currentItem\nindex: 0\nsongid: 4\nurl: file:///a\nhost: 5123.456789\n")
    #expect(record(.timeControlStatus(.paused, reason: nil)).contains("reason") == false)
    #expect(record(.failed(song, url: "u", error: "e")).contains("songid: 4\nurl: u\nerror: e\nhost"))
    #expect(record(.timeJumped(song, elapsed: Milliseconds(rawValue: 1500))).contains("elapsed: 1.500\n"))
    #expect(record(.coalesced(steps: 7)) == "event: coalesced\nsteps: 7\n")
    #expect(record(.alive) == "event: alive\n")
  }

  @Test(
    "A name that is shown with escapes is understood again",
    arguments: [
      ([0x63, 0xE9], "c\\xE9"), ([0xFF, 0x80, 0x2F, 0xC3, 0xA9], "\\xFF\\x80/é"),
      (Array("\\x41".utf8) + [0xE9, 0x5C], "\\x41\\xE9\\"),
    ] as [([UInt8], String)])
  func escapedName(_ bytes: [UInt8], _ shown: String) {
    #expect(Argument(bytes).description == shown)
    #expect(Argument(shown).original == Argument(bytes))
  }

  @Test(arguments: ["", "é", "\\", "\\x", "\\xE", "\\x41", "\\x+F", "\\xG0", "a\\y80"])
  func nameWithoutEscapes(text: String) { #expect(Argument(text).original == nil) }
}
