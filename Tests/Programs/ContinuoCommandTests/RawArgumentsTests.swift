import MusicFiles
import TestSupport
import Testing

@testable import ContinuoCommand

@Suite struct RawArgumentsTests {
  @Test func textsKeepAllBytes() {
    // The é and the è of Latin-1, which Swift shows as U+FFFD.
    let names = [0xE9, 0xE8].map { Array("caf".utf8) + [$0] + Array(".mp3".utf8) }
    let texts = names.map(RawArguments.text)
    #expect(texts[0] != texts[1] && texts.allSatisfy { $0.hasPrefix("caf") && $0.hasSuffix(".mp3") })
    #expect(texts[0].unicodeScalars.contains("\u{FFFD}"))
    #expect(texts.map(RawArguments.bytes) == names.map { MediaPath(bytes: $0) })
    for text in ["plain", "", "no such \u{FFFD}", "Ä\u{E0100}\u{FFFD}\u{E0101}e\u{301}"] {
      #expect(RawArguments.bytes(of: RawArguments.text(of: Array(text.utf8))) == MediaPath(text))
    }
    var random = RandomSource(seed: 4)
    for _ in 0..<1000 {
      let bytes = random.bytes(random.below(12)).map { max($0, 1) }
      #expect(RawArguments.bytes(of: RawArguments.text(of: bytes)).bytes == bytes)
    }
    #expect(RawArguments.bytes(of: "no such \u{FFFD}") == MediaPath("no such \u{FFFD}"))
  }

  @Test func recordsHaveNoSecrets() {
    let arguments = [
      "play", "--header", "Authorization: Basic c2VjcmV0", "--header=X-Key: secret", "--header", "@fields",
      "http://ann:secret@radio.test/live?token=secret", "--proxy=http://ann:secret@proxy.test:3128",
      "a: b.mp3",
    ]
    #expect(
      RawArguments.forRecords(arguments) == [
        "play", "--header", "Authorization: …", "--header=X-Key: …", "--header", "@fields",
        "http://radio.test/live", "--proxy=http://proxy.test:3128", "a: b.mp3",
      ])
  }
}
