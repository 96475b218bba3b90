import Clocks
import CurlTransport
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import AppLifecycle
@testable import ContinuoNetworking

/// A server whose requests wait until it opens.
private final class WaitingServer: Sendable {
  private final class Doors: Sendable {
    let condition = NSCondition()
    let state = Mutex((asked: 0, isOpen: false))

    func pass(always: Bool) {
      condition.withLock {
        state.withLock { $0.asked += 1 }
        condition.broadcast()
        while !always, !state.withLock({ $0.isOpen }) { condition.wait() }
      }
    }
  }

  private let doors = Doors()
  private let server: HostileServer

  init() throws {
    server = try HostileServer { [doors] request in
      doors.pass(always: request.target == "/now")
      return HostileFile.plain("200 OK")
    }
  }

  /// What was requested so far.
  var targets: [String] { server.requests.map(\.target) }

  /// The number of requests so far.
  var asked: Int { doors.state.withLock { $0.asked } }

  func url(_ path: String, host: String = "127.0.0.1") throws -> URL {
    try #require(URL(string: server.url(path).replacingOccurrences(of: "127.0.0.1", with: host)))
  }

  /// Waits until there are that many requests; false after two minutes.
  func wait(for count: Int) -> Bool {
    let end = Date(timeIntervalSinceNow: 120)
    return doors.condition.withLock {
      while asked < count { guard doors.condition.wait(until: end) else { return false } }
      return true
    }
  }

  func open() {
    doors.condition.withLock {
      doors.state.withLock { $0.isOpen = true }
      doors.condition.broadcast()
    }
  }
}

@Suite("Connections to one host", .blocksThread, .timeLimit(.minutes(10)))
struct ConnectionLimitTests {
  private func device(_ folder: TemporaryFolder) -> Device {
    let device = Device(
      modes: BackgroundModes(), clock: SystemClock.shared, mainQueue: SerialQueue(), isOnMainQueue: { false },
      isActive: true)
    device.networking.transfersFolder = folder.path
    return device
  }

  @Test("each session has as many as it says, whatever other sessions have")
  func sessions() throws {
    let server = try WaitingServer()
    let ended = DispatchSemaphore(value: 0)
    let limits = [6, 10]
    let sessions = try limits.map { limit in
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpMaximumConnectionsPerHost = limit
      let session = URLSession(configuration: configuration)
      for _ in 0...limit {
        session.dataTask(with: try server.url("/")) { _, _, error in
          if error == nil { ended.signal() }
        }.resume()
      }
      return session
    }
    #expect(server.wait(for: 16))
    // One more would have come by now.
    Thread.sleep(forTimeInterval: 0.3)
    #expect(server.asked == 16)
    server.open()
    for _ in 0..<18 { #expect(ended.wait(timeout: .now() + 120) == .success) }
    for session in sessions { session.invalidateAndCancel() }
  }

  private func background(limit: Int, _ delegate: (any URLSessionDelegate)? = nil) -> URLSession {
    let configuration = URLSessionConfiguration.background(withIdentifier: "files")
    configuration.httpMaximumConnectionsPerHost = limit
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  @Test("tasks of a background session wait for each other, and one that waits can be cancelled")
  func background() throws {
    let server = try WaitingServer()
    let folder = try TemporaryFolder()
    let device = device(folder)
    let (ended, answered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    try Device.withCurrent(device) {
      let log = TransferLog(onEnd: { ended.signal() })
      let session = background(limit: 2, log)
      let tasks = try (0..<4).map { session.downloadTask(with: try server.url("/\($0)")) }
      for task in tasks { task.resume() }
      #expect(server.wait(for: 2))
      // One more would have come by now.
      Thread.sleep(forTimeInterval: 0.3)
      #expect(server.asked == 2)
      // Each task has its own thread, so that any two may be first.
      let targets = server.targets
      let waiting = try #require(tasks.indices.first { !targets.contains("/\($0)") })
      tasks[waiting].cancel { data in
        #expect(data == nil)
        answered.signal()
      }
      #expect(answered.wait(timeout: .now() + 120) == .success)
      server.open()
      for _ in tasks { #expect(ended.wait(timeout: .now() + 120) == .success) }
      #expect(
        log.lines.filter { $0.hasPrefix("complete") }.sorted() == [
          "complete", "complete", "complete", "complete -999",
        ])
      #expect(server.asked == 3 && !server.targets.contains("/\(waiting)"))
      session.invalidateAndCancel()
    }
    device.networking.close()
  }

  @Test("six downloads in the background leave a player its connection to their host")
  func player() throws {
    let server = try WaitingServer()
    let folder = try TemporaryFolder()
    let device = device(folder)
    try Device.withCurrent(device) {
      let session = background(limit: 6)
      for _ in 0..<6 { session.downloadTask(with: try server.url("/", host: "localhost")).resume() }
      #expect(server.wait(for: 6))
      // Players use this transport.
      let sink = Answer()
      let url = try WebURL.read(try server.url("/now", host: "localhost").absoluteString).url
      let transport = CurlHTTPTransport.shared(clock: SystemClock.shared)
      let transfer = transport.start(TransferRequest(url: url), sink: sink)
      #expect(sink.came.wait(timeout: .now() + 120) == .success && !sink.wasQueued.withLock { $0 })
      transport.cancel(transfer)
      session.invalidateAndCancel()
    }
    device.networking.close()
  }

  private final class Answer: TransferSink {
    let came = DispatchSemaphore(value: 0)
    let wasQueued = Mutex(false)

    func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand {
      if case .queued = event { wasQueued.withLock { $0 = true } }
      if case .head = event { came.signal() }
      return .more
    }
  }
}
