import Jukebox
import Testing
import Transfer

@testable import MusicFiles

@Suite struct EntryLocationTests {
  @Test(arguments: [
    ("a b.mp3", ["a b.mp3"]), ("file:///a%20b.mp3", ["/a b.mp3"]), ("FILE://localhost/a", ["/a"]),
    ("file:/a", ["/a"]),
    ("file:///a#b", ["/a#b"]), ("file:a", ["file:a"]), ("a%20b", ["a%20b"]), ("x:y/z", ["x:y/z"]),
    ("12:30", ["12:30"]),
    ("a\\b", ["a\\b", "a/b"]), ("://x", ["://x"]), ("1x://y", ["1x://y"]),
  ])
  func readsLocations(text: String, paths: [String]) {
    #expect(EntryLocation(Array(text.utf8)) == .paths(paths.map { MediaPath($0) }))
  }

  @Test(arguments: [
    ("http://x/y.mp3", "http://x/y.mp3"), ("HTTPS://X", "https://x/"),
    ("http://u:p@x:80/a b#c", "http://x/a%20b"),
    ("http://x:81/?q=\u{e9}", "http://x:81/?q=%C3%A9"),
    (
      "https://x/\(String(repeating: "y", count: 8_181))", "https://x/\(String(repeating: "y", count: 8_181))"
    ),
  ])
  func readsURLsOfTheNetwork(text: String, url: String) {
    guard case .url(let found, let credentials) = EntryLocation(Array(text.utf8)) else {
      Issue.record("\(text) was not taken")
      return
    }
    #expect(found.text == url)
    #expect((credentials != nil) == text.contains("u:p@"))
  }

  @Test(arguments: [
    ("http://x/a/02%20Hundredths.mp3", "02 Hundredths.mp3"), ("http://x/caf%C3%A9.mp3?q=1", "café.mp3"),
    ("http://x/", "x"), ("http://x/a%00b", "a%00b"),
  ])
  func aURLIsNamedAsPeopleWriteIt(_ url: String, _ name: String) throws {
    #expect(SongLocator(try WebURL.read(url).url).fileName == name)
  }

  @Test func readsLatin1() {
    let bytes = Array("caf".utf8) + [0xE9, 0x5C, 0x61]
    #expect(
      EntryLocation(bytes)
        == .paths([
          MediaPath(bytes: bytes), MediaPath("café\\a"),
          MediaPath(bytes: Array("caf".utf8) + [0xE9, 0x2F, 0x61]), MediaPath("café/a"),
        ]))
  }

  @Test(arguments: [
    ("http:///y.mp3", "URL"), ("http://x:y/", "URL"),
    ("https://x/\(String(repeating: "y", count: 8_182))", "8191"),
    ("icy+x://y", "icy+x"), ("file://other/a", "other"),
    ("file://", "path"), ("file:///a%2", "percent-encoding"), ("file:///a%zz", "percent-encoding"),
    ("file:///a%00b", "percent-encoding"),
    ("file:///%", "percent-encoding"),
  ])
  func refusesWhatIsElsewhere(text: String, word: String) {
    guard case .unusable(let reason) = EntryLocation(Array(text.utf8)) else {
      Issue.record("\(text) was taken")
      return
    }
    #expect(reason.contains(word))
  }
}
