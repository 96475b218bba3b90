import Testing
import TextFormatting

@Suite struct PercentEncodingTests {
  @Test("Any bytes survive, with any of them plain") func roundTrip() {
    let all = (0...255).map { UInt8($0) }
    for plain in [0x00..<0x00, 0x26..<0x100, 0x00..<0x25] {
      let text = PercentEncoding.encode(all.span) { plain.contains(Int($0)) }
      let (bytes, isValid) = PercentEncoding.decode(text)
      #expect(bytes == all)
      #expect(isValid)
    }
  }

  @Test(
    "Digits of both cases, and a sign where there are none",
    arguments: [
      ("a%2Fb%2f", "a/b/", true), ("%", "%", false), ("%4", "%4", false), ("%4G%41", "%4GA", false),
      // The standard library reads signs in front of digits.
      ("%+F", "%+F", false), ("%-0", "%-0", false), ("%%41", "%A", false), ("", "", true),
    ])
  func decoding(text: String, decoded: String, isValid: Bool) {
    let found = PercentEncoding.decode(text.utf8)
    #expect(String(decoding: found.bytes, as: UTF8.self) == decoded)
    #expect(found.isValid == isValid)
  }

  @Test func pathsOfFiles() {
    let url = PercentEncoding.fileURL(ofPath: (Array("/a b/(c)&'d'%?#".utf8) + [0xFF, 0x0A]).span)
    #expect(String(decoding: url, as: UTF8.self) == "file:///a%20b/(c)&'d'%25%3F%23%FF%0A")
  }
}
