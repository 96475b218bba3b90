import ContinuoNetworking
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

/// Answers every question twice: as if it wanted the task to go on, and to end.
private final class Twice: NSObject, URLSessionDataDelegate {
  let error = Mutex<URLError?>(nil)
  let data = Mutex(Data())
  let ended = DispatchSemaphore(value: 0)

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { for answer in [request, nil] { completionHandler(answer) } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    completionHandler(.useCredential, URLCredential(user: "a", password: "b", persistence: .none))
    completionHandler(.cancelAuthenticationChallenge, nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) { for answer in [InputStream(data: Data([7])), nil] { completionHandler(answer) } }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) { for answer in [URLSession.ResponseDisposition.allow, .cancel] { completionHandler(answer) } }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    let other = CachedURLResponse(response: proposedResponse.response, data: Data("other".utf8))
    for answer in [proposedResponse, other] { completionHandler(answer) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    self.data.withLock { $0.append(data) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    self.error.withLock { $0 = error as? URLError }
    ended.signal()
  }
}

@Suite("A second answer to a question is ignored", .blocksThread, .timeLimit(.minutes(10)))
struct SecondAnswerTests {
  @Test("of a redirect, a challenge, a body stream, a response and the cache")
  func ignored() throws {
    let server = try HostileServer { request in
      if request.target == "/old" {
        return [.send(HostileFile.head("302 Found", ["Location: /new", "Content-Length: 0"]))]
      }
      if request.fields["authorization"] == nil {
        let lines = ["WWW-Authenticate: Basic realm=\"r\"", "Content-Length: 0"]
        return [.send(HostileFile.head("401 Unauthorized", lines))]
      }
      return [
        .send(
          HostileFile.head("200 OK", ["Content-Length: 5", "Cache-Control: max-age=900"])
            + Array("sound".utf8))
      ]
    }
    let delegate = Twice()
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    let old = try #require(URL(string: server.url("/old")))
    session.dataTask(with: old).resume()
    #expect(delegate.ended.wait(timeout: .now() + 120) == .success)
    #expect(delegate.error.withLock { $0 } == nil && delegate.data.withLock { $0 } == Data("sound".utf8))
    #expect(server.requests.map(\.target) == ["/old", "/new", "/new"])
    var upload = URLRequest(url: try #require(URL(string: server.url("/new"))))
    upload.httpMethod = "POST"
    session.uploadTask(withStreamedRequest: upload).resume()
    #expect(delegate.ended.wait(timeout: .now() + 120) == .success)
    #expect(delegate.error.withLock { $0 } == nil && server.requests.last?.body == [7])
    session.invalidateAndCancel()
  }
}
