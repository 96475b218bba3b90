import Clocks
import TestSupport
import Testing
import Transfer

@Suite("Redirects and what crosses to other hosts")
struct RedirectTests {
  private let file = FileServer(content: [UInt8](repeating: 3, count: 5_000))

  private func redirect(_ location: String, status: Int = 302) -> MachineWorld.Answer {
    .init(head: ResponseHead(status: status, fields: [("Location", location)]))
  }

  @Test("a cookie that a redirect deletes is not sent with the next request")
  func deletedCookie() throws {
    let url = try WebURL.read("https://h/a").url
    var (cookies, request) = (ChainCookies(), TransferRequest(url: url))
    for text in ["a=1", "b=2", "a=; Max-Age=0"] {
      cookies.take(ResponseHead(status: 302, fields: [("Set-Cookie", text)]), from: url)
    }
    cookies.apply(to: &request)
    #expect(request.fields["Cookie"] == "b=2")
  }

  @Test("10 redirects are followed, 11 are not", arguments: [10, 11])
  func count(_ redirects: Int) throws {
    var world = try MachineWorld { [file] request, number in
      number <= redirects
        ? redirect("/\(number)", status: [301, 302, 303, 307, 308][number % 5]) : file.answer(request)
    }
    world.run(until: 20)
    #expect(world.complete == (redirects == 10))
    #expect(world.failure?.kind == (redirects == 10 ? nil : .redirects))
    #expect(world.requests.last?.url.text == "http://h/10")
    #expect(world.requests.last?.fields["Range"] == "bytes=0-")
  }

  @Test(
    "what is not followed is named",
    arguments: [
      ("https://h/a", "http://h/b", "h redirects from https to http, which is not followed"),
      ("http://h/a", "file:///etc/passwd", "h redirects to file:, which is not followed"),
      ("http://h/a", "http://h:99999/", "h redirects to what is no URL"),
      ("http://h/a", "/" + String(repeating: "x", count: 100_000), "h redirects to a URL that is too long"),
    ])
  func refused(_ url: String, _ location: String, _ message: String) throws {
    var world = try MachineWorld(url) { _, _ in redirect(location) }
    world.run(until: 20)
    #expect(world.failure == TransferFailure(.redirects, message) && world.requests.count == 1)
  }

  @Test("credentials and the user's fields stay with the first origin; reserved fields cannot be set")
  func origins() throws {
    var settings = RequestSettings(userAgent: "Continuo/1")
    settings.credentials = Credentials(user: "u", password: "p")
    settings.fields.add("X-Mine", "1")
    settings.fields.add("user-agent", "Mine/2")
    settings.fields.add("RANGE", "bytes=5-6")
    settings.fields.add("Host", "other")
    settings.fields.add("accept-encoding", "gzip")
    var world = try MachineWorld("http://h/a", settings: settings) { [file] request, number in
      switch number {
      case 1: redirect("/b")
      case 2: redirect("http://other/c")
      case 3: redirect("http://h:81/d")
      default: file.answer(request)
      }
    }
    world.run(until: 20)
    #expect(world.complete)
    #expect(world.requests.map { $0.credentials != nil } == [true, true, false, false])
    #expect(world.requests.map { $0.fields["X-Mine"] != nil } == [true, true, false, false])
    #expect(
      world.requests.map { $0.fields["User-Agent"] } == ["Mine/2", "Mine/2", "Continuo/1", "Continuo/1"])
    for request in world.requests {
      #expect(request.fields["Range"] == "bytes=0-" && request.fields["Accept-Encoding"] == "identity")
      #expect(request.fields["Host"] == nil)
    }
  }

  @Test("secrets stay with their origin, and the method is the one that is sent", arguments: [true, false])
  func request(isSameHost: Bool) throws {
    var rule = RedirectRule()
    var request = TransferRequest(url: try WebURL.read("http://radio.example/a").url)
    request.credentials = Credentials(user: "ann", password: "right")
    request.body = .bytes([1])
    for name in ["Authorization", "Cookie", "X-Mine"] { request.fields.set(name, "1") }
    #expect(request.sentMethod == "PUT")
    let next = try rule.request(
      after: request, redirectedTo: isSameHost ? "/b" : "http://other.example/b", status: 307, at: nil)
    #expect(next.fields.all.map(\.name) == (isSameHost ? ["Authorization", "Cookie", "X-Mine"] : ["X-Mine"]))
    #expect((next.credentials != nil) == isSameHost && next.sentMethod == "PUT")
  }

  @Test("what may reach public addresses only may not by a redirect either")
  func restricted() throws {
    var rule = RedirectRule()
    let url = try WebURL.read("http://radio.example/").url
    for address in [nil, PeerAddress(bytes: [1, 1, 1, 1])] {
      _ = try rule.follow("http://127.0.0.1/", from: url, at: address)
      #expect(rule.reach(.publicOnly) == .publicOnly)
    }
  }

  @Test("behind a public address only public ones may be reached, also after further redirects")
  func reach() throws {
    var world = try MachineWorld { [file] request, number in
      var answer = number < 4 ? redirect("http://n\(number)/") : file.answer(request)
      answer.address = PeerAddress(bytes: number == 2 ? [8, 8, 8, 8] : [10, 0, 0, 1])
      return answer
    }
    world.run(until: 20)
    #expect(world.requests.map(\.reach) == [.all, .all, .publicOnly, .publicOnly])
  }

  @Test("a redirect that comes later begins at the first URL again")
  func later() throws {
    var world = try MachineWorld { [file] request, number in
      if number % 2 == 1 { return redirect("http://mirror\(number)/a") }
      var answer = file.answer(request)
      if number == 2 { answer.cut = 3_000 }
      return answer
    }
    world.run(until: 20)
    #expect(world.complete)
    #expect(
      world.requests.map(\.url.text) == [
        "http://h/a.mp3", "http://mirror1/a", "http://h/a.mp3", "http://mirror3/a",
      ])
    #expect(world.requests[3].fields["Range"] == world.requests[2].fields["Range"])
    #expect(world.requests[3].fields["If-Range"] == "\"1\"")
  }
}
