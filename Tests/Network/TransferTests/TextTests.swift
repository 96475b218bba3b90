import TestSupport
import Testing
import Transfer

@Suite("URLs, addresses and dates")
struct TextTests {
  @Test(
    "a URL is read in the form in which it is sent",
    arguments: [
      ("http://Example.COM", "http://example.com/"),
      ("  https://h:443/a/./b/../c.mp3?x=1#frag \n", "https://h/a/c.mp3?x=1"),
      ("http://h:8000/", "http://h:8000/"),
      ("HTTP://h:/x", "http://h/x"),
      ("http://h/a b/ü.mp3?q=ä b", "http://h/a%20b/%C3%BC.mp3?q=%C3%A4%20b"),
      ("http://h/100%25.mp3", "http://h/100%25.mp3"),
      ("http://[::1]:80/a", "http://[::1]/a"),
      ("http://h/../../a", "http://h/a"),
      ("http://h/a//b", "http://h/a//b"),
      ("http://user@h/", "http://h/"),
      ("http://h?q", "http://h/?q"),
    ])
  func reads(_ text: String, _ expected: String) throws {
    #expect(try WebURL.read(text).url.text == expected)
  }

  @Test("percent signs without two digits are part of a name")
  func percentSigns() throws {
    let (url, credentials) = try WebURL.read("http://u%+F%41:%%41@h/%2B%+1")
    #expect(credentials == Credentials(user: "u%+FA", password: "%A"))
    #expect(url.lastPart.decoded == "+%+1")
  }

  @Test(
    "what is no URL of a medium is refused",
    arguments: [
      ("", WebURL.Problem.malformed), ("song.mp3", .malformed), ("/a/b", .malformed), ("http:", .malformed),
      ("http://", .malformed), ("http:///a", .malformed), ("http://h:0/", .malformed),
      ("http://h:65536/", .malformed), ("http://h:8a/", .malformed), ("http://h h/", .malformed),
      ("http://[::1/", .malformed), ("http://h/\u{0}", .malformed), ("http://h/a\nb", .malformed),
      ("file:///etc/passwd", .unsupportedScheme("file")), ("FTP://h/", .unsupportedScheme("ftp")),
      ("http://h/" + String(repeating: "a", count: 8_183), .tooLong),
      ("http://h/" + String(repeating: " a", count: 4_000), .tooLong),
    ])
  func refuses(_ text: String, _ problem: WebURL.Problem) {
    #expect(throws: problem) { try WebURL.read(text) }
  }

  @Test("the longest URL has 8,191 bytes")
  func longest() throws {
    let text = "http://h/" + String(repeating: "a", count: 8_182)
    #expect(try WebURL.read(text).url.text == text)
  }

  @Test(
    "references are resolved as RFC 3986 has it (5.4)",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
      ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
      ("#s", "http://a/b/c/d;p?q"),
      ("g;x", "http://a/b/c/g;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
      ("./", "http://a/b/c/"),
      ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../../g", "http://a/g"),
      ("/./g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"),
      ("./g/.", "http://a/b/c/g/"),
      ("g/../h", "http://a/b/c/h"), ("https://x/y", "https://x/y"), ("a:80/b", "unsupported"),
    ])
  func resolves(_ reference: String, _ expected: String) throws {
    let base = try WebURL.read("http://a/b/c/d;p?q").url
    #expect(((try? base.resolve(reference).url.text) ?? "unsupported") == expected)
  }

  @Test("credentials are taken out and told nowhere")
  func credentials() throws {
    let read = try WebURL.read("http://us%40er:S3CR%3AET@h/a?token=S3CRET#S3CRET")
    #expect(read.credentials == Credentials(user: "us@er", password: "S3CR:ET"))
    #expect(!"\(read.url)".contains("S3CR:ET") && !read.url.text.contains("@"))
    #expect(read.url.textForMessages == "http://h/a")
    var dumped = ""
    dump(read.credentials, to: &dumped)
    #expect(!dumped.contains("S3CR") && !"\(String(describing: read.credentials))".contains("S3CR"))
    #expect(!String(reflecting: read.credentials).contains("S3CR"))
  }

  @Test("10,000 mutated URLs are read or refused, and what is read stays as it is when read again")
  func fuzz() throws {
    var random = RandomSource(seed: 12)
    let seeds = [
      "http://user:pw@host.example:8080/a/b/../c d.mp3?q=1&r=ü#f", "https://[fe80::1]:443//x/./", "http://h",
    ]
    for _ in 0..<10_000 {
      var bytes = Array(random.pick(seeds).utf8)
      for _ in 0..<(1 + random.below(4)) where !bytes.isEmpty {
        let at = random.below(bytes.count)
        switch random.below(3) {
        case 0: bytes[at] = UInt8(random.below(256))
        case 1: bytes.remove(at: at)
        default: bytes.insert(random.pick(Array("/:@?#[]%. \\".utf8)), at: at)
        }
      }
      guard let url = try? WebURL.read(String(decoding: bytes, as: UTF8.self)).url else { continue }
      let again = try WebURL.read(url.text)
      #expect(again.url == url && again.credentials == nil)
    }
  }

  @Test("dates of HTTP")
  func dates() {
    #expect(HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")?.seconds == 784_111_777)
    #expect(HTTPDate("Thu, 29 Feb 2024 00:00:00 GMT")?.seconds == 1_709_164_800)
    #expect(HTTPDate("Thu, 01 Jan 1970 00:00:00 GMT")?.seconds == 0)
    for text in [
      "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
    ] {
      #expect(HTTPDate(text) == nil)
    }
  }
}
