import NetworkPlaylists
import TestSupport
import Testing
import Transfer

@Suite("Playlists from the network")
struct NetworkPlaylistTests {
  private func read(_ text: String, _ kind: NetworkPlaylist.Kind) throws -> NetworkPlaylist {
    try NetworkPlaylist(Array(text.utf8), kind: kind, from: WebURL.read("http://h/lists/a.m3u?x=1").url)
  }

  @Test("M3U: relative entries are seen from the playlist, titles belong to the next entry")
  func m3u() throws {
    let list = try read(
      "\u{FEFF}#EXTM3U\r\n#EXTINF:36,Artist - Song\r\none.mp3\r\n\r\n../two three.mp3\r\n#x\r\nhttp://u:p@other:8000/\r\n//third/x\n",
      .m3u)
    #expect(
      list.entries.map(\.url.text) == [
        "http://h/lists/one.mp3", "http://h/two%20three.mp3", "http://other:8000/", "http://third/x",
      ])
    #expect(list.entries.map(\.title) == ["Artist - Song", nil, nil, nil])
    #expect(list.entries[2].credentials == Credentials(user: "u", password: "p") && list.problems.isEmpty)
  }

  @Test("PLS: by number, with titles")
  func pls() throws {
    let list = try read(
      "[playlist]\nNumberOfEntries=2\nFile2=b.mp3\nTitle2=B\nfile1 = https://x/a\nTitle1=A\nLength1=-1\nVersion=2\n",
      .pls)
    #expect(list.entries.map(\.url.text) == ["https://x/a", "http://h/lists/b.mp3"])
    #expect(list.entries.map(\.title) == ["A", "B"])
  }

  @Test("XSPF: the first location of each track, entities, CDATA, comments, prefixes")
  func xspf() throws {
    let list = try read(
      """
      <?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><title>All</title><!-- <track> --><trackList>
      <track><title>A &amp; B &#x41;</title><location> http://x/a?b=1&amp;c=2 </location><location>http://y/</location></track>
      <track><location><![CDATA[c.mp3]]></location></track><track><title>none</title></track>
      <x:track><x:location>/d</x:location></x:track></trackList></playlist>
      """, .xspf)
    #expect(list.entries.map(\.url.text) == ["http://x/a?b=1&c=2", "http://h/lists/c.mp3", "http://h/d"])
    #expect(list.entries.map(\.title) == ["A & B A", nil, nil])
  }

  @Test(
    "XSPF that cannot be read is refused with its line: declarations, another root, what is not closed",
    arguments: [
      (
        "<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///\">]><playlist/>",
        "line 1: document type declarations are not supported"
      ), ("<html/>", "line 1: a playlist begins with <playlist>, not with <html>"),
      ("<playlist>\n<track></playlist>", "line 2: mismatched tag"),
    ])
  func unreadable(_ text: String, _ reason: String) {
    let refusal = #expect(throws: NetworkPlaylist.Refusal.self) { try read(text, .xspf) }
    #expect(refusal?.description == "the playlist cannot be read: \(reason)")
  }

  @Test("files of this machine, and other schemes, are refused, and the rest is played")
  func refused() throws {
    let list = try read("file:///etc/passwd\nftp://x/y\nok.mp3\nhttp://[/\n", .m3u)
    #expect(list.entries.map(\.url.text) == ["http://h/lists/ok.mp3"])
    #expect(
      list.problems.map(\.reason) == [
        "file: URLs are not played from the network", "ftp: URLs are not played from the network",
        "this is no URL",
      ])
    // A path is one of the server's.
    #expect(try read("/etc/passwd", .m3u).entries.map(\.url.text) == ["http://h/etc/passwd"])
  }

  @Test("Lines that are no text are named; two entries of one number are both played")
  func likeLocalPlaylists() throws {
    let list = try read("[playlist]\nFile1=a.mp3\nFile1=b.mp3\nFile2=c\u{0}d\nFile3=\n", .pls)
    #expect(list.entries.map(\.url.text) == ["http://h/lists/a.mp3", "http://h/lists/b.mp3"])
    #expect(list.problems == [NetworkPlaylist.Problem(text: "line 4", reason: "not text")])
  }

  @Test("HLS is named; at most 1 MiB and 10,000 entries")
  func limits() throws {
    #expect(throws: NetworkPlaylist.Refusal.liveStreaming) {
      try read("#EXTM3U\n#EXT-X-VERSION:3\nx.ts\n", .m3u)
    }
    #expect(NetworkPlaylist.Refusal.liveStreaming.description == "HTTP Live Streaming is not supported")
    #expect(throws: NetworkPlaylist.Refusal.tooLong) {
      try read(String(repeating: "a", count: (1 << 20) + 1), .m3u)
    }
    for list in [
      try read(String(repeating: "a\n", count: 10_001), .m3u),
      try read(String(repeating: "a\n", count: 1 << 19), .m3u),
      try read((0..<20_000).map { "File\($0)=a" }.joined(separator: "\n"), .pls),
      // As many cannot be played.
      try read(String(repeating: "a\nrtsp:b\n", count: 10_000) + "a\n", .m3u),
    ] {
      #expect(list.entries.count == 10_000 && list.cut == 10_000)
    }
    // The lines that cannot be played do not keep out the one that can.
    for bad in ["rtsp:b\n", "c\u{0}d\n"] {
      let bad = try read(String(repeating: bad, count: 10_001) + "a\n", .m3u)
      #expect(bad.entries.count == 1 && bad.problems.count == 10_000 && bad.cut == nil)
    }
    let track = "<track><location>rtsp:b</location></track>"
    let tracks = try read(
      "<playlist><trackList>\(String(repeating: track, count: 10_001))<track><location>a</location></track>"
        + "</trackList></playlist>", .xspf)
    #expect(tracks.entries.count == 1 && tracks.problems.count == 10_000 && tracks.cut == nil)
    let endless = try read(String(repeating: "rtsp:b\n", count: 30_000) + "a\n", .m3u)
    #expect(endless.entries.isEmpty && endless.cut != nil)
    let whole = try read(String(repeating: "a\n", count: 10_000), .m3u)
    #expect(whole.entries.count == 10_000 && whole.cut == nil)
  }

  @Test(
    "A playlist has at most 1 MiB, whatever kind it is",
    arguments: [
      (NetworkPlaylist.Kind.m3u, "#EXTM3U\na.mp3\n#", ""), (.pls, "[playlist]\nFile1=a.mp3\n;", ""),
      (
        .xspf, "<playlist><trackList><track><location>a.mp3</location></track></trackList><!--",
        "--></playlist>"
      ),
    ])
  func playlists(_ kind: NetworkPlaylist.Kind, _ begin: String, _ end: String) throws {
    let url = try WebURL.read("http://h/list").url
    for excess in 0...1 {
      let room = (1 << 20) + excess - begin.utf8.count - end.utf8.count
      let bytes = Array(begin.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: room) + Array(end.utf8)
      if excess == 0 {
        let playlist = try NetworkPlaylist(bytes, kind: kind, from: url)
        #expect(playlist.entries.map(\.url.text) == ["http://h/a.mp3"])
      } else {
        #expect(throws: NetworkPlaylist.Refusal.tooLong) {
          try NetworkPlaylist(bytes, kind: kind, from: url)
        }
      }
    }
  }

  @Test("what is a playlist: by its first line, by what the server says, by its name")
  func kinds() throws {
    func kind(_ type: String?, _ url: String, _ bytes: String = "x") throws -> NetworkPlaylist.Kind? {
      NetworkPlaylist.kind(contentType: type, url: try WebURL.read(url).url, beginning: Array(bytes.utf8))
    }
    #expect(try kind("audio/mpeg", "http://h/", "\u{FEFF}#EXTM3U\n") == .m3u)
    #expect(try kind(nil, "http://h/", "[Playlist]\n") == .pls)
    #expect(try kind("text/xml", "http://h/", "<?xml version=\"1.0\"?>\n<playlist>") == .xspf)
    #expect(
      try kind("Audio/X-MpegURL; charset=utf-8", "http://h/") == .m3u
        && kind("audio/x-scpls", "http://h/") == .pls)
    #expect(
      try kind(nil, "http://h/a.M3U8?x=.pls") == .m3u
        && kind("application/octet-stream", "http://h/a.xspf") == .xspf)
    #expect(try kind("audio/mpeg", "http://h/a.m3u") == nil && kind(nil, "http://h/a.mp3") == nil)
  }

  @Test("Mutated playlists are read or refused")
  func fuzz() throws {
    let seeds: [(String, NetworkPlaylist.Kind)] = [
      ("#EXTM3U\n#EXTINF:1,x\nhttp://h/a\n", .m3u), ("[playlist]\nFile1=http://h/a\nTitle1=x\n", .pls),
      ("<playlist><track><location>a&amp;b</location><title><![CDATA[x]]></title></track></playlist>", .xspf),
    ]
    var random = RandomSource(seed: 7)
    let base = try WebURL.read("http://h/l").url
    for _ in 0..<Rounds.count(20_000) {
      let seed = random.pick(seeds)
      var bytes = Array(seed.0.utf8)
      for _ in 0..<(1 + random.below(5)) {
        let at = random.below(bytes.count)
        if random.below(2) == 0 { bytes[at] = UInt8(random.below(256)) } else { bytes.remove(at: at) }
      }
      guard let list = try? NetworkPlaylist(bytes, kind: seed.1, from: base) else { continue }
      #expect(list.entries.count + list.problems.count <= 4)
    }
  }
}
