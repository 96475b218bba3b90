import NetworkPlaylists
import Testing

@Suite struct PlaylistTextTests {
  func texts(_ playlist: String) -> [String] {
    PlaylistText.parse(Array(playlist.utf8)).entries.map { String(decoding: $0.text, as: UTF8.self) }
  }

  @Test(arguments: [
    "a.mp3\nb c.mp3\n", "a.mp3\r\nb c.mp3", "a.mp3\rb c.mp3\r",
    "\u{FEFF}#EXTM3U\r\n#EXTINF:1,x\r\na.mp3\r\n\r\n  b c.mp3\t\n",
    "\n\n# [playlist]\na.mp3\n#\nb c.mp3",
    "[playlist]\nFile1=a.mp3\nFile2=b c.mp3\nTitle1=x\nLength1=-1\nNumberOfEntries=2",
    "\u{FEFF}[PlayList]\r\nFILE10 = b c.mp3\r\nfile9=a.mp3\r\nVersion=2\r\n",
    "[playlist]\nFile01=a.mp3\nFile1=b c.mp3",
  ])
  func readsPlaylists(playlist: String) {
    #expect(texts(playlist) == ["a.mp3", "b c.mp3"])
    #expect(PlaylistText.parse(Array(playlist.utf8)).problems.isEmpty)
  }

  @Test func countsLines() {
    let content = PlaylistText.parse(Array("#EXTM3U\r\n\r\na\rb\n\nc".utf8))
    #expect(content.entries.map(\.line) == [3, 4, 6])
  }

  @Test func emptyPlaylistsHaveNoEntries() {
    for text in [
      "", "\n", "\u{FEFF}", "#EXTM3U\n", "[playlist]\n", "[playlist]\nFile=x\nFilex=y\nFile1=\nFile-1=z",
    ] {
      #expect(texts(text).isEmpty)
    }
  }

  @Test func reportsWhatIsNoText() {
    let long = String(repeating: "x", count: PlaylistText.lineLimit + 1)
    let content = PlaylistText.parse(Array("a\n\(long)\nb\u{0}c\nd".utf8))
    #expect(content.entries.map(\.line) == [1, 4])
    #expect(content.problems.map(\.line) == [2, 3])
    let comment = PlaylistText.parse(Array("#\(long)\na".utf8))
    #expect(comment.problems.isEmpty && comment.entries.count == 1)
    let utf16 = PlaylistText.parse([0xFF, 0xFE, 0x61, 0x00])
    #expect(utf16.entries.isEmpty && utf16.problems.count == 1)
  }

  @Test func anyBytesAreRead() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let bytes: [UInt8] = (0..<40).map { _ in
        ([0x0A, 0x0D, 0x20, 0x23, 0xFF, 0x61, 0x3D, 0] as [UInt8]).randomElement(using: &random) ?? 0
      }
      let content = PlaylistText.parse(bytes)
      #expect(content.entries.allSatisfy { !$0.text.isEmpty && !$0.text.contains(0) })
    }
  }
}
