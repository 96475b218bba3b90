import ContinuoNetworking
import ContinuoTesting
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

/// Lets a cache store what `choice` returns.
private final class Storekeeper: NSObject, URLSessionDataDelegate {
  let choice: @Sendable (CachedURLResponse) -> CachedURLResponse?
  let lines = Mutex<[String]>([])
  let types = Mutex<[URLSessionTaskMetrics.ResourceFetchType]>([])
  let ended = DispatchSemaphore(value: 0)

  init(choice: @escaping @Sendable (CachedURLResponse) -> CachedURLResponse? = { $0 }) {
    self.choice = choice
  }

  private func note(_ line: String) { lines.withLock { $0.append(line) } }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    note(String(decoding: data, as: UTF8.self))
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    note("cache \(proposedResponse.data.count)")
    completionHandler(choice(proposedResponse))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) { types.withLock { $0 = metrics.transactionMetrics.map(\.resourceFetchType) } }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    note("complete" + ((error as? URLError).map { " \($0.code.rawValue)" } ?? ""))
    ended.signal()
  }

  /// What it heard of a task for this request.
  func run(_ request: URLRequest, in session: URLSession) -> [String] {
    lines.withLock { $0 = [] }
    session.dataTask(with: request).resume()
    #expect(ended.wait(timeout: .now() + 120) == .success)
    return lines.withLock { $0 }
  }
}

@Suite("The cache on loopback", .blocksThread, .timeLimit(.minutes(10)))
struct CacheTests {
  /// A server of `/fresh` for an hour, `/tagged` with a tag, `/plain` without either, and a redirect to `/tagged`.
  private func server() throws -> HostileServer {
    try HostileServer { request in
      var lines = ["Content-Length: 2"]
      switch request.target {
      case "/fresh": lines.append("Cache-Control: max-age=3600")
      case "/never": lines += ["Cache-Control: max-age=3600, no-store"]
      case "/redirect":
        return [.send(HostileFile.head("302 Found", ["Location: /tagged", "Content-Length: 0"]))]
      case "/tagged":
        lines.append("ETag: \"1\"")
        if request.fields["if-none-match"] == "\"1\"" {
          return [
            .send(HostileFile.head("304 Not Modified", ["ETag: \"1\"", "X-Number: \(request.number)"]))
          ]
        }
      default: break
      }
      return [.send(HostileFile.head("200 OK", lines) + Array("a\(request.number % 10)".utf8))]
    }
  }

  private func request(
    _ server: HostileServer, _ path: String, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy
  ) throws -> URLRequest {
    URLRequest(url: try #require(URL(string: server.url(path))), cachePolicy: policy)
  }

  private func body(_ session: URLSession, _ request: URLRequest) async throws -> String {
    let (data, response) = try await session.data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 200 && response.url == request.url)
    return String(decoding: data, as: UTF8.self)
  }

  @Test("a fresh response needs no request; no-store, no cache, and the policies that reload need one")
  func fresh() async throws {
    let server = try server()
    let configuration = URLSessionConfiguration.ephemeral
    let session = URLSession(configuration: configuration)
    #expect(try await body(session, request(server, "/fresh")) == "a1")
    #expect(try await body(session, request(server, "/fresh")) == "a1" && server.requests.count == 1)
    #expect(try await body(session, request(server, "/fresh", .reloadIgnoringLocalCacheData)) == "a2")
    #expect(try await body(session, request(server, "/fresh")) == "a2")
    #expect(
      try await body(session, request(server, "/fresh", .reloadIgnoringLocalAndRemoteCacheData)) == "a3"
        && server.requests.last?.fields["cache-control"] == "no-cache")
    for number in 1...2 { #expect(try await body(session, request(server, "/never")) == "a\(number)") }
    for number in 1...2 { #expect(try await body(session, request(server, "/plain")) == "a\(number)") }
    #expect(try await body(session, request(server, "/plain", .returnCacheDataElseLoad)) == "a2")
    configuration.urlCache = nil
    #expect(try await body(URLSession(configuration: configuration), request(server, "/fresh")) == "a4")
    #expect(try await body(session, request(server, "/fresh")) == "a3")
  }

  @Test("returnCacheDataDontLoad, of the request or the session, fails without a stored response")
  func dontLoad() async throws {
    let server = try server()
    let configuration = URLSessionConfiguration.ephemeral
    let session = URLSession(configuration: configuration)
    configuration.requestCachePolicy = .returnCacheDataDontLoad
    let offline = URLSession(configuration: configuration)
    for (session, policy) in [
      (session, URLRequest.CachePolicy.returnCacheDataDontLoad), (offline, .useProtocolCachePolicy),
    ] {
      let error = await #expect(throws: URLError.self) {
        _ = try await session.data(for: try request(server, "/plain", policy))
      }
      #expect(error?.code == .resourceUnavailable)
    }
    #expect(server.requests.isEmpty)
    #expect(try await body(session, request(server, "/plain")) == "a1")
    #expect(try await body(offline, request(server, "/plain")) == "a1" && server.requests.count == 1)
  }

  @Test("a download takes the stored response, or fails, where its policy does not load")
  func downloads() async throws {
    let server = try server()
    let session = URLSession(configuration: .ephemeral)
    func file(_ path: String, _ policy: URLRequest.CachePolicy) async throws -> String {
      let (file, response) = try await session.download(for: try request(server, path, policy))
      defer { try? FileManager.default.removeItem(at: file) }
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }
    let error = await #expect(throws: URLError.self) {
      _ = try await file("/plain", .returnCacheDataDontLoad)
    }
    #expect(error?.code == .resourceUnavailable && server.requests.isEmpty)
    #expect(try await body(session, request(server, "/plain")) == "a1")
    #expect(try await file("/plain", .returnCacheDataDontLoad) == "a1")
    #expect(try await file("/plain", .returnCacheDataElseLoad) == "a1" && server.requests.count == 1)
    #expect(try await file("/plain", .useProtocolCachePolicy) == "a2")
    #expect(try await file("/tagged", .returnCacheDataElseLoad) == "a1")
  }

  @Test("without a cache, returnCacheDataDontLoad fails")
  func dontLoadWithoutCache() async throws {
    let server = try server()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    let error = await #expect(throws: URLError.self) {
      _ = try await session.data(for: try request(server, "/fresh", .returnCacheDataDontLoad))
    }
    #expect(error?.code == .resourceUnavailable && server.requests.isEmpty)
  }

  @Test("the stored response of a task is passed on the delegate queue, and holds up nobody else")
  func storedResponse() async throws {
    let server = try server()
    let session = URLSession(configuration: .ephemeral)
    #expect(try await body(session, request(server, "/fresh")) == "a1")
    let task = session.dataTask(with: try request(server, "/fresh"))
    let (isOnQueue, text) = await withCheckedContinuation { continuation in
      session.configuration.urlCache?.getCachedResponse(for: task) {
        [queue = session.delegateQueue] response in
        let text = response.map { String(decoding: $0.data, as: UTF8.self) }
        continuation.resume(returning: (OperationQueue.current === queue, text))
      }
    }
    #expect(isOnQueue && text == "a1")
    task.cancel()
  }

  @Test("a stale response is validated; after 304 it is the answer, with the new fields")
  func validation() async throws {
    let server = try server()
    let configuration = URLSessionConfiguration.ephemeral
    let session = URLSession(configuration: configuration)
    for _ in 0..<3 { #expect(try await body(session, request(server, "/tagged")) == "a1") }
    #expect(server.requests.map { $0.fields["if-none-match"] } == [nil, "\"1\"", "\"1\""])
    let stored = configuration.urlCache?.cachedResponse(for: try request(server, "/tagged"))
    #expect((stored?.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Number") == "3")
    // The condition is for the first URL only, and an application's own is its own business.
    let (data, _) = try await session.data(for: request(server, "/redirect"))
    #expect(String(decoding: data, as: UTF8.self) == "a4")
    var own = try request(server, "/tagged")
    own.setValue("\"1\"", forHTTPHeaderField: "If-None-Match")
    #expect((try await session.data(for: own).1 as? HTTPURLResponse)?.statusCode == 304)
  }

  @Test("another version replaces the stored one, and is validated from then on")
  func version() async throws {
    let server = try HostileServer { request in
      let tag = request.number == 1 ? "\"1\"" : "\"2\""
      if request.fields["if-none-match"] == tag { return [.send(HostileFile.head("304 Not Modified", []))] }
      let head = HostileFile.head("200 OK", ["ETag: \(tag)", "Content-Length: 2"])
      return [.send(head + Array("a\(request.number)".utf8))]
    }
    let session = URLSession(configuration: .ephemeral)
    for number in [1, 2, 2] { #expect(try await body(session, request(server, "/")) == "a\(number)") }
    #expect(server.requests.map { $0.fields["if-none-match"] } == [nil, "\"1\"", "\"2\""])
  }

  @Test("the delegate decides what is stored, and hears a stored response like any other")
  func delegate() throws {
    let server = try server()
    let keeper = Storekeeper()
    let session = URLSession(configuration: .ephemeral, delegate: keeper, delegateQueue: nil)
    let fresh = try request(server, "/fresh")
    #expect(keeper.run(fresh, in: session) == ["response 200", "a1", "cache 2", "complete"])
    #expect(keeper.types.withLock { $0 } == [.networkLoad])
    #expect(keeper.run(fresh, in: session) == ["response 200", "a1", "complete"])
    #expect(keeper.types.withLock { $0 } == [.localCache])
    let tagged = try request(server, "/tagged")
    #expect(keeper.run(tagged, in: session).count == 4)
    #expect(keeper.run(tagged, in: session) == ["response 200", "a1", "complete"])
    #expect(keeper.types.withLock { $0 } == [.networkLoad, .localCache])
    session.invalidateAndCancel()
    let none = Storekeeper { _ in nil }
    let other = URLSession(configuration: .ephemeral, delegate: none, delegateQueue: nil)
    for number in 2...3 {
      #expect(none.run(fresh, in: other) == ["response 200", "a\(number)", "cache 2", "complete"])
    }
    other.invalidateAndCancel()
    let changer = Storekeeper { CachedURLResponse(response: $0.response, data: Data("mine".utf8)) }
    let changing = URLSession(configuration: .ephemeral, delegate: changer, delegateQueue: nil)
    _ = changer.run(fresh, in: changing)
    #expect(changer.run(fresh, in: changing) == ["response 200", "mine", "complete"])
    changing.invalidateAndCancel()
  }

  @Test("an unsafe request removes the stored response; uploads and downloads store none")
  func unsafe() async throws {
    let server = try server()
    let session = URLSession(configuration: .ephemeral)
    #expect(try await body(session, request(server, "/fresh")) == "a1")
    var post = try request(server, "/fresh")
    post.httpMethod = "POST"
    _ = try await session.upload(for: post, from: Data([1]))
    #expect(try await body(session, request(server, "/fresh")) == "a3")
    let (file, _) = try await session.download(for: request(server, "/fresh"))
    #expect(try Data(contentsOf: file) == Data("a4".utf8))
    try FileManager.default.removeItem(at: file)
    #expect(try await body(session, request(server, "/fresh")) == "a3")
  }

  @Test("a response that is too long for the cache arrives whole and is not stored")
  func long() async throws {
    let content = [UInt8](repeating: 7, count: 300_000)
    let server = try HostileServer { _ in
      let lines = ["Cache-Control: max-age=3600", "Content-Length: \(content.count)"]
      return [.send(HostileFile.head("200 OK", lines) + content)]
    }
    let session = URLSession(configuration: .ephemeral)
    for _ in 0..<2 { #expect(try await session.data(for: request(server, "/")).0 == Data(content)) }
    #expect(server.requests.count == 2)
  }

  @Test("each test device has a cache of its own, in memory")
  @MainActor func devices() async throws {
    let url = try #require(URL(string: "https://files.test/a"))
    for count in 1...2 {
      await withTestDevice(recordsSound: false) { device in
        device.network.serve(.data([UInt8](repeating: 7, count: count)), at: url.absoluteString)
        await device.launchApplication()
        let request = URLRequest(url: url, cachePolicy: .returnCacheDataElseLoad)
        let data = Mutex<[Int?]>([])
        for _ in 0..<2 {
          URLSession.shared.dataTask(with: request) { body, _, _ in data.withLock { $0.append(body?.count) } }
            .resume()
          await device.advance(by: .seconds(5))
        }
        #expect(data.withLock { $0 } == [count, count] && URLCache.shared.diskCapacity == 0)
        #expect(URLCache.shared.currentMemoryUsage > 0)
      }
    }
  }
}
