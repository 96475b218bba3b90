import Clocks
import Dispatch
import NetworkTestSupport
import Synchronization
import SystemSupport
import TestSupport
import Testing
import Transfer

@testable import AppLifecycle
@testable import ContinuoNetworking
@testable import TransferService

private let content: [UInt8] = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }

/// Awaits what a delegate hears.
private final class Event: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  func happened() { semaphore.signal() }
  /// Whether it has happened within two minutes.
  func wait() -> Bool { semaphore.wait(timeout: .now() + 120) == .success }
}

@Suite("Sessions on loopback", .blocksThread, .timeLimit(.minutes(10)))
struct RealSessionTests {
  private func url(_ server: HostileServer, _ path: String = "/a") throws -> URL {
    try #require(URL(string: server.url(path)))
  }

  /// A device whose application runs, with its transfers in that folder.
  private func device(_ folder: TemporaryFolder) -> Device {
    let queue = SerialQueue()
    let device = Device(
      modes: BackgroundModes(), clock: SystemClock.shared, mainQueue: queue, isOnMainQueue: { false },
      isActive: true)
    device.networking.transfersFolder = folder.path
    return device
  }

  @Test("data, a file, an upload and HEAD over libcurl")
  func all() async throws {
    let file = HostileFile(content)
    let server = try HostileServer { request in
      if request.target == "/up" { return HostileFile.plain("201 Created") }
      if request.lines[0].hasPrefix("HEAD") {
        return [.send(HostileFile.head("200 OK", ["Content-Length: 7"]))]
      }
      return file.answer(request)
    }
    let session = URLSession(configuration: .ephemeral)
    let (data, response) = try await session.data(from: try url(server))
    #expect(data == Data(content) && (response as? HTTPURLResponse)?.statusCode == 200)
    let (place, _) = try await session.download(from: try url(server))
    #expect(try Data(contentsOf: place) == Data(content))
    try FileManager.default.removeItem(at: place)
    var request = URLRequest(url: try url(server, "/up"))
    request.httpMethod = "POST"
    let folder = try TemporaryFolder()
    let path = try folder.write("body", content)
    let (_, answer) = try await session.upload(for: request, fromFile: URL(fileURLWithPath: path))
    #expect((answer as? HTTPURLResponse)?.statusCode == 201 && server.requests.last?.body == content)
    var head = URLRequest(url: try url(server))
    head.httpMethod = "HEAD"
    let (nothing, headAnswer) = try await session.data(for: head)
    #expect(nothing.isEmpty && headAnswer.expectedContentLength == 7)
    await #expect(throws: URLError.self) {
      _ = try await session.data(
        from: try #require(URL(string: "http://127.0.0.1:\(LoopbackSocket.freePort())/")))
    }
  }

  @Test(
    "a download cut twice keeps its bytes, also if the server repeats no tag in the rest (RFC 9110, 15.3.7)")
  func restWithoutTag() async throws {
    let server = try HostileServer { request in
      let first = request.first ?? 0
      let all = "bytes \(first)-\(content.count - 1)/\(content.count)"
      let lines = request.first == nil ? ["ETag: \"1\"", "Accept-Ranges: bytes"] : ["Content-Range: \(all)"]
      let head = HostileFile.head(
        request.first == nil ? "200 OK" : "206 Partial Content",
        lines + ["Content-Length: \(content.count - first)"])
      return [.send(head), .send(Array(content[first...].prefix(300_000))), .close]
    }
    let session = URLSession(configuration: .ephemeral)
    var data: Data?
    do { _ = try await session.download(from: try url(server)) } catch {
      data = (error as? URLError)?.downloadTaskResumeData
    }
    for _ in 0..<10 {
      do {
        let (place, _) = try await session.download(resumeFrom: try #require(data))
        #expect(try Data(contentsOf: place) == Data(content))
        try FileManager.default.removeItem(at: place)
        break
      } catch { data = (error as? URLError)?.downloadTaskResumeData }
    }
    #expect(server.requests.count == 4)
  }

  @Test("a slow delegate has the server wait")
  func backpressure() throws {
    let server = try HostileServer { _ in
      [.send(HostileFile.head("200 OK", ["Content-Length: 40000000"])), .sendForEver(content)]
    }
    let (ended, isFull) = (Event(), Event())
    let gate = DispatchSemaphore(value: 0)
    let first = Mutex(true)
    let log = TransferLog(
      onData: { _ in
        guard
          first.withLock({ isFirst in
            defer { isFirst = false }; return isFirst
          })
        else { return }
        isFull.happened()
        gate.wait()
      }, onEnd: { ended.happened() })
    let session = URLSession(configuration: .default, delegate: log, delegateQueue: nil)
    let task = session.dataTask(with: try url(server))
    task.resume()
    #expect(isFull.wait())
    #expect(server.waitUntilStalled())
    #expect(task.countOfBytesReceived <= 400_000 && server.bytesSent < 30_000_000)
    gate.signal()
    #expect(ended.wait() && log.data.count == 40_000_000)
    session.invalidateAndCancel()
  }

  @Test("T7: a suspended application's connection ends, and its task fails with -1005 when it runs again")
  func suspension() throws {
    let (closed, came, ended) = (Event(), Event(), Event())
    let server = try HostileServer(
      { _ in [.send(HostileFile.head("200 OK", ["Content-Length: 2000000"])), .send(content), .hang] },
      onClose: { closed.happened() })
    let folder = try TemporaryFolder()
    let device = device(folder)
    try Device.withCurrent(device) {
      let log = TransferLog(onData: { _ in came.happened() }, onEnd: { ended.happened() })
      let session = URLSession(configuration: .default, delegate: log, delegateQueue: nil)
      session.dataTask(with: try url(server)).resume()
      #expect(came.wait())
      device.networking.suspend()
      #expect(closed.wait())
      let lines = log.lines
      device.networking.resume()
      #expect(ended.wait() && log.error?.code == .networkConnectionLost)
      #expect(!lines.contains { $0.hasPrefix("complete") })
      session.invalidateAndCancel()
    }
  }

  @Test("the end of a background download is on the disk before the delegate hears of it: it comes once")
  func recordedEnd() throws {
    let file = HostileFile(content)
    let server = try HostileServer { file.answer($0) }
    let folder = try TemporaryFolder()
    let device = device(folder)
    let ended = Event()
    let records = Mutex<[Bool]>([])
    try Device.withCurrent(device) {
      let delegate = FileLog {
        records.withLock { $0 = TaskRecord.read(in: folder.path).map { $0.outcome != nil } }
        ended.happened()
      }
      let session = URLSession(
        configuration: .background(withIdentifier: "files"), delegate: delegate, delegateQueue: nil)
      session.downloadTask(with: try url(server)).resume()
      #expect(ended.wait() && records.withLock { $0 } == [true])
      session.invalidateAndCancel()
    }
    device.networking.close()
  }

  @Test("a disk that does not answer stalls its own download, and neither other transfers nor cancelling")
  func slowDisk() throws {
    let file = HostileFile(content)
    let server = try HostileServer { request in
      request.target == "/endless"
        ? [.send(HostileFile.head("200 OK", ["Content-Length: 900000000"])), .sendForEver(content)]
        : file.answer(request)
    }
    let folder = try TemporaryFolder()
    let device = device(folder)
    let (came, ended, cancelled) = (Event(), Event(), Event())
    let gate = DispatchSemaphore(value: 0)
    try Device.withCurrent(device) {
      let first = Mutex(true)
      let progress = ProgressLog { _ in
        let isFirst = first.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        guard isFirst else { return }
        // Each job for a file waits from here on.
        device.networking.files.add { gate.wait() }
        came.happened()
      }
      let slow = URLSession(configuration: .default, delegate: progress, delegateQueue: nil)
      let download = slow.downloadTask(with: try url(server, "/endless"))
      download.resume()
      #expect(came.wait())
      let log = TransferLog(onEnd: { ended.happened() })
      let session = URLSession(configuration: .default, delegate: log, delegateQueue: nil)
      session.dataTask(with: try url(server)).resume()
      #expect(ended.wait() && log.data == Data(content))
      #expect(server.waitUntilStalled() && server.bytesSent < 600_000_000)
      let begin = ContinuousClock.now
      download.cancel { _ in cancelled.happened() }
      #expect(cancelled.wait() && ContinuousClock.now - begin < .seconds(30))
      gate.signal()
      slow.invalidateAndCancel()
      session.invalidateAndCancel()
    }
    device.networking.close()
  }

  @Test("bytes of another version are found also when all of them have come before the disk is read")
  func comparedLate() throws {
    let folder = try TemporaryFolder()
    let device = device(folder)
    let whole = Array(content.prefix(100_000))
    device.networking.transport = InstantTransport(whole)
    let path = try folder.write("part", [UInt8](repeating: 7, count: 50_000))
    let request = URLRequest(url: try #require(URL(string: "http://files.test/a")))
    let head = ResponseHead(status: 200, fields: [("ETag", "\"1\""), ("Accept-Ranges", "bytes")])
    let data = try #require(ResumeData(request, head, path: path, count: 50_000)?.data)
    let ended = Event()
    Device.withCurrent(device) {
      let log = TransferLog(onEnd: { ended.happened() })
      let session = URLSession(configuration: .default, delegate: log, delegateQueue: nil)
      session.downloadTask(withResumeData: data).resume()
      #expect(ended.wait() && log.lines.last == "complete" && log.file == Data(whole))
      session.invalidateAndCancel()
    }
    device.networking.close()
  }

  /// Delivers all of an answer, with its end, before `start` returns.
  private final class InstantTransport: HTTPTransport {
    private let bytes: [UInt8]
    private let lastID = Mutex<UInt64>(0)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID {
      let id = TransferID(
        lastID.withLock { id in
          id += 1
          return id
        })
      // Fewer bytes are there than are compared: the range begins with the first.
      let first = 0
      var head = ResponseHead(status: request.fields["Range"] == nil ? 200 : 206)
      if head.status == 206 {
        head.fields.set("Content-Range", "bytes \(first)-\(bytes.count - 1)/\(bytes.count)")
      }
      _ = sink.take(.head(head), of: id)
      for start in stride(from: first, to: bytes.count, by: 10_000) {
        _ = sink.take(.body(Array(bytes[start..<min(start + 10_000, bytes.count)])), of: id)
      }
      _ = sink.take(.end, of: id)
      return id
    }

    func setPaused(_ isPaused: Bool, _ transfer: TransferID) {}
    func cancel(_ transfer: TransferID) {}
  }

  @Test("a task's delegate that ends when it is replaced may ask the task")
  func replacedDelegate() throws {
    let folder = try TemporaryFolder()
    let device = device(folder)
    let states = Mutex<[URLSessionTask.State]>([])
    try Device.withCurrent(device) {
      let session = URLSession(configuration: .default)
      let task = session.dataTask(with: try #require(URL(string: "http://files.test/a")))
      task.delegate = LastWords { states.withLock { $0.append(task.state) } }
      task.delegate = nil
    }
    #expect(states.withLock { $0 } == [.suspended])
    device.networking.close()
  }

  /// A delegate that does something when it ends.
  private final class LastWords: NSObject, URLSessionTaskDelegate {
    private let onEnd: @Sendable () -> Void

    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
  }

  @Test("the end of a background download waits for a full disk, and comes when there is room")
  func fullDisk() throws {
    let file = HostileFile(content)
    let server = try HostileServer { file.answer($0) }
    let folder = try TemporaryFolder()
    let device = device(folder)
    let (failed, ended) = (Event(), Event())
    let isFull = Mutex(true)
    device.networking.recordCalls.write = { descriptor, bytes in
      guard isFull.withLock({ $0 }) else { return write(descriptor, bytes.baseAddress, bytes.count) }
      // One for the task, and one for its end.
      if String(decoding: bytes, as: UTF8.self).contains("outcome") { failed.happened() }
      errno = ENOSPC
      return -1
    }
    let wasTold = Mutex(false)
    try Device.withCurrent(device) {
      let delegate = FileLog {
        wasTold.withLock { $0 = true }
        ended.happened()
      }
      let session = URLSession(
        configuration: .background(withIdentifier: "files"), delegate: delegate, delegateQueue: nil)
      session.downloadTask(with: try url(server)).resume()
      #expect(failed.wait() && !wasTold.withLock { $0 } && TaskRecord.read(in: folder.path).isEmpty)
      isFull.withLock { $0 = false }
      #expect(ended.wait())
      session.invalidateAndCancel()
    }
    device.networking.close()
  }

  @Test("background sessions made on several threads at once all have the device's transfers")
  func madeAtOnce() throws {
    for _ in 0..<50 {
      let folder = try TemporaryFolder()
      let device = device(folder)
      let sessions = Mutex<[URLSession]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { number in
        Device.withCurrent(device) {
          // Two with one name, which are one session, and two with names of their own.
          let configuration = URLSessionConfiguration.background(withIdentifier: "\(max(1, number))")
          let session = URLSession(configuration: configuration, delegate: nil, delegateQueue: nil)
          sessions.withLock { $0.append(session) }
        }
      }
      let made = sessions.withLock { $0.map { $0 } }
      #expect(made.allSatisfy { $0.core.transfers != nil })
      #expect(Set(made.map { ObjectIdentifier($0.core) }).count == 3)
      for session in made { session.invalidateAndCancel() }
      device.networking.close()
    }
  }

  @Test("the newest progress of a background download is told, also when its delegate was busy")
  func newestProgress() throws {
    let folder = try TemporaryFolder()
    let device = device(folder)
    try Device.withCurrent(device) {
      let told = Mutex<[Int64]>([])
      let ended = Event()
      let more = Mutex<(@Sendable () -> Void)?>(nil)
      let log = ProgressLog { total in
        told.withLock { $0.append(total) }
        if total == 300 { return ended.happened() }
        more.withLock { $0 }?()
      }
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = true
      let session = URLSession(
        configuration: .background(withIdentifier: "files"), delegate: log, delegateQueue: queue)
      // It is not resumed: what a transfer tells comes from the test.
      let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:9/file")))
      let task = session.downloadTask(with: request)
      let core = session.core
      let record = TaskRecord(
        TransferKey(session: "files", task: task.taskIdentifier), .download, request, fields: [:], timeout: 60
      )
      let progress: @Sendable (Int64) -> Void = { count in
        var record = record
        record.received = count
        core.progressed(record)
      }
      more.withLock { $0 = { progress(300) } }
      progress(100)
      progress(200)
      queue.isSuspended = false
      #expect(ended.wait() && told.withLock { $0 } == [200, 300])
      task.cancel()
      session.invalidateAndCancel()
    }
    device.networking.close()
  }

  /// Begins a download in a background session of the present device, and waits until it has that many bytes.
  private func download(from server: HostileServer, upTo count: Int64) throws {
    let came = Event()
    let log = ProgressLog { if $0 >= count { came.happened() } }
    let session = URLSession(
      configuration: .background(withIdentifier: "files"), delegate: log, delegateQueue: nil)
    session.downloadTask(with: try url(server)).resume()
    #expect(came.wait())
  }

  /// Takes up the transfers of an earlier process, before the application makes its session.
  private func openTransfers(of device: Device) throws -> any TransferService {
    device.networking.beginTurn()
    defer { device.networking.endTurn() }
    return try device.networking.openTransfers().get()
  }

  /// Waits until the delegate's calls so far have returned: a task's record is deleted after its last call.
  private func waitForCalls(of session: URLSession) -> Bool {
    let returned = Event()
    session.core.post { returned.happened() }
    return returned.wait()
  }

  @Test("a background download outlives its process: the next one goes on where it was")
  func nextProcess() throws {
    // Enough for a length that is on the disk: it is raised every 8 MiB.
    let big = (0..<10).flatMap { _ in content }
    let file = HostileFile(big)
    let hangs = Mutex(true)
    let server = try HostileServer { request in
      guard hangs.withLock({ $0 }) else { return file.answer(request) }
      var cut = file
      cut.cut = 9_500_000
      cut.ending = .hang
      return cut.answer(request)
    }
    let folder = try TemporaryFolder()
    do {
      let device = device(folder)
      try Device.withCurrent(device) {
        try download(from: server, upTo: 9_000_000)
        // As another process would see it.
        let other = self.device(folder)
        let ended = Event()
        try Device.withCurrent(other) {
          let log = TransferLog(onEnd: { ended.happened() })
          URLSession(configuration: .background(withIdentifier: "files"), delegate: log, delegateQueue: nil)
            .downloadTask(with: try url(server)).resume()
          #expect(ended.wait() && log.error?.code == .backgroundSessionInUseByAnotherProcess)
        }
        device.networking.close()
      }
    }
    hangs.withLock { $0 = false }
    let device = device(folder)
    let (recorded, ended) = (Event(), Event())
    device.networking.recordCalls.write = { descriptor, bytes in
      if String(decoding: bytes, as: UTF8.self).contains("outcome") { recorded.happened() }
      return write(descriptor, bytes.baseAddress, bytes.count)
    }
    // It may go on, and even end, before the application makes the session again: the delegate hears of it then.
    _ = try openTransfers(of: device)
    #expect(recorded.wait())
    Device.withCurrent(device) {
      let log = TransferLog(onEnd: { ended.happened() })
      let session = URLSession(
        configuration: .background(withIdentifier: "files"), delegate: log, delegateQueue: nil)
      #expect(ended.wait() && log.file == Data(big))
      #expect(log.lines.contains { $0.hasPrefix("resumed at") }, "\(log.lines)")
      #expect(waitForCalls(of: session))
      session.invalidateAndCancel()
    }
    device.networking.close()
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(left == ["lock"])
  }

  @Test(
    "a request that a delegate has changed after a redirect keeps the fields of the session, but no secrets")
  func changedRedirect() async throws {
    let other = try HostileServer { _ in HostileFile.plain("200 OK") }
    let location = other.url("/new")
    let server = try HostileServer { request in
      guard request.target.hasPrefix("/old") else { return HostileFile.plain("200 OK") }
      let target = request.target == "/old" ? "/new" : location
      return [.send(HostileFile.head("302 Found", ["Location: \(target)", "Content-Length: 0"]))]
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["X-Number": 7, "Authorization": "Bearer a"]
    let session = URLSession(configuration: configuration, delegate: Adder(), delegateQueue: nil)
    for (path, target) in [("/old", server), ("/old-elsewhere", other)] {
      _ = try await session.data(from: try url(server, path))
      let fields = try #require(target.requests.last).fields
      #expect(fields["x-own"] == "1" && fields["x-number"] == "7", "\(path) \(fields)")
      #expect(fields["authorization"] == (path == "/old" ? "Bearer a" : nil))
    }
    session.invalidateAndCancel()
  }

  @Test("a folder that cannot be used fails background tasks with its own error")
  func unusableFolder() throws {
    let folder = try TemporaryFolder()
    let device = device(folder)
    device.networking.transfersFolder = try folder.write("file", content)
    let ended = Event()
    try Device.withCurrent(device) {
      let log = TransferLog(onEnd: { ended.happened() })
      let session = URLSession(
        configuration: .background(withIdentifier: "files"), delegate: log, delegateQueue: nil)
      let url = try #require(URL(string: "http://127.0.0.1:9/file"))
      session.downloadTask(with: url).resume()
      #expect(ended.wait() && log.error?.code == .cannotCreateFile && log.error?.failingURL == url)
      #expect(log.error?.localizedDescription.contains("Not a directory") == true)
      session.invalidateAndCancel()
    }
    device.networking.close()
  }

  @Test("resume data is adopted on a worker: neither creating nor resuming its task waits for the disk")
  func adoption() throws {
    let file = HostileFile(content)
    let hangs = Mutex(true)
    let server = try HostileServer { request in
      guard hangs.withLock({ $0 }), request.target == "/a" else { return file.answer(request) }
      var cut = file
      cut.cut = 500_000
      cut.ending = .hang
      return cut.answer(request)
    }
    let folder = try TemporaryFolder()
    let device = device(folder)
    let isSlow = Mutex(false)
    let (blocked, freed, came, cancelled, ended) = (Event(), Event(), Event(), Event(), Event())
    device.networking.recordCalls.write = { descriptor, bytes in
      if isSlow.withLock({ $0 }) {
        blocked.happened()
        #expect(freed.wait())
      }
      return write(descriptor, bytes.baseAddress, bytes.count)
    }
    try Device.withCurrent(device) {
      let data = Mutex<Data?>(nil)
      let progress = ProgressLog { if $0 >= 400_000 { came.happened() } }
      let first = URLSession(
        configuration: .background(withIdentifier: "first"), delegate: progress, delegateQueue: nil)
      let task = first.downloadTask(with: try url(server))
      task.resume()
      #expect(came.wait())
      task.cancel {
        data.withLock { [new = $0] in $0 = new }
        cancelled.happened()
      }
      #expect(cancelled.wait())
      hangs.withLock { $0 = false }
      let given = try #require(data.withLock { $0 })
      isSlow.withLock { $0 = true }
      first.downloadTask(with: try url(server, "/other")).resume()
      #expect(blocked.wait())
      let log = TransferLog(onEnd: { ended.happened() })
      let session = URLSession(
        configuration: .background(withIdentifier: "files"), delegate: log, delegateQueue: nil)
      session.downloadTask(withResumeData: given).resume()
      #expect(FileManager.default.fileExists(atPath: try #require(ResumeData(given)).path))
      isSlow.withLock { $0 = false }
      freed.happened()
      #expect(ended.wait() && log.file == Data(content))
      #expect(log.lines.contains { $0.hasPrefix("resumed at") }, "\(log.lines)")
      for session in [first, session] { session.invalidateAndCancel() }
    }
    device.networking.close()
  }

  @Test("resume data that an application has dropped does not stay for ever: 30 days")
  func oldResumeData() throws {
    let folder = try TemporaryFolder()
    for (name, days) in [("a", 31.0), ("b", 29)] {
      for end in [".resume", ".resume.record", ".part", ".part.record.new"] {
        let path = try folder.write(name + end, content)
        let date = Date(timeIntervalSinceNow: -days * 86_400)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
      }
    }
    let device = device(folder)
    _ = try openTransfers(of: device)
    device.networking.close()
    #expect(folder.names.sorted() == ["a.part", "b.part", "b.resume", "b.resume.record", "lock"])
  }

  @Test(
    "killed between a file's completion and its record: the next process has the file and fetches nothing")
  func completeWithoutRecord() throws {
    let file = HostileFile(content)
    let server = try HostileServer { request in
      var cut = file
      cut.cut = 500_000
      cut.ending = .hang
      return cut.answer(request)
    }
    let folder = try TemporaryFolder()
    do {
      let device = device(folder)
      try Device.withCurrent(device) {
        try download(from: server, upTo: 400_000)
      }
      device.networking.close()
    }
    // As a process leaves it that is killed after it has given the file its name.
    let part = try #require(folder.names.first { $0.hasSuffix(".part") })
    try folder.write(String(part.dropLast(5)), content)
    for name in [part, "\(part).record"] { try FileManager.default.removeItem(atPath: folder.file(name)) }
    let device = device(folder)
    let ended = Event()
    let transfers = try openTransfers(of: device)
    #expect(transfers.records(of: "files").first?.response?.statusCode == 200)
    Device.withCurrent(device) {
      let log = TransferLog(onEnd: { ended.happened() })
      let session = URLSession(
        configuration: .background(withIdentifier: "files"), delegate: log, delegateQueue: nil)
      #expect(ended.wait() && log.file == Data(content))
      #expect(waitForCalls(of: session))
      session.invalidateAndCancel()
    }
    #expect(server.requests.count == 1)
    device.networking.close()
    #expect(folder.names == ["lock"])
  }
}

@MainActor
@Suite("Background sessions on loopback", .blocksThread, .timeLimit(.minutes(10)))
struct RealBackgroundSessionTests {
  private func wait(_ what: String, _ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(120)
    while !condition() {
      guard ContinuousClock.now < end else { throw WaitFailure(what: what) }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  private struct WaitFailure: Error {
    var what: String
  }

  @Test(
    "N26: an application that was suspended, or that the system has ended, is woken once when its file is there",
    arguments: [false, true])
  func woken(isTerminated: Bool) async throws {
    let file = HostileFile(content)
    let gate = DispatchSemaphore(value: 0)
    let server = try HostileServer { request in
      gate.wait()
      return file.answer(request)
    }
    let folder = try TemporaryFolder()
    let device = Device(modes: BackgroundModes())
    device.networking.transfersFolder = folder.path
    try await Device.withCurrent(device) {
      let app = Downloader()
      device.application.delegate = app
      await device.launch()
      app.download(server.url("/a"))
      await device.pressHomeButton()
      #expect(device.state == .suspended)
      try await wait("a request") { server.requests.count == 1 }
      if isTerminated { await device.terminate() }
      let before = app.log.lines.count
      gate.signal()
      try await wait("the file") { app.log.lines.last == "finished events" && device.state == .suspended }
      #expect(
        app.log.lines.dropFirst(before).filter { $0 != "written" }
          == (isTerminated ? ["launched inactive"] : []) + [
            "events of files", "file of 1", "end of 1", "finished events",
          ])
      #expect(app.log.files == [Data(content)] && server.requests.count == 1)
      await device.terminate()
    }
    device.networking.close()
  }
}

/// Tells how far a download is.
private final class ProgressLog: NSObject, URLSessionDownloadDelegate {
  private let onProgress: @Sendable (Int64) -> Void

  init(_ onProgress: @escaping @Sendable (Int64) -> Void) { self.onProgress = onProgress }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {}

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) { onProgress(totalBytesWritten) }
}

/// Adds a header field to the request that follows a redirect.
private final class Adder: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? {
    var request = request
    request.setValue("1", forHTTPHeaderField: "X-Own")
    return request
  }
}

/// Tells that a file has come.
private final class FileLog: NSObject, URLSessionDownloadDelegate {
  private let onFile: @Sendable () -> Void

  init(_ onFile: @escaping @Sendable () -> Void) { self.onFile = onFile }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) { onFile() }
}
