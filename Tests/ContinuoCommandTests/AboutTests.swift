import ArgumentParser
import Foundation
import Testing

@testable import ContinuoCommand

/// The version and the licence, which README.md has too.
@Suite struct AboutTests {
  private func readme() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
  }

  @Test func licenceIsThatOfTheReadme() throws {
    #expect(try readme().contains("\n## Licence\n\n\(About.license)\n"))
  }

  @Test func newestChangesAreOfThisVersion() throws {
    let changes = try #require(try readme().components(separatedBy: "\n## Changes\n").dropFirst().first)
    #expect(changes.hasPrefix("\n### \(About.version)\n"))
  }

  @Test func version() throws {
    let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["--version"]) }
    guard let error else { return }
    #expect(RootCommand.message(for: error) == "continuo \(About.version)")
    #expect(RootCommand.exitCode(for: error) == .success)
    #expect(try (RootCommand.parseAsRoot(["--license"]) as? RootCommand)?.license == true)
  }
}
