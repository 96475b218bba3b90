import Foundation
import TestSupport
import Testing
import Transfer

@testable import ContinuoNetworking

@Suite("The rules of the cache (RFC 9111)")
struct CacheRuleTests {
  private typealias Decision = CacheRule.Decision
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  private let start = Date(timeIntervalSince1970: 784_111_777)

  private func request(_ fields: [String: String] = [:], method: String? = nil) throws -> TransferRequest {
    var request = TransferRequest(url: try WebURL.read("http://files.test/a?b=1").url)
    request.method = method
    for (name, value) in fields { request.fields.set(name, value) }
    return request
  }

  private func entry(
    _ fields: [(String, String)], _ status: Int = 200, to asked: [String: String] = [:], method: String? = nil
  ) throws -> CacheEntry? {
    CacheEntry(
      ResponseHead(status: status, fields: fields), to: try request(asked, method: method), at: start)
  }

  private func decision(
    _ fields: [(String, String)], after seconds: Double = 0, asked: [String: String] = [:],
    _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy
  ) throws -> Decision {
    let stored = try #require(try entry(fields))
    return CacheRule(policy: policy, request: try request(asked)).decision(stored, at: start + seconds)
  }

  @Test("max-age before Expires before a tenth of the time since the last change; at its end it is stale")
  func freshness() throws {
    let date = ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
    let expires = ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")
    let changed = ("Last-Modified", "Sun, 06 Nov 1994 08:32:57 GMT")
    let since: Decision = .validate(["If-Modified-Since": changed.1])
    #expect(try decision([date, expires, ("Cache-Control", "private, MAX-AGE=\"10\"")], after: 9.9) == .use)
    #expect(try decision([date, expires, ("Cache-Control", "max-age=10")], after: 10) == .load)
    #expect(try decision([date, expires], after: 59) == .use)
    #expect(try decision([date, expires, changed], after: 60) == since)
    #expect(try decision([date, changed], after: 99) == .use)
    #expect(try decision([changed], after: 99) == .use)
    #expect(try decision([date, changed], after: 100) == since)
    let old = ("Last-Modified", "Fri, 06 Nov 1992 08:49:37 GMT")
    #expect(try decision([date, old], after: CacheRule.longestGuess - 1) == .use)
    #expect(try decision([date, old], after: CacheRule.longestGuess) != .use)
    for bad in ["0", "soon", "-1"] {
      #expect(try decision([("Expires", bad)]) == .load)
      let isZero = bad == "0"
      #expect(try decision([("Cache-Control", "max-age=\(isZero ? "" : bad)"), changed]) == since)
    }
    #expect(try decision([("Cache-Control", "max-age=99999999999999999999")], after: 1e9) == .use)
    #expect(try decision([]) == .load)
  }

  @Test("the age is the server's, the one on the way and the one here; a clock set back adds none")
  func age() throws {
    let fresh = ("Cache-Control", "max-age=100")
    #expect(try decision([fresh, ("Age", "40")], after: 59) == .use)
    #expect(try decision([fresh, ("Age", "40")], after: 60) == .load)
    #expect(try decision([fresh, ("Date", "Sun, 06 Nov 1994 08:48:57 GMT")], after: 60) == .load)
    #expect(try decision([fresh, ("Date", "Sun, 06 Nov 1994 09:48:57 GMT")], after: 99) == .use)
    #expect(try decision([fresh], after: -1000) == .use)
  }

  @Test("either side may demand a validation, with the tag and the date")
  func validation() throws {
    let fields = [("Cache-Control", "max-age=100"), ("ETag", "W/\"1\""), ("Last-Modified", "then")]
    let both: Decision = .validate(["If-None-Match": "W/\"1\"", "If-Modified-Since": "then"])
    #expect(try decision(fields) == .use)
    #expect(try decision(fields, asked: ["Cache-Control": "no-cache"]) == both)
    #expect(try decision(fields, asked: ["Pragma": "no-cache"]) == both)
    #expect(try decision(fields, after: 5, asked: ["Cache-Control": "max-age=5"]) == both)
    #expect(try decision([("Cache-Control", "no-cache, max-age=100"), ("ETag", "\"1\"")]) != .use)
    #expect(try decision(fields, .reloadRevalidatingCacheData) == both)
    #expect(try decision([fields[0]], .reloadRevalidatingCacheData) == .load)
  }

  @Test("each policy, with a stale response and with none")
  func policies() throws {
    let expected: [(URLRequest.CachePolicy, Decision, Decision)] = [
      (.useProtocolCachePolicy, .load, .load), (.reloadIgnoringLocalCacheData, .load, .load),
      (.reloadIgnoringLocalAndRemoteCacheData, .load, .load), (.returnCacheDataElseLoad, .use, .load),
      (.returnCacheDataDontLoad, .use, .fail), (.reloadRevalidatingCacheData, .load, .load),
    ]
    for (policy, stale, none) in expected {
      #expect(try decision([("Expires", "0")], after: 1000, policy) == stale, "\(policy)")
      #expect(CacheRule(policy: policy, request: try request()).decision(nil, at: start) == none)
      // A part of the response, and the application's own condition, are the server's business.
      for own in ["Range": "bytes=0-1", "If-None-Match": "\"1\""] {
        let isFailing = policy == .returnCacheDataDontLoad
        let answer = try decision([("Expires", "0")], asked: [own.key: own.value], policy)
        #expect(answer == (isFailing ? .fail : .load))
      }
    }
  }

  @Test("the fields that Vary names must be the same")
  func vary() throws {
    let asked = ["Accept-Language": "de"]
    let stored = try entry([("Cache-Control", "max-age=9"), ("vary", "accept-language , X")], to: asked)
    for (fields, isUsed) in [
      (asked, true), (["Accept-Language": "en"], false), ([:], false),
      (["accept-language": "de", "X": "1"], false),
    ] {
      let rule = CacheRule(policy: .useProtocolCachePolicy, request: try request(fields))
      #expect(rule.decision(stored, at: start) == (isUsed ? .use : .load))
    }
  }

  @Test("what must not be stored is not")
  func storing() throws {
    #expect(try entry([]) != nil && entry([], 404) != nil)
    #expect(try entry([], 500) == nil && entry([("Expires", "0")], 500) != nil)
    #expect(try entry([("Cache-Control", "no-store")]) == nil && entry([("Vary", "*")]) == nil)
    #expect(try entry([], to: ["Cache-Control": "no-store"]) == nil)
    #expect(try entry([], method: "POST") == nil && entry([], method: "HEAD") == nil)
    #expect(try entry([("Expires", "0")], 206) == nil && entry([("Expires", "0")], 304) == nil)
    #expect(try entry([], to: ["Range": "bytes=0-"]) == nil)
  }

  @Test("redirects, challenges and answers to credentials are not stored, secrets not on the disk")
  func forOneTaskOnly() throws {
    let fresh = ("Cache-Control", "max-age=60")
    #expect(try entry([fresh]) != nil)
    #expect(try entry([fresh, ("Location", "/b")], 301) == nil)
    #expect(try entry([fresh], 401) == nil)
    var asked = try request()
    #expect(asked.isCacheable)
    asked.credentials = Credentials(user: "a", password: "b")
    #expect(!asked.isCacheable)
    #expect(try entry([fresh, ("Vary", "Cookie")], to: ["Cookie": "a=b"])?.hasSecrets == true)
    #expect(try entry([fresh, ("Vary", "Cookie, Accept")], to: ["Accept": "a"])?.hasSecrets == false)
  }

  @Test("a 304 replaces the fields, except those of the body, and the time")
  func update() throws {
    var stored = try #require(
      try entry([("ETag", "\"1\""), ("Content-Length", "7"), ("X", "old"), ("cache-control", "max-age=1")]))
    stored.update(
      by: ResponseHead(
        status: 304, fields: [("X", "new"), ("Content-Length", "0"), ("Cache-Control", "max-age=9")]),
      at: start + 50)
    #expect(
      stored.fields == ["ETag": "\"1\"", "Content-Length": "7", "X": "new", "Cache-Control": "max-age=9"])
    #expect(stored.status == 200 && stored.received == start + 50)
  }
}

@Suite("URLCache")
struct URLCacheTests {
  private func request(_ text: String) throws -> URLRequest {
    URLRequest(url: try #require(URL(string: text)))
  }

  private func response(_ text: String, _ count: Int = 3) throws -> CachedURLResponse {
    let url = try #require(URL(string: text))
    let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["ETag": "\"1\""])
    return CachedURLResponse(
      response: try #require(head), data: Data(repeating: UInt8(truncatingIfNeeded: count), count: count))
  }

  @Test("queries, ports and schemes are apart, fragments are not; what is no GET is not stored")
  func keys() throws {
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
    cache.storeCachedResponse(try response("http://a.test/p?q=1"), for: try request("http://a.test/p?q=1#f"))
    let found = try #require(cache.cachedResponse(for: try request("http://A.test:80/p?q=1")))
    #expect(found.data.count == 3 && (found.response as? HTTPURLResponse)?.statusCode == 200)
    for other in ["http://a.test/p?q=2", "http://a.test/p", "https://a.test/p?q=1", "http://a.test:81/p?q=1"]
    {
      #expect(cache.cachedResponse(for: try request(other)) == nil)
    }
    var post = try request("http://a.test/p")
    post.httpMethod = "POST"
    cache.storeCachedResponse(found, for: post)
    cache.storeCachedResponse(found, for: try request("file:///etc/passwd"))
    #expect(cache.cachedResponse(for: post) == nil)
    cache.removeCachedResponse(for: try request("http://a.test/p?q=1"))
    #expect(cache.currentMemoryUsage == 0)
  }

  @Test("another object finds what is on the disk; memory only is not there; a damaged file is no response")
  func disk() throws {
    let folder = try TemporaryFolder()
    func cache() -> URLCache {
      URLCache(memoryCapacity: 0, diskCapacity: 1 << 20, diskPath: folder.file("cache"))
    }
    let (a, b) = (
      try request("http://a.test/\(String(repeating: "long", count: 300))"), try request("http://b.test/")
    )
    cache().storeCachedResponse(try response("http://a.test/"), for: a)
    cache().storeCachedResponse(try response("http://b.test/"), for: b)
    #expect(cache().cachedResponse(for: a)?.data == Data([3, 3, 3]) && cache().currentDiskUsage > 0)
    let inMemory = CachedURLResponse(
      response: try response("http://b.test/").response, data: Data([1]), storagePolicy: .allowedInMemoryOnly)
    cache().storeCachedResponse(inMemory, for: b)
    #expect(cache().cachedResponse(for: b) == nil)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.file("cache")) {
      try folder.write("cache/\(name)", Array("damaged".utf8))
    }
    #expect(cache().cachedResponse(for: a) == nil)
    cache().removeAllCachedResponses()
    #expect(cache().currentDiskUsage == 0)
  }

  @Test("a response that is removed before it is on the disk does not come there; other caches' files stay")
  func removal() throws {
    let folder = try TemporaryFolder()
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: folder.file("cache"))
    let asked = try request("http://a.test/")
    let entry = try #require(CacheEntry(try response("http://a.test/"), for: asked, at: Date()))
    let before = cache.keep(entry, .allowed)
    cache.removeAllCachedResponses()
    cache.write(entry, .allowed, after: before)
    #expect(cache.cachedResponse(for: asked) == nil && cache.currentDiskUsage == 0)
    cache.write(entry, .allowed, after: cache.keep(entry, .allowed))
    let inMemory = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: folder.file("cache"))
    inMemory.removeAllCachedResponses()
    inMemory.diskCapacity = 0
    #expect(inMemory.currentDiskUsage == 0 && cache.currentDiskUsage > 0)
  }

  @Test("capacities hold, of any number of responses; longer than a twentieth is not stored")
  func limits() throws {
    let folder = try TemporaryFolder()
    let cache = URLCache(memoryCapacity: 100_000, diskCapacity: 200_000, diskPath: folder.file("cache"))
    for number in 0..<120 {
      cache.storeCachedResponse(
        try response("http://a.test/", 2000), for: try request("http://a.test/\(number)"))
    }
    #expect(cache.currentMemoryUsage <= 100_000 && cache.currentMemoryUsage > 80_000)
    #expect(cache.currentDiskUsage <= 200_000 && cache.currentDiskUsage > 150_000)
    #expect(cache.cachedResponse(for: try request("http://a.test/119")) != nil)
    #expect(cache.cachedResponse(for: try request("http://a.test/0")) == nil)
    for (count, isStored) in [(4000, true), (9000, true), (10_001, false)] {
      cache.storeCachedResponse(try response("http://b.test/", count), for: try request("http://b.test/"))
      #expect((cache.cachedResponse(for: try request("http://b.test/"))?.data.count == count) == isStored)
    }
    #expect(cache.cachedResponse(for: try request("http://b.test/")) == nil)
    cache.memoryCapacity = 10_000
    cache.diskCapacity = 20_000
    #expect(cache.currentMemoryUsage <= 10_000 && cache.currentDiskUsage <= 20_000)
    cache.removeCachedResponses(since: .distantPast)
    #expect(cache.currentMemoryUsage == 0 && cache.currentDiskUsage == 0)
    cache.diskCapacity = 0
    for number in 0..<1000 {
      cache.storeCachedResponse(
        CachedURLResponse(response: try response("http://e.test/").response, data: Data()),
        for: try request("http://e.test/\(number)"))
    }
    #expect(cache.currentMemoryUsage <= 10_000 && cache.currentDiskUsage == 0)
  }
}
