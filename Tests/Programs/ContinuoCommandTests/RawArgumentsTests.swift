import Glibc
import MusicFiles
import Testing

@testable import ContinuoCommand

@Suite struct RawArgumentsTests {
  @Test func findsTheBytesOfAnArgument() throws {
    var arguments = [strdup("continuo"), strdup("caf\u{FFFD}.mp3"), nil]
    // The é of Latin-1, which Swift shows as U+FFFD.
    let latin = try #require(strdup("xaf?.mp3"))
    latin[0] = CChar(UInt8(ascii: "c"))
    latin[3] = CChar(bitPattern: 0xE9)
    arguments.insert(latin, at: 1)
    defer { for argument in arguments { free(argument) } }
    let found = arguments.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { RawArguments.bytes(of: "caf\u{FFFD}.mp3", count: 3, vector: $0) }
    }
    #expect(found == MediaPath(bytes: [0x63, 0x61, 0x66, 0xE9] + Array(".mp3".utf8)))
    #expect(RawArguments.bytes(of: "plain") == MediaPath("plain"))
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
