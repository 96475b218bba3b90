import ContinuoNetworking
import ContinuoTesting
import Synchronization
import Testing

private let file: [UInt8] = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
private let address = "https://files.test/a.bin"

@MainActor
@Suite("Default sessions in virtual time", .timeLimit(.minutes(10)))
struct SessionTests {
  /// A device on whose network the file is, in 10 s.
  func withDevice(
    serving bytes: [UInt8] = file, _ operation: @MainActor (TestDevice) async throws -> Void
  ) async rethrows {
    try await withTestDevice(recordsSound: false) { device in
      device.network.serve(.data(bytes, etag: "\"1\""), at: address)
      device.network.link = .init(bytesPerSecond: 20_000)
      await device.launchApplication()
      try await operation(device)
    }
  }

  private func url(_ text: String = address) throws -> URL { try #require(URL(string: text)) }

  private func session(_ log: TransferLog?, _ change: (URLSessionConfiguration) -> Void = { _ in })
    -> URLSession
  {
    let configuration = URLSessionConfiguration.default
    change(configuration)
    return URLSession(configuration: configuration, delegate: log, delegateQueue: .main)
  }

  @Test("a data task tells its delegate response, data and end, in this order and once")
  func dataTask() async throws {
    try await withDevice { device in
      let log = TransferLog()
      let session = session(log)
      let task = session.dataTask(with: try url())
      #expect(task.state == .suspended && task.taskIdentifier == 1)
      #expect(NSURLSessionTransferSizeUnknown == -1)
      await device.advance(by: .seconds(1))
      #expect(log.lines.isEmpty)
      task.resume()
      await device.advance(by: .seconds(5))
      #expect(task.state == .running && log.lines == ["response 200", "data"])
      #expect((90_000...110_000).contains(log.data.count))
      #expect(task.countOfBytesReceived == 98_304 && task.countOfBytesExpectedToReceive == 200_000)
      await device.advance(by: .seconds(6))
      #expect(log.lines == ["response 200", "data", "complete"] && log.data == Data(file))
      #expect(task.state == .completed && task.error == nil && task.progress.isFinished)
      #expect(await session.allTasks.isEmpty)
      session.finishTasksAndInvalidate()
      await device.advance(by: .zero)
      #expect(log.lines.last == "invalid" && session.delegate == nil)
    }
  }

  nonisolated private static let methods = ["GET /b HTTP/1.1\r\nHost: x\r\n\r\nGET", "TWO WORDS", ""]

  @Test("a method that is no token is not sent: it could be a request of its own", arguments: methods)
  func method(_ method: String) async throws {
    try await withDevice { device in
      let log = TransferLog()
      var request = URLRequest(url: try url())
      request.httpMethod = method
      session(log).dataTask(with: request).resume()
      await device.advance(by: .seconds(1))
      #expect(log.lines == ["complete -1000"] && device.network.requests.isEmpty)
    }
  }

  @Test("completion handlers get data, response and error")
  func handlers() async throws {
    try await withDevice { device in
      let results = Mutex<[String]>([])
      URLSession.shared.dataTask(with: try url()) { data, response, error in
        results.withLock {
          $0.append("\(data?.count ?? -1) \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        }
      }.resume()
      URLSession.shared.dataTask(with: try url("https://nobody.test/")) { data, response, error in
        results.withLock { $0.append("\(data?.count ?? -1) \((error as? URLError)?.code.rawValue ?? 0)") }
      }.resume()
      URLSession.shared.dataTask(with: try url("ftp://files.test/")) { _, _, error in
        results.withLock { $0.append("\((error as? URLError)?.code.rawValue ?? 0)") }
      }.resume()
      URLSession.shared.downloadTask(with: try url()) { location, _, _ in
        let data = location.flatMap { try? Data(contentsOf: $0) }
        results.withLock { $0.append("file \(data == Data(file))") }
      }.resume()
      await device.advance(by: .seconds(30))
      #expect(results.withLock { Set($0) } == ["-1 -1003", "-1002", "200000 200", "file true"])
      #expect(results.withLock { $0.count } == 4)
    }
  }

  @Test("the asynchronous forms return the answer or throw the error, and are cancelled with their task")
  func asynchronous() async throws {
    try await withDevice { device in
      let session = URLSession.shared
      let url = try url()
      let results = Mutex<[String]>([])
      let note: @Sendable (String) -> Void = { line in results.withLock { $0.append(line) } }
      Task { @MainActor in
        let (data, response) = try await session.data(from: url)
        note("data \(data == Data(file)) \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        let (place, _) = try await session.download(from: url)
        note("file \(try Data(contentsOf: place) == Data(file))")
        try FileManager.default.removeItem(at: place)
      }
      await device.advance(by: .seconds(30))
      #expect(results.withLock { $0.map { $0 } } == ["data true 200", "file true"])
      let task = Task { @MainActor in
        do { _ = try await session.data(from: url) } catch {
          note("\((error as? URLError)?.code.rawValue ?? 0)")
        }
      }
      await device.advance(by: .seconds(1))
      task.cancel()
      await device.advance(by: .zero)
      #expect(results.withLock { $0.last } == "-999" && device.network.connectionCount == 0)
    }
  }

  @Test("a slow delegate stops the transfer")
  func backpressure() async throws {
    try await withDevice { device in
      device.network.link = .init()
      let taken = Mutex<Int64>(0)
      let most = Mutex<Int64>(0)
      let log = TransferLog(onData: { task in
        // As long as the application's code takes, nothing more is read than the room that there is.
        MainActor.assumeIsolated { device.spend(.milliseconds(100)) }
        let waiting = task.countOfBytesReceived - taken.withLock { $0 }
        taken.withLock { $0 += 4_096 }
        most.withLock { $0 = max($0, waiting) }
      })
      let task = session(log).dataTask(with: try url())
      device.network.serve(.data([UInt8](repeating: 1, count: 4_000_000)), at: address)
      task.resume()
      await device.advance(by: .seconds(1))
      await device.advance(by: .seconds(300))
      #expect(log.lines == ["response 200", "data", "complete"] && log.data.count == 4_000_000)
      #expect((200_000...270_000).contains(most.withLock { $0 }))
    }
  }

  @Test("a task that is suspended stands still, and goes on")
  func suspendTask() async throws {
    try await withDevice { device in
      let log = TransferLog()
      let task = session(log).dataTask(with: try url())
      task.resume()
      await device.advance(by: .seconds(3))
      task.suspend()
      await device.advance(by: .seconds(3))
      let count = log.data.count
      await device.advance(by: .seconds(300))
      #expect(log.data.count == count && task.state == .suspended)
      task.resume()
      await device.advance(by: .seconds(10))
      #expect(log.data == Data(file) && log.lines.last == "complete")
    }
  }

  @Test("cancelling ends with the error cancelled, once, and nothing follows")
  func cancel() async throws {
    try await withDevice { device in
      let log = TransferLog()
      let session = session(log)
      let task = session.dataTask(with: try url())
      task.resume()
      await device.advance(by: .seconds(1))
      task.cancel()
      #expect(task.state == .canceling)
      task.cancel()
      let never = session.dataTask(with: try url())
      never.cancel()
      await device.advance(by: .seconds(20))
      #expect(log.lines == ["response 200", "data", "complete -999", "complete -999"])
      #expect(task.state == .completed && (task.error as? URLError)?.code == .cancelled)
      #expect(await session.allTasks.isEmpty)
    }
  }

  @Test("a delegate that refuses the response cancels")
  func refused() async throws {
    try await withDevice { device in
      let log = TransferLog(disposition: .cancel)
      session(log).dataTask(with: try url()).resume()
      await device.advance(by: .seconds(20))
      #expect(log.lines == ["response 200", "complete -999"] && log.data.isEmpty)
    }
  }

  @Test(
    "redirects are followed unless the delegate keeps them; a form becomes a GET", arguments: [true, false])
  func redirect(follows: Bool) async throws {
    try await withDevice { device in
      device.network.serve(.redirect(to: "/a.bin"), at: "https://files.test/old")
      let log = TransferLog(followsRedirects: follows)
      var request = URLRequest(url: try url("https://files.test/old"))
      request.httpMethod = "POST"
      request.httpBody = Data("a=b".utf8)
      let task = session(log).dataTask(with: request)
      task.resume()
      await device.advance(by: .seconds(20))
      let first = ["redirect 302 to GET \(address)"]
      if follows {
        #expect(log.lines.filter { !$0.hasPrefix("sent") } == first + ["response 200", "data", "complete"])
        #expect(device.network.requests.map(\.method) == ["POST", "GET"] && log.data == Data(file))
        #expect(task.currentRequest?.url?.absoluteString == address)
      } else {
        #expect(log.lines.filter { !$0.hasPrefix("sent") } == first + ["response 302", "complete"])
      }
      #expect(device.network.requests.first?.body == Array("a=b".utf8))
    }
  }

  @Test("a server that wants credentials gets those of the delegate, once; without, its answer is the task's")
  func credentials() async throws {
    try await withDevice { device in
      device.network.host("files.test").wants(user: "ann", password: "right")
      let right = TransferLog(
        credential: URLCredential(user: "ann", password: "right", persistence: .forSession))
      session(right).dataTask(with: try url()).resume()
      await device.advance(by: .seconds(20))
      #expect(right.lines == ["challenge of files.test after 0", "response 200", "data", "complete"])
      let wrong = TransferLog(
        credential: URLCredential(user: "ann", password: "wrong", persistence: .forSession))
      session(wrong).dataTask(with: try url()).resume()
      await device.advance(by: .seconds(20))
      #expect(
        wrong.lines == [
          "challenge of files.test after 0", "challenge of files.test after 1", "response 401", "complete",
        ])
    }
  }

  @Test("a body is sent from memory and from a file, and the delegate is told how far it is")
  func upload() async throws {
    try await withDevice { device in
      device.network.serve(.status(201), at: "https://files.test/up")
      let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try Data(file).write(to: place)
      defer { try? FileManager.default.removeItem(at: place) }
      let log = TransferLog()
      var request = URLRequest(url: try url("https://files.test/up"))
      request.httpMethod = "POST"
      request.setValue("audio/mpeg", forHTTPHeaderField: "Content-Type")
      let session = session(log) { $0.httpAdditionalHeaders = ["X-App": "walk"] }
      let task = session.uploadTask(with: request, fromFile: place)
      task.resume()
      await device.advance(by: .seconds(5))
      #expect(task.countOfBytesSent == 98_304 && task.countOfBytesExpectedToSend == 200_000)
      #expect((20...51).contains(log.lines.count))
      await device.advance(by: .seconds(6))
      #expect(log.lines.suffix(3) == ["sent 200000 of 200000", "response 201", "complete"])
      let got = try #require(device.network.requests.last)
      #expect(
        got.body == file && got.method == "POST" && got["X-App"] == "walk"
          && got["Content-Type"] == "audio/mpeg")
    }
  }

  @Test(
    "a download tells at most ten times a second how far it is, and its file goes when the method returns")
  func download() async throws {
    try await withDevice { device in
      let log = TransferLog()
      let task = session(log).downloadTask(with: try url())
      task.resume()
      await device.advance(by: .seconds(20))
      #expect(log.lines == ["written", "file", "complete"] && log.file == Data(file))
      #expect(log.written.last == 200_000 && log.written.count <= 101 && log.written.count > 40)
      #expect(log.written == log.written.sorted())
    }
  }

  @Test("a cancelled download goes on with its resume data behind the bytes that it has")
  func resumeData() async throws {
    try await withDevice { device in
      let log = TransferLog()
      let session = session(log)
      let task = session.downloadTask(with: try url())
      task.resume()
      await device.advance(by: .seconds(5))
      let kept = Mutex<Data?>(nil)
      task.cancel { data in kept.withLock { $0 = data } }
      await device.advance(by: .zero)
      let data = try #require(kept.withLock { $0 })
      #expect(log.lines == ["written", "complete -999"] && log.error?.downloadTaskResumeData == data)
      #expect(!String(decoding: data, as: UTF8.self).contains("Authorization"))
      session.downloadTask(withResumeData: data).resume()
      await device.advance(by: .seconds(10))
      #expect(log.lines.dropFirst(2) == ["resumed at 98304 of 200000", "written", "file", "complete"])
      #expect(log.file == Data(file))
      let request = try #require(device.network.requests.last)
      #expect(request.range == "bytes=\(98_304 - 65_536)-" && request["If-Range"] == "\"1\"")
    }
  }

  @Test(
    "resume data of another version, or without its bytes, begins anew; what is none fails",
    arguments: [0, 1, 2, 3])
  func staleResumeData(kind: Int) async throws {
    try await withDevice { device in
      let log = TransferLog()
      let session = session(log)
      let task = session.downloadTask(with: try url())
      task.resume()
      await device.advance(by: .seconds(5))
      var data = try #require(
        await { () async -> Data? in
          let result = Mutex<Data?>(nil)
          task.cancel { data in result.withLock { $0 = data } }
          await device.advance(by: .zero)
          return result.withLock { $0 }
        }())
      let other = file.map { $0 ^ 1 }
      switch kind {
      case 0: device.network.serve(.data(other, etag: "\"2\""), at: address)
      // The same tag for other bytes: the overlap finds it.
      case 1: device.network.serve(.data(other, etag: "\"1\""), at: address)
      case 2:
        let path =
          try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])["path"] as? String
        try FileManager.default.removeItem(atPath: try #require(path))
      default: data = Data("nothing".utf8)
      }
      session.downloadTask(withResumeData: data).resume()
      await device.advance(by: .seconds(20))
      if kind == 3 {
        #expect(log.lines.last == "complete -3001")
      } else {
        #expect(log.lines.last == "complete" && log.file == Data(kind == 2 ? file : other))
      }
    }
  }

  @Test("limits of time: no byte for a minute, and the whole")
  func timeouts() async throws {
    try await withDevice { device in
      device.network.host("files.test").hangs(after: 50_000)
      let log = TransferLog()
      session(log).dataTask(with: try url()).resume()
      await device.advance(by: .seconds(62))
      #expect(log.lines == ["response 200", "data"])
      await device.advance(by: .seconds(2))
      #expect(log.lines.last == "complete -1001" && device.network.connectionCount == 0)
      device.network.host("files.test").recovers()
      let short = TransferLog()
      session(short) { $0.timeoutIntervalForResource = 4 }.dataTask(with: try url()).resume()
      await device.advance(by: .seconds(5))
      #expect(short.lines == ["response 200", "data", "complete -1001"])
    }
  }

  @Test("a request's own timeout wins over the configuration's, also when it is the default of 60 s")
  func ownTimeout() async throws {
    try await withDevice { device in
      device.network.host("files.test").hangs(after: 0)
      var explicit = URLRequest(url: try url())
      explicit.timeoutInterval = 60
      var short = URLRequest(url: try url())
      short.timeoutInterval = 5
      let plain = URLRequest(url: try url())
      let logs = [TransferLog(), TransferLog(), TransferLog()]
      for (request, log) in zip([explicit, short, plain], logs) {
        session(log) { $0.timeoutIntervalForRequest = 20 }.dataTask(with: request).resume()
      }
      func ended() -> [Bool] { logs.map { $0.lines.last == "complete -1001" } }
      await device.advance(by: .seconds(10))
      #expect(ended() == [false, true, false])
      await device.advance(by: .seconds(20))
      #expect(ended() == [false, true, true])
      await device.advance(by: .seconds(25))
      #expect(ended() == [false, true, true])
      await device.advance(by: .seconds(10))
      #expect(ended() == [true, true, true])
    }
  }

  @Test("without a network a task fails, or waits for it and says so once")
  func connectivity() async throws {
    try await withDevice { device in
      device.network.goOffline(for: .seconds(60))
      let impatient = TransferLog()
      let patient = TransferLog()
      session(impatient).dataTask(with: try url()).resume()
      session(patient) { $0.waitsForConnectivity = true }.dataTask(with: try url()).resume()
      await device.advance(by: .seconds(30))
      #expect(impatient.lines == ["complete -1009"] && patient.lines == ["waiting for connectivity"])
      await device.advance(by: .seconds(60))
      #expect(patient.lines == ["waiting for connectivity", "response 200", "data", "complete"])
    }
  }

  @Test("no more connections to a host than allowed; those with a higher priority first")
  func connections() async throws {
    try await withDevice { device in
      let session = session(nil) { $0.httpMaximumConnectionsPerHost = 2 }
      for number in 1...4 {
        device.network.serve(.data(file), at: "https://files.test/\(number)")
        let task = session.dataTask(with: try url("https://files.test/\(number)"))
        if number == 4 { task.priority = URLSessionTask.highPriority }
        task.resume()
      }
      await device.advance(by: .seconds(1))
      #expect(device.network.requests.map(\.url) == ["https://files.test/1", "https://files.test/2"])
      await device.advance(by: .seconds(60))
      #expect(device.network.requests.map { $0.url.suffix(1) } == ["1", "2", "4", "3"])
    }
  }

  @Test("T7: a task that was open fails with -1005 when the application runs again; nothing is told before")
  func suspension() async throws {
    try await withDevice { device in
      let log = TransferLog()
      let session = session(log)
      let open = session.downloadTask(with: try url())
      open.resume()
      let later = session.dataTask(with: try url())
      await device.advance(by: .seconds(3))
      await device.pressHomeButton()
      #expect(device.state == .suspended && device.network.connectionCount == 0)
      let before = log.lines
      await device.advance(by: .seconds(100))
      #expect(log.lines == before && before == ["written"])
      await device.foreground()
      #expect(log.lines == ["written", "complete -1005"] && log.error?.code == .networkConnectionLost)
      let data = try #require(log.error?.downloadTaskResumeData)
      session.downloadTask(withResumeData: data).resume()
      later.resume()
      await device.advance(by: .seconds(30))
      #expect(log.file == Data(file) && log.data == Data(file))
    }
  }

  @Test("a load that waits for a connection does not start while the application is suspended")
  func waitingDuringSuspension() async throws {
    try await withDevice { device in
      let log = TransferLog()
      let session = session(log) {
        $0.httpMaximumConnectionsPerHost = 1
        $0.timeoutIntervalForResource = 60
      }
      device.network.host("files.test").answers(after: .seconds(30))
      session.dataTask(with: try url()).resume()
      await device.advance(by: .seconds(20))
      let waiting = session.dataTask(with: try url())
      waiting.resume()
      await device.pressHomeButton()
      await device.advance(by: .seconds(45))
      #expect(device.state == .suspended && device.network.requests.count == 1 && log.lines.isEmpty)
      device.network.host("files.test").recovers()
      await device.foreground()
      await device.advance(by: .seconds(12))
      #expect(log.lines == ["complete -1001", "response 200", "data", "complete"])
      #expect(waiting.error == nil && log.data == Data(file) && device.network.requests.count == 2)
    }
  }

  @Test("a transfer goes on in the background while a task keeps the application running")
  func budget() async throws {
    try await withDevice { device in
      let log = TransferLog(onEnd: {
        MainActor.assumeIsolated { UIApplication.shared.endBackgroundTask(identifier.withLock { $0 }) }
      })
      session(log).downloadTask(with: try url()).resume()
      identifier.withLock { $0 = UIApplication.shared.beginBackgroundTask(withName: "download") }
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      #expect(device.state == .background)
      await device.advance(by: .seconds(8))
      #expect(device.state == .background)
      await device.advance(by: .seconds(2))
      #expect(device.state == .suspended && log.file == Data(file) && device.termination == nil)
    }
  }

  @Test("nothing of an application that has ended is told")
  func termination() async throws {
    try await withDevice { device in
      let log = TransferLog()
      session(log).downloadTask(with: try url()).resume()
      await device.advance(by: .seconds(3))
      let before = log.lines
      await device.terminate()
      #expect(device.network.connectionCount == 0)
      await device.launch()
      await device.advance(by: .seconds(30))
      #expect(log.lines == before)
      let next = TransferLog()
      session(next).dataTask(with: try url()).resume()
      await device.advance(by: .seconds(30))
      #expect(next.data == Data(file))
    }
  }
}

private let identifier = Mutex(UIBackgroundTaskIdentifier.invalid)

extension TestDevice {
  /// Launches an application that does nothing.
  func launchApplication() async { await launch(QuietApplication()) }
}

private final class QuietApplication: UIResponder, UIApplicationDelegate {}
