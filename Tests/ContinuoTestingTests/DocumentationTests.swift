import Foundation
import Testing

/// The code on the documentation's page is the code of the examples, which are compiled and run here.
@Suite("The documentation's page")
struct DocumentationTests {
  @Test("shows the examples as they are")
  func examples() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let root = tests.deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appendingPathComponent(
        "Sources/ContinuoTesting/ContinuoTesting.docc/ContinuoTesting.md"),
      encoding: .utf8)
    for name in ["Uploader", "UploaderTests", "MusicApp", "MusicAppTests"] {
      let code = try String(
        contentsOf: tests.appendingPathComponent("Examples/\(name).swift"), encoding: .utf8)
      #expect(page.contains("```swift\n\(code)```"), "\(name).swift")
    }
  }
}
