import Foundation
import NetworkPlaylists
import Testing
import Transfer

@Suite("Feeds")
struct FeedTests {
  private func read(_ text: String) throws -> NetworkPlaylist {
    try NetworkPlaylist(
      Array(text.utf8), kind: .feed, from: WebURL.read("https://h/shows/feed.xml?key=1").url)
  }

  private func feed(_ items: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" xmlns:itunes=\"http://x\"><channel><title>Show</title>\(items)</channel></rss>"
  }

  private func item(_ number: Int, _ type: String = "audio/mpeg") -> String {
    "<item><title>Episode \(number)</title><enclosure url=\"https://m/\(number).mp3\" length=\"1\" type=\"\(type)\"/></item>"
  }

  @Test("the enclosures that are MPEG audio, with the titles of their items, seen from the feed")
  func episodes() throws {
    let list = try read(
      feed(
        """
        <image><title>Logo</title><url>https://h/a.png</url></image>
        <item><itunes:title>no</itunes:title><title><![CDATA[Tom & Ana]]></title>
        <enclosure url="https://u:p@m.test/1.mp3?a=1&amp;b=2" type="audio/mpeg" length="5"/><enclosure url="/second.mp3" type="audio/mpeg"/></item>
        <item><enclosure type="Audio/MPEG; x=y" url="../2.mp3"/><title> A&#233; </title></item>
        <item><title>text only</title></item>
        <item><title>video</title><enclosure url="v.mp4" type="video/mp4"/><enclosure url="w"/></item>
        <item><enclosure url="file:///etc/passwd" type="audio/mpeg"/></item>
        <enclosure url="https://h/outside.mp3" type="audio/mpeg"/>
        """))
    #expect(list.entries.map(\.url.text) == ["https://m.test/1.mp3?a=1&b=2", "https://h/2.mp3"])
    #expect(list.entries.map(\.title) == ["Tom & Ana", "Aé"])
    #expect(list.entries[0].credentials == Credentials(user: "u", password: "p"))
    #expect(
      list.problems.map { "\($0.text): \($0.reason)" } == [
        "file:///etc/passwd: file: URLs are not played from the network"
      ])
    let films = try read(
      feed("<item><enclosure url=\"v.mp4\" type=\"video/mp4\"/><enclosure url=\"w\"/></item>"))
    #expect(
      films.problems.map { "\($0.text): \($0.reason)" } == [
        "v.mp4: video/mp4 is not played", "w: an enclosure without a type is not played",
      ])
    #expect(films.entries.isEmpty)
  }

  @Test("2,000 entries are taken; that there are more is told") func entries() throws {
    let all = try read(feed((1...2_000).map { item($0) }.joined()))
    #expect(all.entries.count == 2_000 && all.problems.isEmpty && all.entries.last?.title == "Episode 2000")
    let more = try read(feed((1...2_001).map { item($0) }.joined()))
    #expect(more.entries == all.entries)
    #expect(more.problems.isEmpty && more.cut == 2_000 && all.cut == nil)
  }

  @Test("8 MiB are read, a byte more is refused") func length() throws {
    var text = feed(item(1))
    // Each element has less text than one may have.
    let filler = "<a>" + String(repeating: "x", count: 1 << 19) + "</a>"
    text.insert(contentsOf: String(repeating: filler, count: 15), at: text.range(of: "<item>")!.lowerBound)
    text += String(repeating: " ", count: (8 << 20) - text.utf8.count)
    #expect(try read(text).entries.count == 1)
    #expect(throws: NetworkPlaylist.Refusal.tooLong) { try read(text + " ") }
  }

  @Test(
    "what is no feed is refused, with the reason",
    arguments: [
      ("<!DOCTYPE rss [<!ENTITY a \"b\">]><rss/>", "document type declarations are not supported"),
      ("<rss><channel>", "no element found"),
      ("<feed xmlns=\"http://www.w3.org/2005/Atom\"/>", "begins with <rss>"),
      ("", "no element found"), ("<html>", "begins with <rss>"),
      (String(repeating: "<rss>", count: 65), "too deep"),
    ])
  func refused(_ text: String, _ reason: String) {
    let refusal = #expect(throws: NetworkPlaylist.Refusal.self) { try read(text) }
    #expect(refusal?.description.contains(reason) == true, "\(refusal as Any)")
  }

  @Test("a feed is known by its beginning, its type and its name") func kinds() throws {
    func kind(_ type: String?, _ url: String, _ text: String = "x") throws -> NetworkPlaylist.Kind? {
      NetworkPlaylist.kind(contentType: type, url: try WebURL.read(url).url, beginning: Array(text.utf8))
    }
    #expect(
      try kind(nil, "http://h/show", "\u{FEFF}<?xml version=\"1.0\"?>\n<!-- x --><RSS version=\"2.0\">")
        == .feed)
    #expect(try kind("application/rss+xml; charset=utf-8", "http://h/show") == .feed)
    #expect(
      try kind("text/xml", "http://h/show.rss") == .feed && kind("text/xml", "http://h/show.xml") == .feed)
    #expect(try kind("text/xml", "http://h/list.xml", "<playlist version=\"1\">") == .xspf)
    #expect(
      try kind("audio/mpeg", "http://h/a.xml", "ID3") == nil
        && kind("text/html", "http://h/", "<html>") == nil)
  }
}
