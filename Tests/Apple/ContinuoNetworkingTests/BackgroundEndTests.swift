import ContinuoTesting
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import ContinuoNetworking
@testable import TransferService

/// A delegate that keeps the newest challenge, for the test to answer it as often as it likes.
private final class SlowDelegate: NSObject, URLSessionDownloadDelegate {
  typealias Answer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  private let state = Mutex<(lines: [String], answer: Answer?)>(([], nil))

  var lines: [String] { state.withLock { $0.lines.map { $0 } } }

  let onEnd: @Sendable () -> Void

  init(onEnd: @escaping @Sendable () -> Void = {}) { self.onEnd = onEnd }

  func note(_ line: String) { state.withLock { $0.lines.append(line) } }

  func answer(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential? = nil) {
    state.withLock { $0.answer }?(disposition, credential)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) { note("file") }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    state.withLock { state in
      state.lines.append("challenge")
      state.answer = completionHandler
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    note("complete" + ((error as? URLError).map { " \($0.code.rawValue)" } ?? ""))
    onEnd()
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { note("invalid") }
}

/// Answers the challenges of a session, but not those of tasks.
private final class PlainDelegate: NSObject, URLSessionDelegate {
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) { completionHandler(.useCredential, URLCredential(user: "a", password: "b", persistence: .none)) }
}

@MainActor
@Suite("Ends of background tasks that meet other events", .timeLimit(.minutes(10)))
struct BackgroundEndTests {
  private func withTask(
    _ operation:
      @MainActor (TestDevice, HandTransport, SlowDelegate, URLSessionDownloadTask) async throws
      -> Void
  ) async throws {
    try await withTestDevice(recordsSound: false) { device in
      await device.launchApplication()
      let (network, log) = (HandTransport(), SlowDelegate())
      URLSession.shared.core.networking.transport = network
      let session = URLSession(
        configuration: .background(withIdentifier: "files"), delegate: log, delegateQueue: .main)
      let task = session.downloadTask(with: try #require(URL(string: "https://files.test/a.bin")))
      task.resume()
      await device.advance(by: .seconds(1))
      #expect(network.count == 1)
      try await operation(device, network, log, task)
      session.finishTasksAndInvalidate()
      await device.advance(by: .seconds(1))
      #expect(log.lines.last == "invalid", "the task is left: \(log.lines)")
      let service = try #require(session.core.transfers as? BackgroundTransfers)
      #expect(TaskRecord.read(in: service.folder).isEmpty)
    }
  }

  @Test("a foreground task waits where no server answers for the host's name, not where the name is unknown")
  func unansweredName() async throws {
    let patient = TransferLog()
    try await lines(TransferLog()) { device, network, _, url in
      let configuration = URLSessionConfiguration.default
      configuration.waitsForConnectivity = true
      let session = URLSession(configuration: configuration, delegate: patient, delegateQueue: .main)
      session.dataTask(with: url).resume()
      for kind in [TransferFailure.Kind.hostUnresolved, .offline, .hostNotFound] {
        network.send(.failure(TransferFailure(kind, "test")))
        await device.advance(by: .seconds(60))
      }
      session.invalidateAndCancel()
    }
    #expect(patient.lines == ["waiting for connectivity", "complete -1003", "invalid"])
  }

  /// The lines of a delegate of a background session after `operation`.
  private func lines(
    _ delegate: any URLSessionDelegate, _ change: (URLSessionConfiguration) -> Void = { _ in },
    _ operation: @MainActor (TestDevice, HandTransport, URLSession, URL) async throws -> Void
  ) async throws {
    try await withTestDevice(recordsSound: false) { device in
      await device.launchApplication()
      let network = HandTransport()
      URLSession.shared.core.networking.transport = network
      let configuration = URLSessionConfiguration.background(withIdentifier: "files")
      change(configuration)
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: .main)
      try await operation(device, network, session, try #require(URL(string: "https://files.test/a.bin")))
      session.invalidateAndCancel()
      await device.advance(by: .seconds(1))
    }
  }

  /// Begins a background upload of 1,000 bytes; `operation` ends it by its last argument.
  private func upload(
    _ log: TransferLog,
    _ operation: @MainActor (TestDevice, HandTransport, @MainActor () async -> Void) async -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("body", [UInt8](repeating: 1, count: 1000))
    try await lines(log) { device, network, session, url in
      session.uploadTask(with: URLRequest(url: url), fromFile: URL(fileURLWithPath: path)).resume()
      await device.advance(by: .seconds(1))
      await operation(device, network) {
        network.sent(1000)
        network.answer(200, [("Content-Length", "0")])
        network.send(.end)
        await device.advance(by: .seconds(1))
      }
    }
  }

  @Test("a challenge of Digest is answered by Digest, never by Basic", arguments: [true, false])
  func digest(isUpload: Bool) async throws {
    let log = SlowDelegate()
    let folder = try TemporaryFolder()
    let path = try folder.write("body", [1])
    try await lines(log) { device, network, session, url in
      let request = URLRequest(url: url)
      let task: URLSessionTask =
        isUpload
        ? session.uploadTask(with: request, fromFile: URL(fileURLWithPath: path))
        : session.downloadTask(with: url)
      task.resume()
      await device.advance(by: .seconds(1))
      #expect(network.request?.credentials == nil)
      network.answer(401, [("WWW-Authenticate", "Digest realm=\"r\", nonce=\"1\""), ("Content-Length", "0")])
      network.send(.end)
      await device.advance(by: .seconds(1))
      log.answer(.useCredential, URLCredential(user: "a", password: "b", persistence: .none))
      await device.advance(by: .seconds(1))
      #expect(network.count == 2 && network.request?.authentication == .digest)
      #expect(network.request?.credentials == Credentials(user: "a", password: "b"))
    }
  }

  @Test("the progress of an upload is reported at most every 0.1 s, and at its end")
  func uploadProgress() async throws {
    let log = TransferLog()
    try await upload(log) { device, network, finish in
      for count in 1...20 {
        network.sent(Int64(count) * 45)
        await device.advance(by: .milliseconds(11))
      }
      #expect(log.lines == ["sent 45 of 1000", "sent 495 of 1000"])
      await finish()
      #expect(log.lines == ["sent 45 of 1000", "sent 495 of 1000", "sent 1000 of 1000", "complete"])
    }
  }

  @Test("the last progress of an upload that ends during a suspension is reported in front")
  func uploadProgressOfASuspendedApplication() async throws {
    let log = TransferLog()
    try await upload(log) { device, network, finish in
      await device.pressHomeButton()
      await device.advance(by: .seconds(30))
      await finish()
      #expect(log.lines.isEmpty)
      await device.foreground()
      await device.advance(by: .seconds(1))
      #expect(log.lines == ["sent 1000 of 1000", "complete"])
    }
  }

  @Test("unusable resume data fails a task with the same code as in a foreground session, once")
  func unusableResumeData() async throws {
    for isCancelled in [false, true] {
      let (log, other) = (TransferLog(), TransferLog())
      try await lines(log) { device, network, session, _ in
        let front = URLSession(configuration: .default, delegate: other, delegateQueue: .main)
        for session in [session, front] {
          let task = session.downloadTask(withResumeData: Data([1, 2, 3]))
          task.resume()
          if isCancelled { task.cancel() }
        }
        await device.advance(by: .seconds(1))
        #expect(log.lines == ["complete -3001"] && network.count == 0)
        if !isCancelled { #expect(other.lines == log.lines) }
        front.invalidateAndCancel()
      }
    }
  }

  @Test("the cookies of a response are stored before the end of the task is reported")
  func cookies() async throws {
    for policy in [HTTPCookie.AcceptPolicy.always, .never] {
      for handlesCookies in [true, false] {
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let names = Mutex<[String]?>(nil)
        let jar = CookieJar(storage: storage)
        let log = SlowDelegate {
          let found = (jar.storage.cookies ?? []).map { "\($0.name)=\($0.value)" }.sorted()
          names.withLock { $0 = found }
        }
        let change: (URLSessionConfiguration) -> Void = {
          $0.httpCookieStorage = storage
          $0.httpCookieAcceptPolicy = policy
        }
        try await lines(log, change) { device, network, session, url in
          var request = URLRequest(url: url)
          request.httpShouldHandleCookies = handlesCookies
          session.downloadTask(with: request).resume()
          await device.advance(by: .seconds(1))
          let cookies = ["a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT; Path=/", "b=2; Path=/; Max-Age=900"]
          network.answer(200, [("Content-Length", "0")] + cookies.map { ("Set-Cookie", $0) })
          network.send(.end)
          await device.advance(by: .seconds(1))
          let isStored = policy == .always && handlesCookies
          #expect(log.lines == ["file", "complete"])
          #expect(names.withLock { $0 } == (isStored ? ["a=1", "b=2"] : []))
        }
      }
    }
  }

  @Test("a redirect's cookies are sent to where it leads, and stored", arguments: [false, true])
  func redirectCookies(isUpload: Bool) async throws {
    let folder = try TemporaryFolder()
    let file = URL(fileURLWithPath: try folder.write("body", [1, 2, 3]))
    let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    try await lines(SlowDelegate(), { $0.httpCookieStorage = storage }) { device, network, session, url in
      var request = URLRequest(url: url)
      request.setValue("1", forHTTPHeaderField: "X-Own")
      let task: URLSessionTask =
        isUpload
        ? session.uploadTask(with: request, fromFile: file) : session.downloadTask(with: request)
      task.resume()
      await device.advance(by: .seconds(1))
      let fields = [("Content-Length", "0"), ("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/old")]
      network.answer(307, [("Location", "/new")] + fields)
      await device.advance(by: .seconds(1))
      #expect(network.request?.url.path == "/new" && network.request?.fields["X-Own"] == "1")
      #expect(network.request?.fields["Cookie"] == "a=1")
      network.answer(
        307, [("Location", "https://other.test/new"), ("Set-Cookie", "c=3"), ("Content-Length", "0")])
      await device.advance(by: .seconds(1))
      #expect(network.request?.url.host == "other.test" && network.request?.fields["Cookie"] == nil)
      network.answer(200, [("Content-Length", "0"), ("Set-Cookie", "d=4")])
      network.send(.end)
      await device.advance(by: .seconds(1))
      let stored = (storage.cookies ?? []).map { "\($0.name) \($0.domain) \($0.path)" }.sorted()
      #expect(stored == ["a files.test /", "b files.test /old", "c files.test /", "d other.test /"])
    }
  }

  @Test("the current request of a background task has the URL after redirects, and else the original one")
  func redirect() async throws {
    for isRedirected in [false, true] {
      try await lines(SlowDelegate()) { device, network, session, _ in
        let url = try #require(URL(string: "https://files.test"))
        let task = session.downloadTask(with: url)
        task.resume()
        await device.advance(by: .seconds(1))
        if isRedirected {
          network.answer(302, [("Location", "https://files.test/new"), ("Content-Length", "0")])
          await device.advance(by: .seconds(1))
        }
        network.answer(200, [("Content-Length", "0")])
        network.send(.end)
        await device.advance(by: .seconds(1))
        #expect(task.currentRequest?.url == (isRedirected ? URL(string: "https://files.test/new") : url))
        #expect(task.originalRequest?.url == url && task.state == .completed)
      }
    }
  }

  @Test("the record of a task keeps what decides about cookies")
  func cookieRules() throws {
    var request = URLRequest(url: try #require(URL(string: "https://files.test/a.bin")))
    request.httpShouldHandleCookies = false
    request.mainDocumentURL = URL(string: "https://other.test/")
    let key = TransferKey(session: "s", task: 1)
    let record = TaskRecord(key, .download, request, fields: [:], timeout: 60)
    let read = try JSONDecoder().decode(TaskRecord.self, from: try #require(record.bytes)).request
    #expect(read?.httpShouldHandleCookies == false && read?.mainDocumentURL == request.mainDocumentURL)
    request.mainDocumentURL = URL(string: "https://user:S3CRET@other.test/")
    let kept = try #require(TaskRecord(key, .download, request, fields: [:], timeout: 60).bytes)
    #expect(!String(decoding: kept, as: UTF8.self).contains("S3CRET"))
    request.httpShouldHandleCookies = true
    #expect(
      TaskRecord(key, .download, request, fields: [:], timeout: 60).request?.httpShouldHandleCookies == true)
  }

  @Test(
    "a field may contain several challenges",
    arguments: [
      (#"Basic realm="a""#, Authentication.basic, "a"), (#"Negotiate, Basic realm="b c""#, .basic, "b c"),
      (#"Basic realm="d", Digest nonce="1", realm="e""#, .digest, "e"), ("Negotiate, basic", .basic, ""),
    ])
  func challenges(text: String, scheme: Authentication, realm: String) {
    let challenge = ResponseHead(status: 401, fields: [("WWW-Authenticate", text)]).challenge
    #expect(challenge?.scheme == scheme && challenge?.realm == realm)
  }

  @Test("a session's delegate without the methods for tasks answers the challenges of its tasks")
  func plainDelegate() async throws {
    try await lines(PlainDelegate()) { device, network, session, url in
      session.downloadTask(with: url).resume()
      await device.advance(by: .seconds(1))
      network.answer(401, [("Content-Length", "0"), ("WWW-Authenticate", "Basic realm=\"r\"")])
      network.send(.end)
      await device.advance(by: .seconds(1))
      #expect(network.count == 2)
    }
  }

  private func noteData(in log: SlowDelegate) -> @Sendable (Data?) -> Void {
    { log.note($0 == nil ? "no resume data" : "resume data") }
  }

  @Test("a download that is complete before its cancellation takes effect has no resume data, and says so")
  func completeMeanwhile() async throws {
    try await withTask { device, network, log, task in
      network.answer(200, [("Content-Length", "3"), ("ETag", "\"1\""), ("Accept-Ranges", "bytes")])
      await device.advance(by: .seconds(1))
      network.send(.body([1, 2, 3]))
      network.send(.end)
      task.cancel(byProducingResumeData: noteData(in: log))
      await device.advance(by: .seconds(1))
      #expect(log.lines == ["no resume data", "file", "complete"])
    }
  }

  @Test("the age of resume data counts from the cancellation, and not from the last byte")
  func ageOfResumeData() async throws {
    try await withTask { device, network, log, task in
      network.answer(
        206, [("Content-Length", "3"), ("ETag", "\"1\""), ("Content-Range", "bytes 0-2/3")])
      network.send(.body([1, 2]))
      await device.advance(by: .seconds(1))
      let service = try #require(task.session.core.transfers as? BackgroundTransfers)
      let (manager, folder) = (FileManager.default, service.folder)
      func files(_ part: String) throws -> [String] {
        try manager.contentsOfDirectory(atPath: folder).filter { $0.contains(part) }.map { "\(folder)/\($0)" }
      }
      for path in try files(".part") {
        try manager.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: path)
      }
      task.cancel(byProducingResumeData: noteData(in: log))
      await device.advance(by: .seconds(1))
      #expect(log.lines == ["resume data", "complete -999"])
      let dates = try files(".resume").map {
        try manager.attributesOfItem(atPath: $0)[.modificationDate] as? Date
      }
      #expect(dates.count == 2 && dates.allSatisfy { $0.map { -$0.timeIntervalSinceNow < 86_400 } == true })
    }
  }

  @Test("a server that refuses a download which is being cancelled asks nobody for credentials")
  func refusedMeanwhile() async throws {
    try await withTask { device, network, log, task in
      network.answer(401, [("Content-Length", "0"), ("WWW-Authenticate", "Basic realm=\"r\"")])
      network.send(.end)
      task.cancel(byProducingResumeData: noteData(in: log))
      await device.advance(by: .seconds(1))
      #expect(log.lines == ["no resume data", "complete -999"])
    }
  }

  @Test(
    "a task that is cancelled while its challenge is unanswered ends once, whatever the late answer is",
    arguments: [URLSession.AuthChallengeDisposition.useCredential, .cancelAuthenticationChallenge],
    [false, true])
  func cancelledMeanwhile(
    _ disposition: URLSession.AuthChallengeDisposition, isAnswered: Bool
  ) async throws {
    for wantsData in [false, true] {
      try await cancelledMeanwhile(disposition, isAnswered: isAnswered, wantsData: wantsData)
    }
  }

  /// - Parameter isAnswered: whether the answer comes before the end of the task.
  private func cancelledMeanwhile(
    _ disposition: URLSession.AuthChallengeDisposition, isAnswered: Bool, wantsData: Bool
  ) async throws {
    try await withTask { device, network, log, task in
      network.answer(401, [("Content-Length", "0"), ("WWW-Authenticate", "Basic realm=\"r\"")])
      network.send(.end)
      await device.advance(by: .seconds(1))
      #expect(log.lines == ["challenge"])
      if wantsData { task.cancel(byProducingResumeData: noteData(in: log)) } else { task.cancel() }
      if isAnswered { log.answer(disposition, URLCredential(user: "a", password: "b", persistence: .none)) }
      await device.advance(by: .seconds(1))
      #expect(log.lines == ["challenge"] + (wantsData ? ["no resume data"] : []) + ["complete -999"])
      log.answer(disposition, URLCredential(user: "a", password: "b", persistence: .none))
      await device.advance(by: .seconds(1))
      #expect(log.lines.last == "complete -999" && network.count == 1)
    }
  }

  @Test("a second answer to a challenge neither ends the task nor begins it again")
  func answeredTwice() async throws {
    try await withTask { device, network, log, task in
      network.answer(401, [("Content-Length", "0"), ("WWW-Authenticate", "Basic realm=\"r\"")])
      network.send(.end)
      await device.advance(by: .seconds(1))
      for disposition in [URLSession.AuthChallengeDisposition.useCredential, .cancelAuthenticationChallenge] {
        log.answer(disposition, URLCredential(user: "a", password: "b", persistence: .none))
        await device.advance(by: .seconds(1))
        #expect(network.count == 2 && task.state == .running)
      }
      network.answer(200, [("Content-Length", "0")])
      network.send(.end)
      await device.advance(by: .seconds(1))
      #expect(log.lines == ["challenge", "file", "complete"])
    }
  }
}
