import Foundation
import Testing

/// The code on the documentation's pages is the code of the examples, which are compiled and run here.
@Suite("The documentation's pages")
struct DocumentationTests {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    let root = Self.tests.deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test(
    "show the examples as they are",
    arguments: [
      ("Sources/ContinuoTesting/ContinuoTesting.docc/ContinuoTesting.md", "Uploader"),
      ("Sources/ContinuoTesting/ContinuoTesting.docc/ContinuoTesting.md", "UploaderTests"),
      ("Sources/ContinuoTesting/ContinuoTesting.docc/ContinuoTesting.md", "MusicApp"),
      ("Sources/ContinuoTesting/ContinuoTesting.docc/ContinuoTesting.md", "MusicAppTests"),
      ("README.md", "HomeButton"),
    ])
  func examples(page: String, name: String) throws {
    let code = try text("Tests/ContinuoTestingTests/Examples/\(name).swift")
    #expect(try text(page).contains("```swift\n\(code)```"), "\(name).swift")
  }
}
