import ContinuoNetworking
import ContinuoTesting
import Foundation
import Testing

/// Where Apple's classes throw an exception the program stops with the reason.
@MainActor @Suite("What background sessions do not take stops the program", .timeLimit(.minutes(10)))
struct MisuseTests {
  nonisolated private static func background(
    _ body: @MainActor @Sendable @escaping (URLSession, URL) async -> Void
  ) async {
    await withTestDevice { _ in
      let session = URLSession(configuration: .background(withIdentifier: "files"))
      guard let url = URL(string: "https://files.test/a.bin") else { return }
      await body(session, url)
    }
  }

  private func said(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test("B1: a completion handler")
  func handler() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await Self.background { session, url in _ = session.downloadTask(with: url) { _, _, _ in } }
    }
    #expect(said(result).contains("Completion handler blocks are not supported in background sessions."))
  }

  @Test("B1: an upload of bytes in memory")
  func upload() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await Self.background { session, url in
        _ = session.uploadTask(with: URLRequest(url: url), from: Data([1]))
      }
    }
    #expect(said(result).contains("Upload tasks from NSData are not supported in background sessions."))
  }

  @Test("what they do take leaves it running")
  func download() async {
    await #expect(processExitsWith: .success) {
      await Self.background { session, url in _ = session.downloadTask(with: url) }
    }
  }
}
