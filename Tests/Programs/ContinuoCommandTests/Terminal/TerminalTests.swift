import ControlProtocol
import Testing
import TextFormatting

@testable import ContinuoCommand

@Suite struct StatusLineTests {
  @Test(
    arguments: [
      (nil, 10, "[--------]"), (0, 10, "[--------]"), (0.5, 10, "[####----]"), (0.999, 10, "[#######-]"),
      (1, 10, "[########]"), (7, 10, "[########]"), (-1, 10, "[--------]"), (.nan, 10, "[--------]"),
      (.infinity, 10, "[########]"), (0.5, 3, "[-]"), (0.5, 2, ""), (0.5, -5, ""),
    ] as [(Double?, Int, String)])
  func bars(progress: Double?, columns: Int, text: String) {
    let look = TerminalLook(drawsLines: false)
    #expect(ProgressBar.pieces(progress, columns: columns, look: look).map(\.text).joined() == text)
  }

  @Test(
    arguments: [
      (nil, 4, "────"), (0, 4, "────"), (0.124, 4, "────"), (0.125, 4, "╸───"), (0.25, 4, "━───"),
      (0.5, 4, "━━──"), (0.9, 4, "━━━╸"), (1, 4, "━━━━"), (.nan, 4, "────"), (2, 4, "━━━━"), (0.5, 2, ""),
    ] as [(Double?, Int, String)])
  func drawnBars(progress: Double?, columns: Int, text: String) {
    let pieces = ProgressBar.pieces(progress, columns: columns, look: TerminalLook())
    #expect(pieces.map(\.text).joined() == text)
  }

  let line = StatusLine(
    place: "2/4", name: SongName(artist: "Somebody", title: "A Song"), status: "playing", elapsed: "12.34",
    duration: "1:02.34", progress: 0.2)

  @Test(arguments: [
    (100, "2/4  Somebody – A Song  [#######-------------------------------]  playing  12.34 / 1:02.34"),
    (80, "2/4  Somebody – A Song  [#####----------------------]  playing  12.34 / 1:02.34"),
    (60, "2/4  Someb… – A Song  [#--------]  playing  12.34 / 1:02.34"),
    (48, "2/4  Somebo… – A Song  playing  12.34 / 1:02.34"),
    (41, "Some… – A Song  playing  12.34 / 1:02.34"), (34, "A Song  playing  12.34 / 1:02.34"),
    (32, "A So…  playing  12.34 / 1:02.34"), (26, "playing  12.34 / 1:02.34"), (20, "A…  12.34 / 1:02.34"),
    (10, "12.34"), (3, "1…"), (1, ""), (0, ""), (-1, ""),
  ])
  func rendersByWidth(columns: Int, text: String) {
    #expect(line.rendered(columns: columns, look: TerminalLook(drawsLines: false)).description == text)
  }

  @Test func aLongArtistDoesNotHideTheTitle() {
    var line = line
    line.name.artist = String(repeating: "Concentus Musicus ", count: 5)
    let text = line.rendered(columns: 80, look: TerminalLook()).description
    #expect(text.contains("Concentus") && text.contains("… – A Song  "), "\(text)")
  }

  @Test func neverReachesTheEdge() {
    for title in ["", "x", "中文字中文字中文字中文字", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "a\u{1B}[2J\nb", String(repeating: "e\u{301}", count: 200)]
    {
      for (columns, duration) in (-2...130).flatMap({ [($0, nil), ($0, "1:02.34")] }) {
        for artist in [nil, "", "A", title] {
          var line = line
          line.name = SongName(artist: artist, title: title)
          line.duration = duration
          let rendered = line.rendered(columns: columns, look: TerminalLook())
          let text = rendered.description
          #expect(TerminalText.width(text) <= max(0, columns - 1))
          #expect(!text.contains("\u{1B}") && !text.contains("\n"))
          if columns > 6 { #expect(text.contains("12.34")) }
          let fields = rendered.fields
          #expect(zip(fields, fields.dropFirst()).allSatisfy { $0.column + $0.width <= $1.column })
        }
      }
    }
  }

  // MARK: What is drawn

  @Test func onlyFieldsThatChangedAreDrawn() {
    let look = TerminalLook(hasColors: false, drawsLines: false)
    func rendered(_ change: (inout StatusLine) -> Void = { _ in }) -> RenderedLine {
      var line = line
      change(&line)
      return line.rendered(columns: 80, look: look)
    }
    let start = rendered()
    #expect(start.change(from: start) == "")
    let column = 79 - "12.34 / 1:02.34".count
    #expect(
      rendered { $0.elapsed = "12.37" }.change(from: start) == "\u{1B}[?7l\u{1B}[\(column)C12.37\r\u{1B}[?7h")
    let both = rendered {
      $0.elapsed = "12.37"
      $0.status = "waiting"
    }
    #expect(
      both.change(from: start) == "\u{1B}[?7l\u{1B}[\(column - 9)Cwaiting\r\u{1B}[\(column)C12.37\r\u{1B}[?7h"
    )
    // Where anything else would move, all of it is drawn.
    for other in [
      rendered { $0.name.title = "B Song" }, rendered { $0.status = "paused" },
      rendered { $0.elapsed = "9.99" },
      rendered { $0.duration = nil },
    ] {
      #expect(other.change(from: start) == other.whole)
      #expect(other.whole.hasPrefix("\u{1B}[?7l\r\u{1B}[J") && other.whole.hasSuffix("\r\u{1B}[?7h"))
    }
  }

  @Test(arguments: [
    (["TERM": "xterm-256color", "LANG": "en_GB.UTF-8"], TerminalLook()),
    (["TERM": "xterm", "LC_ALL": "C.utf8", "LANG": "C"], TerminalLook()),
    (["TERM": "xterm", "LC_ALL": "", "LC_CTYPE": "de_DE.UTF-8", "NO_COLOR": ""], TerminalLook()),
    (["TERM": "xterm", "LC_ALL": "C", "LANG": "en_GB.UTF-8"], TerminalLook(drawsLines: false)),
    (["TERM": "linux", "LANG": "C.UTF-8"], TerminalLook(drawsLines: false)),
    (["TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": "0"], TerminalLook(hasColors: false)),
    (["TERM": "vt220", "LANG": "C.UTF-8"], TerminalLook(hasColors: false)),
    (["TERM": "xterm-mono", "LANG": "C.UTF-8"], TerminalLook(hasColors: false)),
    (["TERM": "dumb", "LANG": "C.UTF-8"], TerminalLook(movesCursor: false, hasColors: false)),
    ([:], TerminalLook(movesCursor: false, hasColors: false, drawsLines: false)),
  ])
  func looksByTheEnvironment(variables: [String: String], look: TerminalLook) {
    #expect(TerminalLook { variables[$0] } == look)
  }
}

@Suite struct TerminalKeysTests {
  func keys(_ text: String) -> [TerminalKey] {
    var parser = TerminalKeys()
    return parser.take(text.utf8)
  }

  @Test(arguments: [
    (" npfhmq?", [TerminalKey.space, .n, .p, .f, .h, .m, .q, .question]), ("NQ", [.n, .q]),
    ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
    ("\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD", [.up, .down, .right, .left]), ("\u{1B}[1;5C", [.right]),
    ("\u{1B}[5~n", [.n]), ("\u{1B}[[An", [.n]), ("\u{1B}qn", [.n]), ("\u{1B}\u{1B}[A", [.up]),
    ("\u{1B}[1\u{1B}[A", [.up]), ("ñ中n\r\t\u{0}", [.n]), ("xyz", []),
    ("\u{1B}O2Pn", [.n]), ("\u{1B}O2Q", []), ("\u{1B}O2A", [.up]),
    ("\u{1B}[200~ nq\u{1B}[201~", [.space, .n, .q]),
  ])
  func reads(text: String, expected: [TerminalKey]) {
    #expect(keys(text) == expected)
    // In whatever pieces it comes.
    var parser = TerminalKeys()
    #expect(text.utf8.flatMap { parser.take([$0]) } == expected)
    #expect(!parser.isWaiting)
  }

  @Test func waitsForTheRest() {
    for start in ["\u{1B}", "\u{1B}[", "\u{1B}O", "\u{1B}[1;"] {
      var parser = TerminalKeys()
      #expect(parser.take(start.utf8).isEmpty)
      #expect(parser.isWaiting)
      parser.timeOut()
      #expect(!parser.isWaiting)
      #expect(parser.take("q".utf8) == [.q])
    }
  }

  @Test func endlessSequencesEnd() {
    var parser = TerminalKeys()
    _ = parser.take(("\u{1B}[" + String(repeating: "1", count: 33)).utf8)
    #expect(!parser.isWaiting)
    #expect(parser.take("q".utf8) == [.q])
  }

  @Test func anyBytesAreTaken() {
    var random = SystemRandomNumberGenerator()
    var parser = TerminalKeys()
    for _ in 0..<10_000 { _ = parser.take([UInt8.random(in: 0...255, using: &random)]) }
    parser.timeOut()
    #expect(parser.take("n".utf8) == [.n])
  }

  @Test func keysAskForCommands() {
    let commands: [PlayerCommand?] = [
      .toggle, .next, .previous, .seek(.relative(.seconds(-5))), .seek(.relative(.seconds(5))),
      .volume(.relative(5)), .volume(.relative(-5)), .home, .foreground, .mute, .quit,
      .speed(.relative(-10)), .speed(.relative(10)), nil,
    ]
    #expect(TerminalKey.allCases.map(\.command) == commands)
    #expect(TerminalKey.help.allSatisfy { $0.count < 80 })
  }
}
