import ContinuoNetworking
import ContinuoTesting
import Foundation
import Testing

private let content: [UInt8] = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ $0 >> 7) }
private let address = "https://files.test/up"

/// Uploads of background sessions whose file or whose server changes between two attempts.
@MainActor
@Suite("Background uploads in virtual time", .timeLimit(.minutes(10)))
struct BackgroundUploadTests {
  /// A device with a file to upload, and a server that takes 50 s to receive it.
  private func withDevice(_ operation: @MainActor (TestDevice, Downloader, URL) async throws -> Void)
    async throws
  {
    try await withTestDevice(recordsSound: false) { device in
      device.network.serve(.status(201), at: address)
      device.network.link = .init(bytesPerSecond: 10_000)
      let app = Downloader()
      await device.launch(app)
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try Data(content).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      try await operation(device, app, file)
    }
  }

  private func upload(_ file: URL, _ app: Downloader) throws -> URLSessionUploadTask {
    var request = URLRequest(url: try #require(URL(string: address)))
    request.httpMethod = "POST"
    return try #require(app.session?.uploadTask(with: request, fromFile: file))
  }

  @Test("a file that is not there when the task is resumed fails the task, and nothing is sent")
  func missing() async throws {
    try await withDevice { device, app, file in
      let task = try upload(file, app)
      try FileManager.default.removeItem(at: file)
      task.resume()
      await device.advance(by: .seconds(100))
      #expect(app.log.errors.map(\.code) == [.fileDoesNotExist] && app.log.lines.last == "end of 1 -1100")
      #expect(device.network.requests.isEmpty)
    }
  }

  enum Change: CaseIterable { case vanishes, shrinks, grows }

  @Test("a file that vanishes or changes its size before a retry fails the task", arguments: Change.allCases)
  func changed(_ change: Change) async throws {
    try await withDevice { device, app, file in
      device.network.goOffline(for: .seconds(5))
      try upload(file, app).resume()
      await device.advance(by: .seconds(4))
      let before = device.network.requests.count
      #expect(before > 1 && app.log.errors.isEmpty)
      switch change {
      case .vanishes: try FileManager.default.removeItem(at: file)
      case .shrinks: try Data(content.prefix(1000)).write(to: file)
      case .grows: try Data(content + content).write(to: file)
      }
      await device.advance(by: .seconds(100))
      let code: URLError.Code = change == .vanishes ? .fileDoesNotExist : .requestBodyStreamExhausted
      #expect(app.log.errors.map(\.code) == [code] && device.network.requests.count == before)
    }
  }

  @Test("an answer of 1 MiB is told whole, a longer one fails the task", arguments: [1 << 20, 1 << 20 + 1])
  func longAnswer(length: Int) async throws {
    try await withDevice { device, app, file in
      let answer = [UInt8](repeating: 7, count: length)
      device.network.serve(.data(answer), at: address)
      device.network.link = .init(bytesPerSecond: 1_000_000)
      try upload(file, app).resume()
      await device.advance(by: .seconds(100))
      if length == 1 << 20 {
        #expect(app.log.lines.last == "end of 1" && app.log.answer == Data(answer))
      } else {
        #expect(app.log.errors.map(\.code) == [.badServerResponse])
      }
      #expect(device.network.requests.count == 1 && device.network.connectionCount == 0)
    }
  }

  @Test("an empty file is sent")
  func empty() async throws {
    try await withDevice { device, app, file in
      try Data().write(to: file)
      try upload(file, app).resume()
      await device.advance(by: .seconds(10))
      #expect(app.log.lines.last == "end of 1" && device.network.requests.count == 1)
    }
  }

  @Test("its size is known to the task soon after it is resumed, before anything is sent")
  func size() async throws {
    try await withDevice { device, app, file in
      let task = try upload(file, app)
      task.earliestBeginDate = Date(timeIntervalSinceReferenceDate: 100)
      task.resume()
      await device.advance(by: .seconds(1))
      #expect(task.countOfBytesExpectedToSend == 500_000 && device.network.requests.isEmpty)
    }
  }

  @Test("suspended and resumed while it waits for a retry, it is sent once", arguments: [false, true])
  func suspendedInRetry(isLong: Bool) async throws {
    try await withDevice { device, app, file in
      device.network.host("files.test").refuses()
      let task = try upload(file, app)
      task.resume()
      await device.advance(by: .milliseconds(500))
      #expect(device.network.requests.count == 1)
      device.network.host("files.test").recovers()
      task.suspend()
      if isLong {
        // The retry's moment passes meanwhile.
        await device.advance(by: .seconds(10))
        #expect(device.network.requests.count == 1)
      }
      task.resume()
      await device.advance(by: .seconds(100))
      #expect(device.network.requests.count == 2 && app.log.lines.last == "end of 1")
      #expect(app.log.errors.isEmpty && device.network.connectionCount == 0)
    }
  }
}
