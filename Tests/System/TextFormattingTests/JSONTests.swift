import Foundation
import TestSupport
import Testing
import TextFormatting

@Suite struct JSONTests {
  @Test(arguments: [
    ("0", "0"), ("12.340", "12.340"), ("-5", "-5"), ("0.5", "0.5"), ("007", "\"007\""), ("1.", "\"1.\""),
    (".5", "\".5\""), ("", "\"\""), ("-", "\"-\""), ("1e3", "\"1e3\""), ("inf", "\"inf\""),
    ("1.2.3", "\"1.2.3\""),
    ("١", "\"١\""), ("-0.0", "-0.0"), ("00", "\"00\""),
  ])
  func numbersStayAsTheyWereWritten(_ text: String, _ json: String) {
    var bytes: [UInt8] = []
    JSONValue.number(written: text).append(to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == json)
  }

  @Test(arguments: ["\u{FEFF}a", "a\u{FEFF}b", "a\n\u{FEFF}b", "\u{85}\u{FEFF}"])
  func aByteOrderMarkReadsBack(_ text: String) throws {
    let line = JSONValue.array([.string(text)]).line
    #expect(!line.contains(0xEF))
    #expect(try JSONSerialization.jsonObject(with: Data(line)) as? [String] == [text])
  }

  @Test(arguments: [10_898_038_705_946_791_297, UInt64.random(in: 0 ... .max)])
  func anyTextReadsBack(seed: UInt64) throws {
    var generator = RandomSource(seed: seed)
    for _ in 0..<2000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...20, using: &generator) {
        let limit: UInt32 = [0x20, 0x80, 0x100, 0x3000, 0x110000].randomElement(using: &generator) ?? 0x80
        if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &generator)) {
          text.append(scalar)
        }
      }
      let value = JSONValue.object([
        JSONValue.Member(key: String(text), value: .array([.string(String(text)), .null, .bool(true)]))
      ])
      let line = value.line
      #expect(line.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "seed \(seed)")
      let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: [Any]]
      #expect(object?.values.first?.first as? String == String(text), "seed \(seed)")
      // Nothing that a terminal obeys.
      let printed = String(decoding: line.dropLast(), as: UTF8.self)
      #expect(!printed.unicodeScalars.contains { (0x80...0x9F).contains($0.value) }, "seed \(seed)")
    }
  }
}
