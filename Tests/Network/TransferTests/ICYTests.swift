import TestSupport
import Testing

@testable import Transfer

@Suite("ICY metadata")
struct ICYTests {
  @Test(
    "titles, with quotes and semicolons that nobody escapes",
    arguments: [
      ("foo=bar;", nil), ("StreamTitle='foo bar'", "foo bar"), ("StreamTitle='foo bar';", "foo bar"),
      ("StreamTitle='foo\"bar';", "foo\"bar"), ("StreamTitle='foo=bar';", "foo=bar"),
      ("a=b;StreamTitle='foo';", "foo"), ("a=;StreamTitle='foo';", "foo"),
      ("a=b;StreamTitle='foo';c=d", "foo"),
      ("a=b;StreamTitle='foo'", "foo"), ("a='b;c';StreamTitle='foo;bar'", "foo;bar"),
      ("a='b'c';StreamTitle='foo'bar'", "foo'bar"), ("StreamTitle='fo'o'b'ar';a='b'c'd'", "fo'o'b'ar"),
      ("StreamTitle='';", ""), ("StreamTitle='open", "open"), ("streamtitle='x\ty\n';", "x y"),
      ("StreamTitle='Song 1 - it's \"x\"; y';StreamUrl='';", "Song 1 - it's \"x\"; y"),
    ] as [(String, String?)])
  func titles(_ text: String, _ title: String?) throws {
    let metadata = try #require(ICYMetadata(block: Array(text.utf8) + [0, 0, 0]))
    #expect(metadata.title == title)
  }

  @Test("UTF-8 if it is that, else Latin-1")
  func encodings() {
    #expect(ICYMetadata(block: Array("StreamTitle='Café';".utf8))?.title == "Café")
    #expect(ICYMetadata(block: Array("StreamTitle='Caf".utf8) + [0xE9] + Array("';".utf8))?.title == "Café")
    #expect(ICYMetadata(block: Array("StreamTitle='a';StreamUrl='http://x/';".utf8))?.url == "http://x/")
  }

  @Test(
    "blocks that are no text are broken",
    arguments: [[0xFF, 0xFB, 0x90, 0x64], Array("hello".utf8), [0, 65], Array("a\u{1}=b".utf8)])
  func broken(_ block: [UInt8]) {
    #expect(ICYMetadata(block: block) == nil)
  }

  @Test(
    "the sound is the stream without blocks, however it is cut into pieces",
    arguments: [1, 16, 8_192, 100_000])
  func demuxing(_ interval: Int) {
    var random = RandomSource(seed: UInt64(interval))
    let sound = random.bytes(interval < 100 ? 1_000 : interval * 2 + 77)
    var stream: [UInt8] = []
    var titles: [String] = []
    for (index, start) in stride(from: 0, to: sound.count, by: interval).enumerated() {
      let piece = sound[start..<min(start + interval, sound.count)]
      stream += piece
      guard piece.count == interval else { break }
      switch index % 3 {
      case 0:
        // The longest block, every now and then.
        let title = index % 2 == 0 ? String(repeating: "x", count: 4_080 - 15) : "title \(index)"
        let text = Array("StreamTitle='\(title)';".utf8)
        stream +=
          [UInt8((text.count + 15) / 16)] + text + [UInt8](repeating: 0, count: (16 - text.count % 16) % 16)
        titles.append(title)
      default: stream.append(0)
      }
    }
    for largest in [1, 7, 4_096, stream.count] {
      var demuxer = ICYDemuxer(interval: interval)
      var heard: [UInt8] = []
      var told: [String] = []
      var rest = stream[...]
      while !rest.isEmpty {
        var piece = rest.prefix(1 + random.below(largest))
        rest = rest[piece.endIndex...]
        while let part = demuxer.next(&piece) {
          switch part {
          case .audio(let bytes): heard += bytes
          case .metadata(let metadata): told.append(metadata.title ?? "")
          case .broken: Issue.record("a block was taken for broken")
          }
        }
      }
      #expect(heard == sound)
      #expect(told == titles)
    }
  }

  @Test("what a station says of itself; intervals that cannot be used are refused")
  func stations() throws {
    func station(_ fields: [(String, String)]) throws -> ICYStation? {
      try ICYStation(ResponseHead(status: 200, fields: fields))
    }
    #expect(try station([("Content-Type", "audio/mpeg")]) == nil)
    let full = try #require(
      try station([("icy-name", "Lab"), ("icy-br", "128,128"), ("icy-metaint", "16000")]))
    #expect(full.name == "Lab" && full.bitRate == 128_000 && full.interval == 16_000)
    for interval in ["1", "1000000"] {
      #expect(try station([("icy-metaint", interval)])?.interval == Int(interval))
    }
    for interval in ["0", "-1", "1000001", "x", "99999999999999999999"] {
      #expect(throws: TransferFailure.self) { try station([("icy-metaint", interval)]) }
    }
  }
}
