import ContinuoTesting
import Synchronization
import Testing

@testable import ContinuoNetworking
@testable import TransferService

private let old = "https://files.test/old.bin"
private let new = "https://files.test/new.bin"

/// Lines about the application and its delegates, in order.
private final class Log: Sendable {
  typealias Answer = @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void

  private struct State {
    var lines: [String] = []
    var file: Data?
    var answer: Answer?
    var completion: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  var lines: [String] { state.withLock { $0.lines.map { $0 } } }
  var file: Data? { state.withLock { $0.file.map { Data($0) } } }

  func note(_ line: String) { state.withLock { $0.lines.append(line) } }
  func set(_ file: Data?) { state.withLock { $0.file = file } }
  func set(completion: @escaping @Sendable () -> Void) { state.withLock { $0.completion = completion } }

  func ask(_ task: URLSessionTask, _ request: URLRequest, _ answer: @escaping Answer) {
    state.withLock { state in
      state.lines.append("\(task.taskIdentifier) is due: \(request.url?.lastPathComponent ?? "")")
      state.answer = answer
    }
  }

  /// Answers the last question.
  func answer(_ disposition: URLSession.DelayedRequestDisposition, _ url: String? = nil) {
    let answer = state.withLock { $0.answer }
    answer?(disposition, url.flatMap { URL(string: $0) }.map { URLRequest(url: $0) })
  }

  func finish() {
    note("finished events")
    state.withLock { $0.completion.take() }?()
  }
}

/// The calls of delegates other than the question.
private class Receiver: NSObject, @unchecked Sendable {
  let log: Log
  init(_ log: Log) { self.log = log }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) { log.set(try? Data(contentsOf: location)) }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    log.note("end of \(task.taskIdentifier)" + ((error as? URLError).map { " \($0.code.rawValue)" } ?? ""))
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { log.finish() }
}

private final class Asked: Receiver, URLSessionDownloadDelegate, @unchecked Sendable {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) { log.ask(task, request, completionHandler) }
}

private final class AskedAsync: Receiver, URLSessionDownloadDelegate, @unchecked Sendable {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
    await withCheckedContinuation { continuation in
      log.ask(task, request) { continuation.resume(returning: ($0, $1)) }
    }
  }
}

/// Has no method for delayed requests. For one test only, because a process remembers this of a type.
private final class NeverAsked: Receiver, URLSessionDownloadDelegate, @unchecked Sendable {}

private final class NeverAskedWithoutEvents: Receiver, URLSessionDownloadDelegate, @unchecked Sendable {}

private final class SessionOnly: NSObject, URLSessionDelegate {}

@MainActor
private final class DelayingApp: UIResponder, UIApplicationDelegate {
  let log = Log()
  var makeDelegate: @MainActor (Log) -> any URLSessionDelegate = { Asked($0) }
  var change: @MainActor (URLSessionConfiguration) -> Void = { _ in }
  private(set) var session: URLSession?

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    let configuration = URLSessionConfiguration.background(withIdentifier: "delayed")
    change(configuration)
    session = URLSession(configuration: configuration, delegate: makeDelegate(log), delegateQueue: .main)
    return true
  }

  func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) {
    log.note("events")
    log.set(completion: completionHandler)
  }

  /// Begins a download that starts at a second of the device's clock, which begins with 2001.
  @discardableResult
  func download(at second: Double) throws -> URLSessionTask {
    let task = try #require(session).downloadTask(with: try #require(URL(string: old)))
    task.earliestBeginDate = Date(timeIntervalSinceReferenceDate: second)
    task.resume()
    return task
  }
}

@MainActor
@Suite("Delayed requests", .timeLimit(.minutes(10)))
struct DelayedRequestTests {
  private typealias Machine = TransferServiceMachineTests

  private func withApp(
    _ makeDelegate: @escaping @MainActor (Log) -> any URLSessionDelegate = { Asked($0) },
    change: @escaping @MainActor (URLSessionConfiguration) -> Void = { _ in },
    _ operation: @MainActor (TestDevice, DelayingApp) async throws -> Void
  ) async throws {
    try await withTestDevice(recordsSound: false) { device in
      device.network.serve(.data([UInt8](repeating: 1, count: 1000), etag: "\"1\""), at: old)
      device.network.serve(.data([UInt8](repeating: 2, count: 500), etag: "\"1\""), at: new)
      let app = DelayingApp()
      (app.makeDelegate, app.change) = (makeDelegate, change)
      await device.launch(app)
      try await operation(device, app)
    }
  }

  private func started(_ device: TestDevice) -> [String] {
    device.network.requests.map { "\($0.url) \(Int($0.moment / .seconds(1)))" }
  }

  @Test(
    "The delegate, in either form, is asked at the date, and the task starts as it answers",
    arguments: [false, true])
  func answers(isAsync: Bool) async throws {
    for disposition in [URLSession.DelayedRequestDisposition.continueLoading, .useNewRequest, .cancel] {
      try await withApp({ isAsync ? AskedAsync($0) as any URLSessionDelegate : Asked($0) }) { device, app in
        let task = try app.download(at: 100)
        await device.advance(by: .seconds(99))
        #expect(app.log.lines.isEmpty)
        await device.advance(by: .seconds(6))
        #expect(app.log.lines == ["1 is due: old.bin"] && device.network.requests.isEmpty)
        app.log.answer(disposition, new)
        // A second answer has no effect.
        if !isAsync { app.log.answer(.cancel) }
        await device.advance(by: .seconds(10))
        #expect(app.log.lines.last == "end of 1" + (disposition == .cancel ? " -999" : ""))
        switch disposition {
        case .continueLoading: #expect(started(device) == ["\(old) 105"] && app.log.file?.first == 1)
        case .useNewRequest:
          #expect(started(device) == ["\(new) 105"] && app.log.file == Data(repeating: 2, count: 500))
          #expect(task.originalRequest?.url?.absoluteString == old)
          #expect(task.currentRequest?.url?.absoluteString == new)
        case .cancel: #expect(device.network.requests.isEmpty)
        }
      }
    }
  }

  @Test(
    "A suspended or terminated application is woken at the date, whatever else waits, and when all is done",
    arguments: [false, true])
  func wakes(isTerminated: Bool) async throws {
    try await withApp { device, app in
      try app.download(at: 100)
      try app.download(at: 1000)
      await device.pressHomeButton()
      if isTerminated { await device.terminate() }
      await device.advance(by: .seconds(100))
      #expect(app.log.lines == ["events", "1 is due: old.bin", "finished events"])
      app.log.answer(.continueLoading)
      await device.advance(by: .seconds(100))
      #expect(app.log.lines.count == 3 && device.network.requests.count == 1 && device.state == .suspended)
      await device.advance(by: .seconds(800))
      #expect(app.log.lines.dropFirst(3) == ["events", "end of 1", "2 is due: old.bin", "finished events"])
      app.log.answer(.continueLoading)
      await device.advance(by: .seconds(100))
      #expect(app.log.lines.dropFirst(7) == ["events", "end of 2", "finished events"])
    }
  }

  @Test(
    "An application whose delegate lacks the method is woken once for it, and its tasks start at their dates")
  func missing() async throws {
    for (round, lines) in [["events", "finished events"], []].enumerated() {
      try await withApp({ NeverAsked($0) }) { device, app in
        for second in [100.0, 200, 300] { try app.download(at: second) }
        await device.pressHomeButton()
        await device.advance(by: .seconds(299))
        #expect(app.log.lines == lines, "device \(round)")
        await device.advance(by: .seconds(50))
        #expect(started(device) == ["\(old) 100", "\(old) 200", "\(old) 300"])
        #expect(
          app.log.lines.dropFirst(lines.count) == [
            "events", "end of 1", "end of 2", "end of 3", "finished events",
          ])
      }
    }
  }

  @Test("Nobody is woken without a delegate for tasks, or without launch events")
  func nobody() async throws {
    try await withApp({ _ in SessionOnly() }) { device, app in
      try app.download(at: 100)
      await device.pressHomeButton()
      await device.advance(by: .seconds(101))
      #expect(started(device) == ["\(old) 100"])
    }
    try await withApp(change: { $0.sessionSendsLaunchEvents = false }) { device, app in
      try app.download(at: 100)
      await device.pressHomeButton()
      await device.advance(by: .seconds(200))
      #expect(started(device) == ["\(old) 100"] && app.log.lines.isEmpty)
    }
  }

  @Test("The session's delegate is asked if the task's own lacks the method")
  func ownDelegate() async throws {
    try await withApp { device, app in
      let task = try app.download(at: 100)
      task.delegate = NeverAskedWithoutEvents(app.log)
      await device.advance(by: .seconds(101))
      #expect(app.log.lines == ["1 is due: old.bin"])
      app.log.answer(.continueLoading)
      await device.advance(by: .seconds(10))
      #expect(device.network.requests.count == 1)
    }
  }

  @Test("An application that ends before it answers is launched and asked again")
  func ended() async throws {
    try await withApp { device, app in
      try app.download(at: 100)
      await device.advance(by: .seconds(100))
      await device.terminate()
      await device.advance(by: .seconds(1))
      #expect(
        app.log.lines == ["1 is due: old.bin", "events", "1 is due: old.bin", "finished events"])
      #expect(
        await app.session?.allTasks.first?.earliestBeginDate == Date(timeIntervalSinceReferenceDate: 100))
      // Nothing happens if it ends once more.
      await device.terminate()
      await device.advance(by: .seconds(100))
      #expect(app.log.lines.count == 4 && device.network.requests.isEmpty)
      await device.launch()
      await device.advance(by: .seconds(1))
      #expect(app.log.lines.dropFirst(4) == ["1 is due: old.bin"])
    }
  }

  @Test(
    "While the answer is pending, a task can be paused and cancelled, runs into its timeout and ends with a quit"
  )
  func pending() async throws {
    try await withApp(change: { $0.timeoutIntervalForResource = 500 }) { device, app in
      let task = try app.download(at: 100)
      await device.advance(by: .seconds(101))
      task.suspend()
      app.log.answer(.continueLoading)
      await device.advance(by: .seconds(50))
      #expect(device.network.requests.isEmpty)
      task.resume()
      await device.advance(by: .seconds(50))
      #expect(device.network.requests.count == 1)
      try app.download(at: 300)
      await device.advance(by: .seconds(600))
      #expect(app.log.lines.suffix(2) == ["2 is due: old.bin", "end of 2 -1001"])
      let other = try app.download(at: 810)
      await device.advance(by: .seconds(50))
      other.cancel()
      try app.download(at: 900)
      await device.advance(by: .seconds(100))
      await device.quit()
      await device.launch()
      await device.advance(by: .seconds(1))
      #expect(
        app.log.lines.suffix(4) == [
          "3 is due: old.bin", "end of 3 -999", "4 is due: old.bin", "end of 4 -999",
        ])
    }
  }

  @Test("With a new URL, the bytes of resume data are dropped")
  func resumeData() async throws {
    try await withApp { device, app in
      device.network.serve(.data([UInt8](repeating: 1, count: 100_000), etag: "\"1\""), at: old)
      device.network.link = .init(bytesPerSecond: 10_000)
      let url = try #require(URL(string: old))
      let first = try #require(app.session).downloadTask(with: url)
      first.resume()
      await device.advance(by: .seconds(5))
      let kept = Mutex<Data?>(nil)
      first.cancel { data in kept.withLock { $0 = data } }
      await device.advance(by: .zero)
      let data = try #require(kept.withLock { $0 })
      let task = try #require(app.session).downloadTask(withResumeData: data)
      task.earliestBeginDate = Date(timeIntervalSinceReferenceDate: 100)
      task.resume()
      await device.advance(by: .seconds(100))
      app.log.answer(.useNewRequest, new)
      await device.advance(by: .seconds(100))
      #expect(app.log.file == Data(repeating: 2, count: 500))
    }
  }

  @Test("A question that is pending when the application is suspended wakes it once")
  func suspendedMeanwhile() throws {
    let key = TransferKey(session: "s", task: 1)
    var driver = Machine.Driver()
    driver.send(.connected("s", sendsLaunchEvents: true))
    driver.begin(key, .init(earliest: driver.now.advanced(bySeconds: 50)))
    driver.advance(50)
    #expect(driver.take() == [.ask(key)])
    driver.send(.application(.suspended))
    #expect(driver.take() == [.wake("s")])
    driver.send(.application(.background))
    driver.send(.told("s"))
    driver.send(.application(.suspended))
    #expect(driver.take() == [.finishEvents("s")])
    driver.send(.answered(key))
    #expect(driver.take() == [.start(key)])
  }
}
