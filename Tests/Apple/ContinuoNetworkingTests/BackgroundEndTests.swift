import ContinuoTesting
import NetworkTestSupport
import Synchronization
import Testing
import Transfer

@testable import ContinuoNetworking
@testable import TransferService

/// A delegate that keeps the newest challenge, for the test to answer it as often as it likes.
private final class SlowDelegate: NSObject, URLSessionDownloadDelegate {
  typealias Answer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  private let state = Mutex<(lines: [String], answer: Answer?)>(([], nil))

  var lines: [String] { state.withLock { $0.lines.map { $0 } } }

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
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { note("invalid") }
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
      #expect(TaskRecord.read(in: try #require(session.core.transfers).folder).isEmpty)
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
      let (manager, folder) = (FileManager.default, try #require(task.session.core.transfers).folder)
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
