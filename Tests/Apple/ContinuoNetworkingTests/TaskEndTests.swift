import ContinuoTesting
import Downloading
import Glibc
import Synchronization
import Testing

@testable import ContinuoNetworking
@testable import TransferService

private let address = "https://files.test/a.bin"

@MainActor
@Suite("What is left of tasks and sessions that have ended", .timeLimit(.minutes(10)))
struct TaskEndTests {
  private func withDevice(_ operation: @MainActor (TestDevice) async throws -> Void) async rethrows {
    try await SessionTests().withDevice(serving: [UInt8](repeating: 7, count: 200_000), operation)
  }

  /// Starts a download in a default session. Returns it, its load and its file, after 3 s of 10.
  private func startDownload(
    on device: TestDevice, delegate: TransferLog
  ) async throws -> (task: URLSessionDownloadTask, load: TaskLoad, path: String) {
    let session = URLSession(configuration: .default, delegate: delegate, delegateQueue: .main)
    let task = session.downloadTask(with: try #require(URL(string: address)))
    task.resume()
    await device.advance(by: .seconds(3))
    let load = try #require(task.own.withLock { $0.work } as? TaskLoad)
    return (task, load, try #require(load.state.withLock { $0.file?.path }))
  }

  @Test(
    "a download that is cancelled has resume data, and a file for it, if somebody wants to go on",
    arguments: [true, false])
  func cancel(isWanted: Bool) async throws {
    try await withDevice { device in
      let log = TransferLog()
      let (task, _, path) = try await startDownload(on: device, delegate: log)
      if isWanted { task.cancel { _ in } } else { task.cancel() }
      await device.advance(by: .seconds(1))
      #expect(log.lines.last == "complete -999")
      #expect((log.error?.downloadTaskResumeData != nil) == isWanted)
      #expect((access(path, F_OK) == 0) == isWanted)
      unlink(path)
    }
  }

  @Test(
    "a cancelled download leaves no file without resume data, also if the application ends before it hears of it",
    arguments: [true, false])
  func cancelAtTheEnd(isWanted: Bool) async throws {
    try await withDevice { device in
      let (task, _, path) = try await startDownload(on: device, delegate: TransferLog())
      if isWanted { task.cancel { _ in } } else { task.cancel() }
      task.session.core.networking.close()
      #expect((access(path, F_OK) == 0) == isWanted)
      unlink(path)
    }
  }

  @Test("a complete download leaves no file if the application ends before it hears of the end")
  func completeAtTheEnd() async throws {
    try await withDevice { device in
      let (task, load, path) = try await startDownload(on: device, delegate: TransferLog())
      load.finish(nil)
      task.session.core.networking.close()
      #expect(access(path, F_OK) != 0)
    }
  }

  @Test("resume data that an application has kept are of use after its end, also if they were in use")
  func resumeDataAtTheEnd() async throws {
    try await withDevice { device in
      let log = TransferLog()
      var session = URLSession(configuration: .default, delegate: log, delegateQueue: .main)
      let task = session.downloadTask(with: try #require(URL(string: address)))
      task.resume()
      await device.advance(by: .seconds(3))
      let kept = Mutex<Data?>(nil)
      task.cancel { data in kept.withLock { $0 = data } }
      await device.advance(by: .zero)
      let data = try #require(kept.withLock { $0 })
      for _ in 1...2 {
        session.downloadTask(withResumeData: data).resume()
        await device.advance(by: .seconds(4))
        await device.terminate()
        await device.launchApplication()
        session = URLSession(configuration: .default, delegate: log, delegateQueue: .main)
      }
      session.downloadTask(withResumeData: data).resume()
      await device.advance(by: .seconds(60))
      #expect(log.lines.last == "complete" && log.file == Data([UInt8](repeating: 7, count: 200_000)))
      #expect(log.lines.filter { $0.hasPrefix("resumed at") }.count == 3, "\(log.lines)")
    }
  }

  @Test("tasks that are cancelled while they start leave their connections to others")
  func cancelledWhileStarting() async throws {
    try await withDevice { device in
      let session = URLSession(configuration: .default, delegate: TransferLog(), delegateQueue: .main)
      let url = try #require(URL(string: address))
      for _ in 0..<session.configuration.httpMaximumConnectionsPerHost {
        // The order of two threads: one in `resume()`, which has not asked for a connection; the other cancels.
        let load = TaskLoad(session.dataTask(with: url))
        load.cancel(producing: nil)
        load.resume()
      }
      let task = session.dataTask(with: url)
      task.resume()
      await device.advance(by: .seconds(60))
      #expect(task.error == nil && task.countOfBytesReceived == 200_000)
      #expect(device.network.requests.count == 1)
    }
  }

  @Test("the session that all share cannot be invalidated")
  func shared() async throws {
    try await withDevice { device in
      let url = try #require(URL(string: address))
      let task = URLSession.shared.dataTask(with: url)
      task.resume()
      URLSession.shared.invalidateAndCancel()
      URLSession.shared.finishTasksAndInvalidate()
      URLSession.shared.dataTask(with: url).resume()
      await device.advance(by: .seconds(60))
      #expect(task.error == nil && task.countOfBytesReceived == 200_000)
      #expect(device.network.requests.count == 2)
    }
  }

  @Test(
    "the progress of a task that has ended well is finished, also where no length was told",
    arguments: [0, 200_000])
  func progress(count: Int) async throws {
    try await withDevice { device in
      device.network.serve(.data([UInt8](repeating: 7, count: count)), at: address)
      if count > 0 { device.network.host("files.test").tellsNoLength() }
      let session = URLSession(configuration: .default, delegate: TransferLog(), delegateQueue: .main)
      let url = try #require(URL(string: address))
      let tasks = [session.dataTask(with: url), session.downloadTask(with: url)]
      for task in tasks { task.resume() }
      await device.advance(by: .seconds(60))
      for task in tasks {
        #expect(task.state == .completed && task.progress.isFinished && task.progress.fractionCompleted == 1)
      }
    }
  }

  @Test("the progress of an upload goes on with what is sent, and is finished with the answer")
  func uploadProgress() async throws {
    try await withDevice { device in
      let session = URLSession(configuration: .default, delegate: TransferLog(), delegateQueue: .main)
      let task = session.uploadTask(
        with: URLRequest(url: try #require(URL(string: address))), from: Data(count: 100_000))
      device.network.host("files.test").answers(after: .seconds(20))
      task.resume()
      await device.advance(by: .seconds(2))
      #expect((0.1...0.9).contains(task.progress.fractionCompleted))
      await device.advance(by: .seconds(10))
      #expect(task.countOfBytesSent == 100_000 && !task.progress.isFinished)
      await device.advance(by: .seconds(60))
      #expect(task.state == .completed && task.progress.isFinished)
    }
  }

  @Test("an upload whose answer is announced to be longer than can be counted has no length")
  func immenseAnswer() throws {
    let session = URLSession(configuration: .default, delegate: TransferLog(), delegateQueue: .main)
    let task = session.uploadTask(
      with: URLRequest(url: try #require(URL(string: address))), from: Data(count: 10))
    task.own.withLock { own in
      (own.sent, own.expectedToSend) = (10, 10)
      own.expectedToReceive = .max
    }
    task.showProgress()
    #expect(task.progress.isIndeterminate && task.progress.completedUnitCount == 10)
    session.invalidateAndCancel()
  }
}
