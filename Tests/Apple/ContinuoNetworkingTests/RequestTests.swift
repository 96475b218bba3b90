import ContinuoNetworking
import ContinuoTesting
import Synchronization
import Testing
import Transfer

@testable import ContinuoNetworking
@testable import TransferService

private let address = "https://files.test/a.bin"

/// Provides a body stream.
private final class StreamDelegate: NSObject, URLSessionDataDelegate {
  let bytes: [UInt8]?
  let error = Mutex<URLError?>(nil)

  init(_ bytes: [UInt8]?) { self.bytes = bytes }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) { completionHandler(bytes.map { InputStream(data: Data($0)) }) }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    self.error.withLock { $0 = error as? URLError }
  }
}

@MainActor
@Suite("What is sent, and how it is named", .timeLimit(.minutes(10)))
struct RequestTests {
  private func withDevice(_ operation: @MainActor (TestDevice, URL) async throws -> Void) async throws {
    try await withTestDevice(recordsSound: false) { device in
      device.network.serve(.data([1, 2, 3]), at: address)
      await device.launchApplication()
      try await operation(device, try #require(URL(string: address)))
    }
  }

  @Test("an upload's request is the one that was passed; PUT is sent for GET")
  func upload() async throws {
    try await withDevice { device, url in
      let task = URLSession.shared.uploadTask(with: URLRequest(url: url), from: Data([7])) { _, _, _ in }
      task.resume()
      await device.advance(by: .seconds(1))
      #expect(task.originalRequest?.httpMethod == "GET" && task.currentRequest?.httpMethod == "GET")
      #expect(device.network.requests.last?.method == "PUT" && device.network.requests.last?.body == [7])
    }
  }

  @Test("a request's own field takes precedence over the session's, whatever the case of its name")
  func additionalFields() async throws {
    try await withDevice { device, url in
      var request = URLRequest(url: url)
      request.setValue("text/own", forHTTPHeaderField: "Content-Type")
      for isInBackground in [false, true] {
        let configuration: URLSessionConfiguration =
          isInBackground ? .background(withIdentifier: "files") : .default
        configuration.httpAdditionalHeaders = ["content-type": "text/other", "X-Number": 1]
        let session = URLSession(configuration: configuration)
        session.downloadTask(with: request).resume()
        await device.advance(by: .seconds(1))
        let sent = try #require(device.network.requests.last)
        #expect(sent["Content-Type"] == "text/own" && sent["X-Number"] == "1", "\(isInBackground)")
        session.invalidateAndCancel()
      }
      #expect(device.network.requests.count == 2)
    }
  }

  nonisolated private static let languages = [
    (["LANG": "de_DE.UTF-8"], "de-DE"), (["LANG": "C.UTF-8"], "en"), ([:], "en"),
    (["LANGUAGE": "fr:de_AT@euro:C", "LANG": "en_US"], "fr, de-AT;q=0.9"), (["LC_ALL": "a b\r\n"], "en"),
    (["LANGUAGE": "a:b:c:d:e:f:g"], "a, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5"),
  ]

  @Test("the languages of the user are those of the locale's variables", arguments: languages)
  func languages(_ environment: [String: String], text: String) {
    #expect(TransferRequest.languages(of: environment) == text)
  }

  @Test("the languages of the user are sent")
  func languages() async throws {
    try await withDevice { device, url in
      var request = URLRequest(url: url)
      URLSession.shared.dataTask(with: request).resume()
      await device.advance(by: .seconds(1))
      #expect(device.network.requests.last?["Accept-Language"]?.isEmpty == false)
      request.setValue("tlh", forHTTPHeaderField: "Accept-Language")
      URLSession.shared.dataTask(with: request).resume()
      await device.advance(by: .seconds(1))
      #expect(device.network.requests.last?["Accept-Language"] == "tlh")
    }
  }

  @Test("a body stream is sent, the request's own or the delegate's; without one the task fails")
  func streams() async throws {
    try await withDevice { device, url in
      let body = [UInt8](repeating: 9, count: 200_000)
      var request = URLRequest(url: url)
      request.httpMethod = "POST"
      request.httpBodyStream = InputStream(data: Data(body))
      URLSession.shared.dataTask(with: request).resume()
      await device.advance(by: .seconds(1))
      #expect(device.network.requests.last?.body == body && device.network.requests.last?.method == "POST")
      for bytes in [body, nil] {
        let delegate = StreamDelegate(bytes)
        let session = URLSession(configuration: .default, delegate: delegate, delegateQueue: .main)
        session.uploadTask(withStreamedRequest: URLRequest(url: url)).resume()
        await device.advance(by: .seconds(1))
        #expect(delegate.error.withLock { $0?.code } == (bytes == nil ? .requestBodyStreamExhausted : nil))
        session.invalidateAndCancel()
      }
      #expect(device.network.requests.count == 2 && device.network.requests.last?.body == body)
    }
  }

  nonisolated private static let names = [
    ("https://h.test/a/song.mp3?x=1", nil, "song.mp3"),
    ("https://h.test/a%2Fb", nil, "a_b"),
    ("https://h.test/", nil, "h.test"),
    ("https://h.test/..%2f..", nil, ".._.."),
    ("https://h.test/song.mp3", "attachment; filename=\"other.mp3\"", "other.mp3"),
  ]

  @Test("a response suggests the server's name, or the URL's", arguments: names)
  func name(_ url: String, disposition: String?, name: String) throws {
    let head = ResponseHead(status: 200, fields: disposition.map { [("Content-Disposition", $0)] } ?? [])
    let response = head.response(for: try #require(URL(string: url)))
    #expect(response?.suggestedFilename == name)
  }

  @Test("a data task of a background session runs with the application, and fails when it is suspended")
  func dataInBackgroundSession() async throws {
    try await withDevice { device, url in
      let log = TransferLog()
      let session = URLSession(
        configuration: .background(withIdentifier: "files"), delegate: log, delegateQueue: .main)
      session.dataTask(with: url).resume()
      await device.advance(by: .seconds(1))
      #expect(log.lines == ["response 200", "data", "complete"] && log.data == Data([1, 2, 3]))
      device.network.host("files.test").answers(after: .seconds(100))
      session.dataTask(with: url).resume()
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      await device.advance(by: .seconds(1))
      #expect(device.network.connectionCount == 0)
      await device.foreground()
      await device.advance(by: .seconds(1))
      #expect(log.lines.last == "complete -997")
      #expect(await session.allTasks.isEmpty)
    }
  }
}
