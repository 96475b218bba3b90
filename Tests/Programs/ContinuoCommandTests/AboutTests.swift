import ArgumentParser
import Continuo
import Foundation
import TestSupport
import Testing

@testable import ContinuoCommand

/// The version and the licence, which pages of the documentation have too.
@Suite struct AboutTests {
  private func page(_ name: String) throws -> String {
    return try String(
      contentsOf: Repository.folder.appendingPathComponent("Sources/Apple/Continuo/Continuo.docc/\(name).md"),
      encoding: .utf8)
  }

  @Test func licenceIsThatOfItsPage() throws {
    #expect(try page("Licence").contains("\n## Overview\n\n\(About.license)\n"))
  }

  @Test func newestChangesAreOfThisVersion() throws {
    let parts = try page("Changes").components(separatedBy: "\n## Overview\n")
    let changes = try #require(parts.dropFirst().first)
    #expect(changes.hasPrefix("\n### \(Version.number)\n"))
  }

  @Test func version() throws {
    let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["--version"]) }
    guard let error else { return }
    #expect(RootCommand.message(for: error) == "continuo \(Version.number)")
    #expect(RootCommand.exitCode(for: error) == .success)
    #expect(try (RootCommand.parseAsRoot(["--license"]) as? RootCommand)?.license == true)
  }
}
