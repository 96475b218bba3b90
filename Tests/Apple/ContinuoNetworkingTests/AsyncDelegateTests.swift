import ContinuoNetworking
import ContinuoTesting
import Synchronization
import Testing

private let file: [UInt8] = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 11 ^ $0 >> 5) }
private let address = "https://files.test/a.bin"

/// A delegate that answers with the `async` forms only.
@MainActor
private final class AsyncLog: NSObject, URLSessionDataDelegate {
  var lines: [String] = []
  let follows: Bool
  let takes: Bool

  init(follows: Bool = true, takes: Bool = true) {
    self.follows = follows
    self.takes = takes
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? {
    lines.append("redirect \(response.statusCode)")
    return follows ? request : nil
  }

  func urlSession(_ session: URLSession, didReceive challenge: URLAuthenticationChallenge) async -> (
    URLSession.AuthChallengeDisposition, URLCredential?
  ) {
    lines.append("challenge after \(challenge.previousFailureCount)")
    return (.useCredential, credential)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition {
    lines.append("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    return takes ? .allow : .cancel
  }

  nonisolated func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let code = (error as? URLError)?.code.rawValue ?? 0
    MainActor.assumeIsolated { lines.append("complete \(code) of \(task.countOfBytesReceived)") }
  }
}

/// A delegate for a session's challenges alone, with a completion handler.
private final class SessionOnly: NSObject, URLSessionDataDelegate {
  let challenges = Mutex(0)
  let end = Mutex<Int?>(nil)

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    challenges.withLock { $0 += 1 }
    completionHandler(.useCredential, credential)
    completionHandler(.cancelAuthenticationChallenge, nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    end.withLock { $0 = (task.response as? HTTPURLResponse)?.statusCode ?? 0 }
  }
}

/// A delegate of no actor, which waits for somebody else.
private final class Waiting: NSObject, URLSessionDataDelegate {
  let lines = Mutex<[String]>([])
  let gate = AsyncStream.makeStream(of: Void.self)

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition {
    lines.withLock { $0.append("asked") }
    for await _ in gate.stream { break }
    lines.withLock { $0.append("went on") }
    return .allow
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? { nil }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    lines.withLock { $0.append("complete") }
  }
}

private let credential = URLCredential(user: "ann", password: "right", persistence: .none)

@MainActor
@Suite("Delegates whose methods are async", .timeLimit(.minutes(10)))
struct AsyncDelegateTests {
  private func run(
    _ delegate: any URLSessionDelegate, path: String = "/a.bin", isGuarded: Bool = false
  ) async throws {
    try await withTestDevice(recordsSound: false) { device in
      device.network.serve(.data(file), at: address)
      device.network.serve(.redirect(to: "/a.bin"), at: "https://files.test/old")
      device.network.serve(.data([]), at: "https://files.test/empty")
      if isGuarded { device.network.host("files.test").wants(user: "ann", password: "right") }
      await device.launchApplication()
      let session = URLSession(configuration: .default, delegate: delegate, delegateQueue: .main)
      session.dataTask(with: try #require(URL(string: "https://files.test\(path)"))).resume()
      await device.advance(by: .seconds(10))
    }
  }

  @Test("they are asked about redirects", arguments: [true, false])
  func redirect(follows: Bool) async throws {
    let log = AsyncLog(follows: follows)
    try await run(log, path: "/old")
    #expect(
      log.lines == ["redirect 302"]
        + (follows ? ["response 200", "complete 0 of 20000"] : ["response 302", "complete 0 of 0"]))
  }

  @Test("they are asked for credentials, those of the session too")
  func challenge() async throws {
    let log = AsyncLog()
    try await run(log, isGuarded: true)
    #expect(log.lines == ["challenge after 0", "response 200", "complete 0 of 20000"])
    let session = SessionOnly()
    try await run(session, isGuarded: true)
    #expect(session.challenges.withLock { $0 } == 1 && session.end.withLock { $0 } == 200)
  }

  @Test("they are asked whether to take the body, also if there is none", arguments: ["/a.bin", "/empty"])
  func response(path: String) async throws {
    let log = AsyncLog(takes: false)
    try await run(log, path: path)
    #expect(log.lines == ["response 200", "complete -999 of 0"])
  }

  @Test("the end waits for the answer about a response without a body", arguments: [true, false])
  func endAfterDecision(isRedirect: Bool) async throws {
    try await withTestDevice(recordsSound: false) { device in
      device.network.serve(.data([]), at: address)
      if isRedirect { device.network.serve(.redirect(to: "/b.bin"), at: address) }
      await device.launchApplication()
      let delegate = Waiting()
      let session = URLSession(configuration: .default, delegate: delegate, delegateQueue: .main)
      session.dataTask(with: try #require(URL(string: address))).resume()
      await device.advance(by: .seconds(1))
      #expect(delegate.lines.withLock { $0 } == ["asked"])
      delegate.gate.continuation.yield()
      await device.advance(by: .seconds(1))
      #expect(delegate.lines.withLock { $0 } == ["asked", "went on", "complete"])
    }
  }

  @Test("one of no actor does not go on while the application is suspended")
  func suspended() async throws {
    try await withTestDevice(recordsSound: false) { device in
      device.network.serve(.data(file), at: address)
      await device.launchApplication()
      let delegate = Waiting()
      let session = URLSession(configuration: .default, delegate: delegate, delegateQueue: .main)
      session.dataTask(with: try #require(URL(string: address))).resume()
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      delegate.gate.continuation.yield()
      await device.advance(by: .seconds(10))
      #expect(delegate.lines.withLock { $0 } == ["asked"])
      await device.foreground()
      #expect(delegate.lines.withLock { $0.prefix(2) } == ["asked", "went on"])
    }
  }
}
