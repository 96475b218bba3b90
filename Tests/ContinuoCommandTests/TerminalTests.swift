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
    #expect(ProgressBar.text(progress, columns: columns) == text)
  }

  let line = StatusLine(
    title: "A Song", status: "playing", elapsed: "12.34", duration: "1:02.34", progress: 0.2)

  @Test(arguments: [
    (80, "A Song  [#######-------------------------------]  playing  12.34 / 1:02.34"),
    (60, "A Song  [####-------------------]  playing  12.34 / 1:02.34"),
    (34, "A Song  playing  12.34 / 1:02.34"), (32, "A So…  playing  12.34 / 1:02.34"),
    (26, "playing  12.34 / 1:02.34"), (20, "12.34 / 1:02.34"), (10, "12.34"), (3, "1…"), (1, ""), (0, ""),
    (-1, ""),
  ])
  func rendersByWidth(columns: Int, text: String) {
    #expect(line.rendered(columns: columns) == text)
  }

  @Test func neverReachesTheEdge() {
    for title in ["", "x", "中文字中文字中文字中文字", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "a\u{1B}[2J\nb", String(repeating: "e\u{301}", count: 200)]
    {
      for columns in -2...130 {
        for duration in [nil, "1:02.34"] {
          var line = line
          line.title = title
          line.duration = duration
          let text = line.rendered(columns: columns)
          #expect(TerminalText.width(text) <= max(0, columns - 1))
          #expect(!text.contains("\u{1B}") && !text.contains("\n"))
          if columns > 6 { #expect(text.contains("12.34")) }
        }
      }
    }
  }
}

@Suite struct TerminalKeysTests {
  func keys(_ text: String) -> [TerminalKey] {
    var parser = TerminalKeys()
    return parser.take(text.utf8)
  }

  @Test(arguments: [
    (" npfhmq", [TerminalKey.space, .n, .p, .f, .h, .m, .q]), ("NQ", [.n, .q]),
    ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
    ("\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD", [.up, .down, .right, .left]), ("\u{1B}[1;5C", [.right]),
    ("\u{1B}[5~n", [.n]), ("\u{1B}[[An", [.n]), ("\u{1B}qn", [.n]), ("\u{1B}\u{1B}[A", [.up]),
    ("\u{1B}[1\u{1B}[A", [.up]), ("ñ中n\r\t\u{0}", [.n]), ("xyz", []),
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
    #expect(
      TerminalKey.allCases.map(\.command) == [
        .toggle, .next, .previous, .seek(.relative(.seconds(-5))), .seek(.relative(.seconds(5))),
        .volume(.relative(5)),
        .volume(.relative(-5)), .home, .foreground, .mute, .quit,
      ])
  }
}
