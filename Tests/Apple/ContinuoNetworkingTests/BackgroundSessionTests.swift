import ContinuoTesting
import Synchronization
import Testing

@testable import ContinuoNetworking

private let file: [UInt8] = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ $0 >> 7) }
private let address = "https://files.test/a.bin"

/// An application that downloads in the background, as one writes it for a phone.
@MainActor
final class Downloader: UIResponder, UIApplicationDelegate {
  let log = DownloadLog()
  private(set) var session: URLSession?
  /// Called in `handleEventsForBackgroundURLSession`.
  var onEvents: ((Downloader) -> Void)?
  var isSilent = false
  var change: (URLSessionConfiguration) -> Void = { _ in }

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    log.note("launched \(application.applicationState == .inactive ? "inactive" : "")")
    if !isSilent { open() }
    return true
  }

  func applicationDidBecomeActive(_ application: UIApplication) { log.note("active") }

  @discardableResult
  func open() -> URLSession {
    let configuration = URLSessionConfiguration.background(withIdentifier: "files")
    change(configuration)
    let session = URLSession(configuration: configuration, delegate: log, delegateQueue: .main)
    self.session = session
    return session
  }

  func download(_ url: String = address) {
    guard let url = URL(string: url) else { return }
    session?.downloadTask(with: url).resume()
  }

  func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) {
    log.note("events of \(identifier)")
    log.setCompletion(completionHandler)
    if let onEvents { onEvents(self) }
  }
}

/// Its delegate: with the completion handler of the application's call.
final class DownloadLog: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
  private struct State {
    var lines: [String] = []
    var files: [Data] = []
    var completion: (@Sendable () -> Void)?
    var errors: [URLError] = []
    var answer = Data()
  }

  private let state = Mutex(State())

  var lines: [String] { state.withLock { $0.lines.map { $0 } } }
  var files: [Data] { state.withLock { $0.files.map { $0 } } }
  var errors: [URLError] { state.withLock { $0.errors.map { $0 } } }
  var answer: Data { state.withLock { Data($0.answer) } }

  func note(_ line: String) { state.withLock { $0.lines.append(line) } }
  func setCompletion(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.completion = handler } }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    let data = (try? Data(contentsOf: location)) ?? Data()
    state.withLock { state in
      state.lines.append("file of \(downloadTask.taskIdentifier)")
      state.files.append(data)
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    state.withLock { state in
      if state.lines.last != "written" { state.lines.append("written") }
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) { note("resumed at \(fileOffset)") }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    state.withLock { $0.answer.append(data) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let failures = challenge.previousFailureCount
    note(failures == 0 ? "challenge" : "challenge after \(failures)")
    guard failures < 3 else { return completionHandler(.performDefaultHandling, nil) }
    completionHandler(.useCredential, URLCredential(user: "ann", password: "right", persistence: .forSession))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let error = error as? URLError
    state.withLock { state in
      if let error { state.errors.append(error) }
      state.lines.append("end of \(task.taskIdentifier)" + (error.map { " \($0.code.rawValue)" } ?? ""))
    }
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    let handler = state.withLock { state in
      defer { state.completion = nil }
      state.lines.append("finished events")
      return state.completion
    }
    handler?()
  }
}

@MainActor
@Suite("Background sessions in virtual time", .timeLimit(.minutes(10)))
struct BackgroundSessionTests {
  /// A device on whose network a file is that takes 50 s.
  private func withDevice(
    settings: LifecycleSettings = LifecycleSettings(),
    _ operation: @MainActor (TestDevice, Downloader) async throws -> Void
  ) async throws {
    try await withTestDevice(settings: settings, recordsSound: false) { device in
      device.network.serve(.data(file, etag: "\"1\""), at: address)
      device.network.link = .init(bytesPerSecond: 10_000)
      let app = Downloader()
      await device.launch(app)
      try await operation(device, app)
    }
  }

  @Test("B4, B7: while the application runs its delegate is told at once, and each once")
  func front() async throws {
    try await withDevice { device, app in
      app.download()
      await device.advance(by: .seconds(60))
      #expect(app.log.lines.dropFirst(2) == ["written", "file of 1", "end of 1"])
      #expect(app.log.files == [Data(file)])
      #expect(await app.session?.allTasks.isEmpty == true)
    }
  }

  @Test("B4: suspended meanwhile, it is resumed when all is done, and hears in order")
  func suspended() async throws {
    try await withDevice { device, app in
      app.download()
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      #expect(device.state == .suspended)
      let before = app.log.lines
      await device.advance(by: .seconds(40))
      #expect(device.state == .suspended && app.log.lines == before && device.network.requests.count == 1)
      await device.advance(by: .seconds(20))
      #expect(
        app.log.lines.dropFirst(before.count)
          == ["events of files", "written", "file of 1", "end of 1", "finished events"])
      #expect(app.log.files == [Data(file)] && device.state == .suspended && device.termination == nil)
      #expect(
        device.record.contains("events of session files")
          && device.record.contains("events of session files handled"))
    }
  }

  @Test("N26: the system ends the application: it is launched into the background once, and hears in order")
  func terminated() async throws {
    try await withDevice { device, app in
      app.download()
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      await device.advance(by: .seconds(9))
      await device.terminate()
      let before = app.log.lines.count
      await device.advance(by: .seconds(100))
      #expect(
        app.log.lines.dropFirst(before)
          == ["launched inactive", "events of files", "written", "file of 1", "end of 1", "finished events"])
      #expect(app.log.files == [Data(file)] && device.state == .suspended)
      #expect(device.record.moments(of: "call application(didFinishLaunchingWithOptions:)").count == 2)
      #expect(device.network.requests.count == 1)
    }
  }

  @Test("an application that does not make the session until it is told hears then")
  func late() async throws {
    try await withDevice { device, app in
      app.download()
      await device.pressHomeButton()
      await device.terminate()
      app.isSilent = true
      app.onEvents = { $0.open() }
      let before = app.log.lines.count
      await device.advance(by: .seconds(100))
      #expect(
        app.log.lines.dropFirst(before)
          == ["launched inactive", "events of files", "written", "file of 1", "end of 1", "finished events"])
    }
  }

  /// An application whose delegate has no `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
  private final class Forgetful: UIResponder, UIApplicationDelegate {}

  @Test("an application's delegate without the method for the events: the record says so")
  func ignored() async throws {
    try await withTestDevice(recordsSound: false) { device in
      device.network.serve(.data(file), at: address)
      device.network.link = .init(bytesPerSecond: 10_000)
      await device.launch(Forgetful())
      let log = DownloadLog()
      let session = URLSession(
        configuration: .background(withIdentifier: "files"), delegate: log, delegateQueue: .main)
      session.downloadTask(with: try #require(URL(string: address))).resume()
      await device.pressHomeButton()
      await device.advance(by: .seconds(100))
      #expect(!device.record.contains("events of session files handled"))
      #expect(
        device.record.contains(
          "events of session files not handled: the application's delegate lacks "
            + "application(_:handleEventsForBackgroundURLSession:completionHandler:)"))
      await device.foreground()
      await device.advance(by: .seconds(1))
      #expect(log.lines.contains("end of 1") && log.files == [Data(file)], "\(log.lines)")
    }
  }

  @Test(
    "B4: who does not call the completion handler is terminated: 0x2182bad3, and not launched again for it")
  func deaf() async throws {
    try await withDevice { device, app in
      app.download()
      await device.pressHomeButton()
      app.isSilent = true
      await device.terminate()
      app.onEvents = { _ in }
      await device.advance(by: .seconds(79))
      #expect(device.state == .background)
      await device.advance(by: .seconds(400))
      #expect(device.state == .notRunning && device.termination?.code == .backgroundSession)
      #expect(device.record.moments(of: "events of session files").count == 1)
      // Nothing is lost.
      app.isSilent = false
      await device.launch()
      await device.advance(by: .seconds(1))
      #expect(app.log.files == [Data(file)])
    }
  }

  @Test(
    "B2: the person ends it: all is cancelled, nobody is woken, and the next launch hears -999 with the reason 0"
  )
  func quit() async throws {
    try await withDevice { device, app in
      app.download()
      await device.advance(by: .seconds(5))
      await device.quit()
      #expect(device.network.connectionCount == 0)
      await device.advance(by: .seconds(1000))
      #expect(device.state == .notRunning)
      await device.launch()
      await device.advance(by: .seconds(1))
      #expect(app.log.lines.last == "end of 1 -999")
      let reason = app.log.errors.first?.userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int
      #expect(app.log.errors.first?.backgroundTaskCancelledReason == .userForceQuitApplication)
      #expect(reason == 0)
    }
  }

  @Test(
    "B2: the transfers of an earlier process are cancelled, too, if this one has made no background session")
  func quitWithoutSession() async throws {
    let kept = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try await withDevice { device, app in
      app.download()
      await device.advance(by: .seconds(5))
      let folder = try #require(app.session).core.networking.transfersFolder
      try FileManager.default.copyItem(atPath: try #require(folder), toPath: kept)
    }
    try await withTestDevice(recordsSound: false) { device in
      device.network.serve(.data(file, etag: "\"1\""), at: address)
      let app = Downloader()
      app.isSilent = true
      await device.launch(app)
      let folder = URLSession.shared.core.networking.transfersFolder
      try FileManager.default.moveItem(atPath: kept, toPath: try #require(folder))
      await device.quit()
      await device.advance(by: .seconds(1000))
      app.isSilent = false
      await device.launch()
      await device.advance(by: .seconds(1))
      #expect(app.log.lines.last == "end of 1 -999")
      #expect(app.log.errors.first?.backgroundTaskCancelledReason == .userForceQuitApplication)
      #expect(device.network.connectionCount == 0)
    }
  }

  @Test("B3: it waits for the network, goes on where it was, and is done")
  func tunnel() async throws {
    try await withDevice { device, app in
      device.network.host("files.test").closes(after: [200_000])
      app.download()
      await device.advance(by: .seconds(10))
      await device.pressHomeButton()
      device.network.goOffline(for: .seconds(3600))
      await device.advance(by: .seconds(5000))
      #expect(app.log.files == [Data(file)] && app.log.lines.last == "finished events")
      let ranges = device.network.requests.compactMap(\.range)
      #expect(ranges.first == "bytes=0-" && ranges.count > 1 && ranges.last != "bytes=0-")
    }
  }

  @Test("B4: several tasks: only the last one wakes, and each ends once")
  func several() async throws {
    try await withDevice { device, app in
      for number in 1...3 {
        device.network.serve(.data(file.prefix(number * 100_000)), at: "https://files.test/\(number)")
        app.download("https://files.test/\(number)")
      }
      await device.pressHomeButton()
      await device.advance(by: .seconds(300))
      #expect(device.record.moments(of: "events of session files").count == 1)
      let ends = app.log.lines.filter { $0.hasPrefix("end") }
      #expect(ends == ["end of 1", "end of 2", "end of 3"] && app.log.lines.last == "finished events")
      #expect(app.log.files.map(\.count) == [100_000, 200_000, 300_000])
    }
  }

  @Test("B5: ten downloads one after the other hit the limiter: 0, 60, 120, 240 … s")
  func limiter() async throws {
    try await withDevice { device, app in
      device.network.link = .init(bytesPerSecond: 1_000_000)
      await device.connectPower()
      var made: [Duration] = []
      app.onEvents = { app in
        // The next one is made as soon as the application hears of the one before.
        guard made.count < 10 else { return }
        made.append(device.now)
        app.download()
      }
      await device.pressHomeButton()
      // The first in the background, where a background task keeps the application running.
      await device.foreground()
      let task = device.application.beginBackgroundTask()
      await device.pressHomeButton()
      made.append(device.now)
      app.download()
      device.application.endBackgroundTask(task)
      await device.advance(by: .seconds(40_000))
      let starts = device.network.requests.map(\.moment)
      let waits = zip(starts, made).map { Int(($0 - $1) / .seconds(1)) }
      #expect(waits == [0, 60, 120, 240, 480, 960, 1920, 3840, 7680, 15_360])
      #expect(app.log.files.count == 10 && app.log.lines.filter { $0 == "finished events" }.count == 10)
    }
  }

  @Test("B6: made in the background, it begins after 600 s; with power at once")
  func discretion() async throws {
    for hasPower in [false, true] {
      try await withDevice { device, app in
        if hasPower { await device.connectPower() }
        let task = device.application.beginBackgroundTask()
        await device.pressHomeButton()
        let made = device.now
        app.download()
        device.application.endBackgroundTask(task)
        await device.advance(by: .seconds(700))
        #expect(device.network.requests.map { $0.moment - made } == [hasPower ? .zero : .seconds(600)])
      }
    }
  }

  @Test("B6: earliestBeginDate and isDiscretionary")
  func dates() async throws {
    try await withDevice { device, app in
      let url = try #require(URL(string: address))
      let task = try #require(app.session?.downloadTask(with: url))
      // The device's clock began with 2001.
      task.earliestBeginDate = Date(timeIntervalSinceReferenceDate: 100)
      task.resume()
      app.change = { $0.isDiscretionary = true }
      await device.advance(by: .seconds(200))
      #expect(device.network.requests.map(\.moment) == [.seconds(100)])
      await device.terminate()
      await device.launch()
      app.download()
      let made = device.now
      await device.advance(by: .seconds(700))
      #expect(device.network.requests.last?.moment == made + .seconds(600))
    }
  }

  @Test("an upload goes on in the background, is tried again, and its answer is told")
  func upload() async throws {
    try await withDevice { device, app in
      device.network.serve(.data(Array("thanks".utf8)), at: "https://files.test/up")
      let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try Data(file).write(to: place)
      defer { try? FileManager.default.removeItem(at: place) }
      var request = URLRequest(url: try #require(URL(string: "https://files.test/up")))
      request.httpMethod = "POST"
      device.network.goOffline(for: .seconds(5))
      app.session?.uploadTask(with: request, fromFile: place).resume()
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      await device.advance(by: .seconds(100))
      #expect(app.log.lines.suffix(3) == ["events of files", "end of 1", "finished events"])
      #expect(app.log.answer == Data("thanks".utf8) && device.network.requests.last?.body == file)
    }
  }

  @Test("a server that wants credentials wakes the application, which has them")
  func credentials() async throws {
    try await withDevice { device, app in
      device.network.host("files.test").wants(user: "ann", password: "right")
      device.network.link.latency = .seconds(2)
      app.download()
      await device.pressHomeButton()
      await device.advance(by: .seconds(100))
      #expect(app.log.lines.dropFirst(2).prefix(3) == ["events of files", "challenge", "finished events"])
      #expect(app.log.files == [Data(file)])
    }
  }

  @Test("a challenge says how often the server has refused credentials; without others its answer is the end")
  func refusedCredentials() async throws {
    try await withDevice { device, app in
      device.network.host("files.test").wants(user: "ann", password: "other")
      app.download()
      await device.advance(by: .seconds(10))
      #expect(
        app.log.lines.suffix(6) == [
          "challenge", "challenge after 1", "challenge after 2", "challenge after 3", "file of 1", "end of 1",
        ])
    }
  }

  @Test("B8: a second session of the same name is the same; the tasks of before are there after a launch")
  func sameName() async throws {
    try await withDevice { device, app in
      app.download()
      app.session?.getAllTasks { tasks in tasks.first?.taskDescription = "a song" }
      await device.advance(by: .seconds(1))
      let first = app.session
      let second = app.open()
      #expect(second !== first && second.delegate === first?.delegate)
      #expect(await second.allTasks.map(\.taskIdentifier) == [1])
      await device.terminate()
      await device.launch()
      let tasks = await app.session?.allTasks ?? []
      #expect(tasks.map(\.taskIdentifier) == [1] && tasks.first?.taskDescription == "a song")
      #expect(tasks.first is URLSessionDownloadTask && tasks.first?.state == .running)
      app.download()
      let ids = await app.session?.allTasks.map(\.taskIdentifier)
      #expect(ids == [1, 2])
    }
  }

  @Test("B9: a cancelled download goes on with its resume data, also in a default session")
  func resumeData() async throws {
    for isDefault in [false, true] {
      try await withDevice { device, app in
        app.download()
        await device.advance(by: .seconds(30))
        let present = await app.session?.allTasks.first
        let task = try #require(present as? URLSessionDownloadTask)
        let kept = Mutex<Data?>(nil)
        task.cancel { data in kept.withLock { $0 = data } }
        await device.advance(by: .zero)
        let data = try #require(kept.withLock { $0 })
        #expect(app.log.lines.last == "end of 1 -999" && app.log.errors.first?.downloadTaskResumeData == data)
        let session =
          isDefault
          ? URLSession(configuration: .default, delegate: app.log, delegateQueue: .main) : app.session
        session?.downloadTask(withResumeData: data).resume()
        await device.advance(by: .seconds(60))
        #expect(app.log.lines.contains { $0.hasPrefix("resumed at 2") } && app.log.files == [Data(file)])
      }
    }
  }

  @Test(
    "a resumed download that is cancelled before it starts has resume data, for the same bytes",
    arguments: [false, true])
  func resumeDataOfWaitingTask(isResumed: Bool) async throws {
    try await withDevice { device, app in
      app.download()
      await device.advance(by: .seconds(30))
      let present = await app.session?.allTasks.first
      var task = try #require(present as? URLSessionDownloadTask)
      for number in 1...2 {
        let kept = Mutex<Data?>(nil)
        task.cancel { data in kept.withLock { $0 = data } }
        await device.advance(by: .zero)
        #expect(app.log.lines.last == "end of \(number) -999")
        let data = try #require(kept.withLock { $0 })
        task = try #require(app.session?.downloadTask(withResumeData: data))
        if number == 1 { task.earliestBeginDate = .distantFuture }
        if number == 2 || isResumed { task.resume() }
        await device.advance(by: .seconds(1))
      }
      await device.advance(by: .seconds(60))
      #expect(app.log.lines.contains { $0.hasPrefix("resumed at 2") } && app.log.files == [Data(file)])
      #expect(device.network.requests.count == 2)
      let folder = try #require(app.session).core.networking.transfersFolder
      #expect(try FileManager.default.contentsOfDirectory(atPath: try #require(folder)) == ["lock"])
    }
  }

  @Test("a task without a URL fails as it does in a default session")
  func noURL() async throws {
    try await withDevice { device, app in
      var request = URLRequest(url: try #require(URL(string: address)))
      request.url = nil
      let body = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try Data(count: 3).write(to: body)
      defer { try? FileManager.default.removeItem(at: body) }
      let session = URLSession(configuration: .default, delegate: app.log, delegateQueue: .main)
      for session in [session, try #require(app.session)] {
        session.downloadTask(with: request).resume()
        session.uploadTask(with: request, fromFile: body).resume()
        await device.advance(by: .seconds(1))
      }
      #expect(app.log.errors.map(\.code) == [URLError.Code](repeating: .badURL, count: 4))
    }
  }

  @Test("a download with a body, or another method than GET, fails instead of being sent without them")
  func notGET() async throws {
    try await withDevice { device, app in
      let session = try #require(app.session)
      let plain = URLRequest(url: try #require(URL(string: address)))
      var (body, stream, method) = (plain, plain, plain)
      body.httpBody = Data(count: 3)
      stream.httpBodyStream = InputStream(data: Data(count: 3))
      method.httpMethod = "POST"
      for request in [body, stream, method] { session.downloadTask(with: request).resume() }
      await device.advance(by: .seconds(1))
      #expect(
        app.log.errors.map(\.code) == [
          .requestBodyStreamExhausted, .requestBodyStreamExhausted, .requestBodyStreamExhausted,
        ])
      #expect(device.network.requests.isEmpty)
    }
  }

  @Test("cancelling a task, and the whole session")
  func cancel() async throws {
    try await withDevice { device, app in
      app.download()
      app.download()
      await device.advance(by: .seconds(5))
      await app.session?.allTasks.first?.cancel()
      await device.advance(by: .seconds(1))
      #expect(app.log.lines.contains("end of 1 -999") && device.network.connectionCount == 1)
      app.session?.invalidateAndCancel()
      await device.advance(by: .seconds(10))
      #expect(app.log.lines.last == "end of 2 -999" && device.network.connectionCount == 0)
      #expect(app.session?.delegate == nil)
    }
  }
}
