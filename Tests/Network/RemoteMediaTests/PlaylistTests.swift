import AudioCore
import Clocks
import CurlTransport
import Foundation
import NetworkPlaylists
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import RemoteMedia

@Suite("Playlists of the network, read", .blocksThread, .timeLimit(.minutes(10)))
struct PlaylistTests {
  /// What comes of a playlist. Fails after half a minute.
  private func read(
    _ server: HostileServer, _ path: String = "/list.m3u", transport: any HTTPTransport = CurlHTTPTransport(),
    settings: RequestSettings = RequestSettings(userAgent: "Continuo/test")
  ) throws -> PlaylistAnswer {
    let answer = Mutex<PlaylistAnswer?>(nil)
    let listener = Listener()
    let reader = PlaylistReader(
      try WebURL.read(server.url(path)).url, settings: settings, transport: transport,
      clock: SystemClock.shared
    ) { found in
      answer.withLock { $0 = found }
      listener.wake()
    }
    _ = try listener.wait(after: 0)
    withExtendedLifetime(reader) {}
    return try #require(answer.withLock { $0 })
  }

  /// A server of texts by their paths; everything else is not found.
  private func serve(_ texts: [String: String], type: String = "text/plain") throws -> HostileServer {
    try HostileServer { request in
      guard let text = texts[request.target] else { return HostileFile.plain("404 Not Found") }
      if text.hasPrefix("-> ") {
        return HostileFile.plain("302 Found", ["Location: \(text.dropFirst(3))"])
      }
      let body = Array(text.utf8)
      let head = HostileFile.head("200 OK", ["Content-Type: \(type)", "Content-Length: \(body.count)"])
      return [.send(head), .send(body)]
    }
  }

  @Test("entries with titles, in order; relative ones are seen from where redirects led")
  func redirected() throws {
    let server = try serve([
      "/list.m3u": "-> /deep/folder/real.m3u?x=1",
      "/deep/folder/real.m3u?x=1":
        "#EXTM3U\n#EXTINF:10,One\na.mp3\n#EXTINF:-1,Two\n../b.mp3\nhttp://u:p@other.test/c\nfile:///etc/passwd\n",
    ])
    let answer = try read(server)
    #expect(answer.isPlaylist && answer.failure == nil)
    #expect(
      answer.media.map(\.entry.url.text) == [
        server.url("/deep/folder/a.mp3"), server.url("/deep/b.mp3"), "http://other.test/c",
      ])
    #expect(answer.media.map(\.entry.title) == ["One", "Two", nil])
    #expect(answer.media[2].entry.credentials == Credentials(user: "u", password: "p"))
    #expect(answer.problems.map(\.text) == ["file:///etc/passwd"])
  }

  @Test("playlists in playlists, in their places; loops end, and so does depth")
  func nested() throws {
    let server = try serve([
      "/list.m3u": "1.mp3\n/inner.pls\n3.mp3\n/missing.m3u\n",
      "/inner.pls": "[playlist]\nFile1=2.mp3\nTitle1=Second\nFile2=/list.m3u\n",
      "/0.m3u": "/1.m3u\na.mp3", "/1.m3u": "/2.m3u", "/2.m3u": "/3.m3u", "/3.m3u": "/4.m3u\nb.mp3",
      "/4.m3u": "never.mp3",
    ])
    let answer = try read(server)
    #expect(answer.media.map(\.entry.url.path) == ["/1.mp3", "/2.mp3", "/3.mp3"])
    #expect(answer.media.map(\.entry.title) == [nil, "Second", nil])
    #expect(
      answer.problems == [
        .init(text: server.url("/list.m3u"), reason: "a playlist that contains itself"),
        .init(text: server.url("/missing.m3u"), reason: "127.0.0.1 answered 404"),
      ])
    let deep = try read(server, "/0.m3u")
    #expect(deep.media.map(\.entry.url.path) == ["/b.mp3", "/a.mp3"])
    #expect(deep.problems.map(\.reason) == ["more than 4 playlists deep"])
  }

  @Test("HTTP Live Streaming is refused by name, and so is what is too long, or none")
  func refused() throws {
    let long = String(repeating: "# comment\n", count: 210_000)
    let server = try serve([
      "/list.m3u": "#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:10,\nsegment.ts\n", "/long.m3u": long,
      "/many.m3u": (0...10_000).map { "\($0).mp3\n" }.joined(), "/empty.m3u": "#EXTM3U\n",
      "/lists.m3u": (0...200).map { "/\($0)/list.pls\n" }.joined(),
    ])
    #expect(try read(server).failure == "HTTP Live Streaming is not supported")
    #expect(try read(server, "/long.m3u").failure == "the playlist is too long")
    #expect(try read(server, "/none.m3u").failure == "127.0.0.1 answered 404")
    #expect(try read(server, "/empty.m3u").failure == "an empty playlist")
    let many = try read(server, "/many.m3u")
    #expect(many.media.count == 10_000)
    #expect(many.failure == "more than 10000 entries; remaining entries skipped")
    #expect(many.completeCount == 10_000)
    let before = server.requests.count
    // One host gets ten requests a second, and all that a playlist needs must come within 15 s.
    var options = CurlOptions()
    options.requestsPerSecond = 100_000
    let lists = try read(server, "/lists.m3u", transport: CurlHTTPTransport(options: options))
    #expect(lists.problems.count == 99 && lists.completeCount == 0)
    #expect(lists.failure == "more than 100 playlists; remaining entries skipped")
    #expect(server.requests.count - before <= NetworkLimits.playlistRequests)
  }

  @Test("of a feed that is cut inside a playlist it is known where entries are missing")
  func cutInside() throws {
    func feed(_ count: Int) -> String {
      let items = (0..<count).map { "<item><enclosure url=\"\($0).mp3\" type=\"audio/mpeg\"/></item>" }
      return "<rss><channel>\(items.joined())</channel></rss>"
    }
    let server = try serve([
      "/list.m3u": "a.mp3\n/short.rss\n/long.rss\nb.mp3\n/long.rss\n", "/short.rss": feed(2),
      "/long.rss": feed(2001),
    ])
    let answer = try read(server)
    #expect(answer.media.count == 4004 && answer.completeCount == 2003)
    #expect(answer.media[2003].entry.url.path == "/b.mp3")
    #expect(answer.failure == "more than 2000 entries; remaining entries skipped")
    #expect(try read(server, "/short.rss").completeCount == nil)
  }

  @Test("a playlist of 1 MiB is read, and one with a byte more is not, whether or not its length is told")
  func longest() throws {
    let server = try HostileServer { request in
      let count = (1 << 20) + (request.target.contains("more") ? 1 : 0)
      let begin = Array("#EXTM3U\na.mp3\n#".utf8)
      let body = begin + [UInt8](repeating: UInt8(ascii: "x"), count: count - begin.count)
      let isTold = request.target.hasPrefix("/told")
      let head = HostileFile.head("200 OK", isTold ? ["Content-Length: \(count)"] : ["Connection: close"])
      return [.send(head), .send(body), .close]
    }
    for path in ["/told", "/untold"] {
      let answer = try read(server, path + ".m3u")
      #expect(answer.failure == nil && answer.media.map(\.entry.url.path) == ["/a.mp3"], "\(path)")
      let more = try read(server, path + "/more.m3u")
      #expect(more.failure == "the playlist is too long" && more.media.isEmpty, "\(path)")
    }
  }

  @Test("a medium behind a playlist's name is a medium, also one without end")
  func medium() throws {
    let server = try HostileServer { _ in
      [
        .send(HostileFile.head("200 OK", ["Content-Type: audio/mpeg"])),
        .sendForEver(SongBytes.make(frames: 100)),
      ]
    }
    let answer = try read(server)
    #expect(!answer.isPlaylist && answer.failure == nil && answer.media.isEmpty)
  }

  @Test("a server that brings nothing ends it after 15 s", .timeLimit(.minutes(10)))
  func silence() throws {
    let server = try HostileServer { _ in [.hang] }
    let begin = Date()
    #expect(try read(server).failure == "the playlist took longer than 15 s")
    #expect(Date().timeIntervalSince(begin) < 90)
  }

  @Test("fields and credentials of the user go to the playlist's origin only")
  func secrets() throws {
    let other = try serve(["/list.pls": "[playlist]\nFile1=a.mp3\n"])
    let server = try serve(["/list.m3u": other.url("/list.pls") + "\n/second.m3u\n", "/second.m3u": "b.mp3"])
    var settings = RequestSettings(userAgent: "Continuo/test")
    settings.fields.set("X-Secret", "1")
    settings.credentials = Credentials(user: "u", password: "p")
    let answer = try read(server, settings: settings)
    #expect(answer.media.count == 2)
    #expect(other.requests.allSatisfy { $0.fields["x-secret"] == nil && $0.fields["authorization"] == nil })
    #expect(server.requests.allSatisfy { $0.fields["x-secret"] == "1" })
  }

  // MARK: In the place of a medium

  private func medium(_ server: HostileServer, _ path: String) throws -> RemoteMedium {
    RemoteMedium(
      url: try WebURL.read(server.url(path)).url, settings: RequestSettings(userAgent: "Continuo/test"),
      environment: RemoteEnvironment(
        transport: CurlHTTPTransport(), clock: SystemClock.shared, cache: MediaCache()))
  }

  @Test("a playlist in the place of a medium stands for its first entry, over two levels")
  func standIn() throws {
    let song = try LiveTests.fixture("cbr-44100-stereo.mp3")
    let samples = try LiveTests.samples(song)
    let server = try HostileServer { request in
      let text: String
      switch request.target {
      case "/song.mp3": return HostileFile(song).answer(request)
      case "/once": text = "#EXTM3U\nfile:///etc/passwd\n/song.mp3\n/never.mp3\n"
      case "/twice": text = "[playlist]\nFile1=/once\n"
      case "/thrice": text = "#EXTM3U\n/twice\n"
      case "/hls": text = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n"
      default: text = "#EXTM3U\nfile:///etc/passwd\n"
      }
      let body = Array(text.utf8)
      return [.send(HostileFile.head("200 OK", ["Content-Length: \(body.count)"])), .send(body)]
    }
    for path in ["/once", "/twice"] {
      let listener = Listener()
      let isSame = try listener.samples(of: try listener.open(try medium(server, path))) == samples
      #expect(isSame)
    }
    for (path, message) in [
      ("/thrice", "A playlist that leads to playlists again and again."),
      ("/hls", "HTTP Live Streaming is not supported"),
      ("/nothing", "The playlist names nothing that can be played."),
    ] {
      let error = #expect(throws: DecodingError.self) { _ = try Listener().open(try medium(server, path)) }
      #expect(error == DecodingError(reason: .notRecognized, message: message))
    }
    #expect(!server.requests.contains { $0.target == "/never.mp3" })
  }
}
