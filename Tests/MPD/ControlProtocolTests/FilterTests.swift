import TestSupport
import Testing

@testable import ControlProtocol

/// What filters mean.
@Suite struct FilterTests {
  private func meaning(_ arguments: Argument..., isSearch: Bool = false) throws -> FilterExpression {
    try FilterRequest(arguments, isSearch: isSearch).expression
  }

  @Test("Refusals are mpd's, word for word", arguments: filterRefusalsOfMPD)
  func refusals(_ line: String, _ refusal: String) {
    #expect(Conversation.reply(to: line + "\n").text == refusal + "\n")
  }

  @Test(
    arguments: [
      ("(title == 'x')", .tag(.title, .equals("x"))),
      ("(any contains \"it's\")", .tag(nil, .contains("it's"))),
      ("(Title != 'x')", .not(.tag(.title, .equals("x")))),
      ("(Title !CONTAINS 'x')", .not(.tag(.title, .contains("x")))),
      ("(FileName=='a\\'b\\\\c\\d')", .file(.equals("a'b\\cd"))),
      ("(base '')", .base("")), ("(base '/a/../b')", .base("/a/../b")),
      ("(modified-since '86400')", .modifiedSince(86_400)),
      ("(modified-since '2021-06-15T14:00:00+02:00')", .modifiedSince(1_623_758_400)),
      ("(modified-since '1969-12-31')", .modifiedSince(-86_400)),
      ("(modified-since '0000-01-01')", .modifiedSince(-62_167_219_200)),
      ("(modified-since '2024-02-29')", .modifiedSince(1_709_164_800)),
      ("(modified-since '9999-12-31T23:59:61-13:59')", .modifiedSince(253_402_351_141)),
      (
        "(AudioFormat == '44100:f:2')",
        .audioFormat(AudioFormatMask(rate: 44_100, samples: .floatingPoint, channels: 2))
      ),
      (
        "(audioformat =~ '*:24_3:*')", .audioFormat(AudioFormatMask(samples: .bits(24)))
      ),
      ("(AudioFormat =~ 'dsd64:*')", .audioFormat(AudioFormatMask(rate: 352_800, samples: .dsd))),
      ("(!(Title == 'x'))", .not(.tag(.title, .equals("x")))),
      ("( ( Title == 'x' ) ) ", .tag(.title, .equals("x"))),
      (
        "(((Title == 'x') AND (Artist == 'y') ) AND(!(Date == 'z')) )",
        .all([
          .all([.tag(.title, .equals("x")), .tag(.artist, .equals("y"))]), .not(.tag(.date, .equals("z"))),
        ])
      ),
    ] as [(Argument, FilterExpression)])
  func expressions(_ text: Argument, _ expression: FilterExpression) throws {
    #expect(try meaning(text) == expression)
  }

  @Test("A name that is not UTF-8 is found as replies show it, and a file of that very name too")
  func originalNames() throws {
    let original = Argument([UInt8(ascii: "M"), 0xFC])
    let both = { (condition: (Argument) -> FilterExpression) in
      FilterExpression.not(.all([.not(condition("M\\xFC")), .not(condition(original))]))
    }
    #expect(try meaning("base", "M\\xFC") == both { .base($0) })
    #expect(try meaning("file", "M\\xFC") == both { .file(.equals($0)) })
    #expect(try meaning("(base 'M\\\\xFC')") == both { .base($0) })
    #expect(try meaning("(file != 'M\\\\xFC')") == .not(both { .file(.equals($0)) }))
    #expect(try meaning("file", "M\\xFC", isSearch: true) == .file(.contains("M\\xFC")))
  }

  @Test func pairs() throws {
    #expect(try meaning("Title", "x") == .tag(.title, .equals("x")))
    #expect(try meaning("Title", "x", isSearch: true) == .tag(.title, .contains("x")))
    #expect(try meaning("ANY", "x") == .tag(nil, .equals("x")))
    #expect(try meaning("base", "a/b") == .base("a/b"))
    #expect(
      try meaning("file", "x", "(Title == 'y')", isSearch: true)
        == .all([.file(.contains("x")), .tag(.title, .equals("y"))]))
  }

  @Test("What is beyond a limit is refused, and what is at it is not")
  func limits() throws {
    func nested(_ depth: Int) -> Argument {
      Argument(String(repeating: "(", count: depth) + "Title == 'x'" + String(repeating: ")", count: depth))
    }
    func long(_ length: Int) -> Argument { Argument("(Title == '\(String(repeating: "x", count: length))')") }
    func wide(_ count: Int) -> Argument {
      Argument("(" + Array(repeating: "(Title == 'x')", count: count).joined(separator: " AND ") + ")")
    }
    for (make, limit, refusal) in [
      (nested, ProtocolLimits.filterDepth, "Too many nested parentheses"),
      (long, ProtocolLimits.filterValue, "Quoted value is too long"),
      (wide, ProtocolLimits.filterConditions, "Too many conditions"),
    ] as [((Int) -> Argument, Int, String)] {
      _ = try meaning(make(limit))
      #expect(throws: Ack(.argument, refusal)) { try meaning(make(limit + 1)) }
    }
    #expect(throws: Ack(.argument, "Too many conditions")) { try meaning(wide(40), wide(25)) }
  }

  @Test("A line full of anything that goes deeper is refused")
  func depth() {
    for part in ["(", "(!", "(!(", "( ", "((", "(!(Title == 'x') AND ", "((Title == 'x') AND "] {
      let count = (ProtocolLimits.requestLine - 100) / part.utf8.count
      let filter = Argument(String(repeating: part, count: count))
      #expect(throws: Ack.self) { try meaning(filter) }
    }
  }

  @Test("An expression that is written is read as the same")
  func roundTrip() throws {
    let seed = UInt64.random(in: 0...999_999)
    var generator = FilterGenerator(seed: seed)
    for _ in 0..<2000 {
      let expression = generator.expression(depth: 5)
      let text = generator.text(of: expression)
      guard expression.isWithinLimits else { continue }
      let read = try meaning(Argument(text))
      if read != expression { Issue.record("seed \(seed): \(Argument(text)) read as \(read)") }
    }
  }

  @Test("No damage traps")
  func damage() {
    let seed = UInt64.random(in: 0...999_999)
    print("damaging filters, seed \(seed)")
    var generator = FilterGenerator(seed: seed)
    var understood = 0
    for _ in 0..<5000 {
      var text = generator.text(of: generator.expression(depth: 4))
      for _ in 0..<generator.random.below(4) {
        let index = generator.random.below(text.count)
        let byte = generator.random.pick(Array("()!='\"\\~ aATZ0:-".utf8))
        if generator.random.below(2) == 0 { text[index] = byte } else { text.insert(byte, at: index) }
      }
      if generator.random.below(10) == 0 { text.removeLast(generator.random.below(text.count)) }
      if (try? meaning(Argument(text))) != nil { understood += 1 }
    }
    #expect(understood > 1000)
    #expect(understood < 5000)
  }

  @Test(
    arguments: [
      ("*:*:*", true), ("44100:*:*", true), ("48000:*:*", false), ("*:f:*", true), ("*:24:*", false),
      ("*:dsd:*", false), ("*:*:2", true), ("*:*:1", false), ("44100:f:2", true),
    ])
  func formats(_ mask: String, _ isAccepted: Bool) throws {
    guard case .audioFormat(let mask) = try meaning(Argument("(AudioFormat =~ '\(mask)')")) else {
      throw Ack(.argument, "no format")
    }
    #expect(mask.accepts(AudioFormatText(rate: 44_100, bits: nil, channels: 2)) == isAccepted)
    let integers = AudioFormatText(rate: 44_100, bits: 24, channels: 2)
    #expect(AudioFormatMask(samples: .bits(24)).accepts(integers))
    #expect(!AudioFormatMask(samples: .floatingPoint).accepts(integers))
  }
}
