import ContinuoTesting
import Synchronization
import TestSupport
import Testing

@testable import ContinuoNetworking

@MainActor
@Suite("URLs that need no network", .timeLimit(.minutes(10)))
struct LocalContentTests {
  private func load(_ url: URL) async throws -> (Data, URLResponse) {
    try await withTestDevice(recordsSound: false) { device in
      await device.launchApplication()
      let result = Mutex<Result<(Data, URLResponse), any Error>?>(nil)
      URLSession.shared.dataTask(with: url) { data, response, error in
        let loaded = data.flatMap { data in response.map { (data, $0) } }
        result.withLock { $0 = loaded.map { .success($0) } ?? error.map { .failure($0) } }
      }.resume()
      await device.advance(by: .seconds(1))
      #expect(device.network.requests.isEmpty)
      return try #require(result.withLock { $0 }).get()
    }
  }

  nonisolated private static let texts = [
    ("data:,a%20b", "a b", "text/plain", "us-ascii"),
    ("data:text/html;charset=UTF-8,%3Cp%3E", "<p>", "text/html", "utf-8"),
    ("data:text/css;base64,YWJj", "abc", "text/css", nil),
    ("data:;charset=utf-8,x", "x", "text/plain", "utf-8"),
    ("data:,", "", "text/plain", "us-ascii"),
  ]

  @Test("a data URL", arguments: texts)
  func data(_ url: String, content: String, type: String, encoding: String?) async throws {
    let (data, response) = try await load(try #require(URL(string: url)))
    #expect(data == Data(content.utf8) && response.mimeType == type)
    #expect(response.textEncodingName == encoding && response.expectedContentLength == content.utf8.count)
  }

  @Test("a data URL that is none", arguments: ["data:", "data:text/plain", "data:;base64,a"])
  func malformed(_ url: String) async throws {
    let url = try #require(URL(string: url))
    await #expect { _ = try await load(url) } throws: { ($0 as? URLError)?.code == .badURL }
  }

  @Test("a file; and one that is missing, or a folder")
  func file() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a b.txt", Array("hello".utf8))
    let (data, response) = try await load(URL(fileURLWithPath: path))
    #expect(data == Data("hello".utf8) && response.expectedContentLength == 5)
    #expect(response.suggestedFilename == "a b.txt" && !(response is HTTPURLResponse))
    await #expect { _ = try await load(URL(fileURLWithPath: path + "x")) } throws: {
      ($0 as? URLError)?.code == .fileDoesNotExist
    }
    await #expect { _ = try await load(URL(fileURLWithPath: folder.path)) } throws: {
      ($0 as? URLError)?.code == .fileIsDirectory
    }
  }

  @Test("a delegate hears as of a server; a download is a copy")
  func delegate() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a", [1, 2, 3])
    await withTestDevice(recordsSound: false) { device in
      await device.launchApplication()
      let log = TransferLog()
      let session = URLSession(configuration: .default, delegate: log, delegateQueue: .main)
      session.dataTask(with: URL(fileURLWithPath: path)).resume()
      await device.advance(by: .seconds(1))
      #expect(log.lines == ["response 0", "data", "complete"] && log.data == Data([1, 2, 3]))
      session.downloadTask(with: URL(fileURLWithPath: path)).resume()
      await device.advance(by: .seconds(1))
      #expect(log.lines.suffix(3) == ["written", "file", "complete"] && log.file == Data([1, 2, 3]))
      #expect(FileManager.default.fileExists(atPath: path))
    }
  }

  @Test("a suspension takes no connection from it", arguments: [true, false])
  func suspension(isDownload: Bool) async throws {
    let folder = try TemporaryFolder()
    let url = URL(fileURLWithPath: try folder.write("a", [1, 2, 3]))
    await withTestDevice(recordsSound: false) { device in
      await device.launchApplication()
      let log = TransferLog()
      let session = URLSession(configuration: .default, delegate: log, delegateQueue: .main)
      let task = isDownload ? session.downloadTask(with: url) : session.dataTask(with: url)
      task.resume()
      // Before the worker for files has read anything.
      session.core.suspend()
      session.core.resume()
      await device.advance(by: .seconds(1))
      #expect(log.lines.last == "complete" && (log.file ?? log.data) == Data([1, 2, 3]))
    }
  }
}
