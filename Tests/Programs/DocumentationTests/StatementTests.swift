import Foundation
import TestSupport
import Testing

/// The page that says where the statements of the five documents are built, and what shows them.
@Suite("The table of statements")
struct StatementTests {
  private let rows: [[Substring]]

  init() throws {
    let path = Repository.folder.appendingPathComponent(
      "Sources/Apple/Continuo/Continuo.docc/BackgroundDocuments.md")
    let text = try String(contentsOf: path, encoding: .utf8)
    rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }
      .map { $0.dropFirst(2).dropLast(2).split(separator: " | ", omittingEmptySubsequences: false) }
      .filter { $0.first != "what it says" }
  }

  /// What stands between single backquotes.
  private func codes(_ cell: Substring) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
  }

  @Test("has three cells in each row, and a test or a reason")
  func complete() {
    #expect(rows.count > 150)
    for row in rows {
      #expect(row.count == 3, "\(row)")
      guard row.count == 3 else { continue }
      let hasTest = codes(row[2]).contains { $0.wholeMatch(of: Self.test) != nil }
      #expect(hasTest || row[2].hasPrefix("*not built*: "), "\(row[0])")
    }
  }

  @Test("names files that are there")
  func files() throws {
    let names = rows.flatMap { $0.count == 3 ? codes($0[1]) : [] }.filter { $0.hasSuffix(".swift") }
    #expect(names.count > 100)
    for name in Set(names).sorted() {
      let path = Repository.folder.appendingPathComponent("Sources/\(name)").path
      #expect(FileManager.default.fileExists(atPath: path), "\(name)")
    }
  }

  private static var test: Regex<(Substring, Substring, Substring, Substring)> { /(\w+Tests)\/(\w+)\.(\w+)/ }

  @Test("names tests that are there")
  func tests() throws {
    var sources: [String: [String]] = [:]
    let names = rows.flatMap { $0.count == 3 ? codes($0[2]) : [] }
    var count = 0
    for name in Set(names).sorted() {
      guard let match = name.wholeMatch(of: Self.test) else { continue }
      count += 1
      let (target, suite, function) = (String(match.1), match.2, match.3)
      if sources[target] == nil {
        let floors = Repository.folder.appendingPathComponent("Tests")
        let folder = try #require(
          FileManager.default.contentsOfDirectory(atPath: floors.path)
            .map { floors.appendingPathComponent("\($0)/\(target)") }
            .first { FileManager.default.fileExists(atPath: $0.path) }, "\(target)")
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        sources[target] = try files.filter { $0.hasSuffix(".swift") }.map {
          try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
        }
      }
      let isThere = sources[target]?.contains { source in
        source.contains("struct \(suite)") && source.contains("func \(function)(")
      }
      #expect(isThere == true, "\(name)")
    }
    #expect(count > 80)
  }
}
