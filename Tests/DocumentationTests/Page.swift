import Foundation
import Testing

/// A page of the documentation with its code: an article of a catalogue, or README.md.
struct Page: Sendable, CustomTestStringConvertible {
  /// From the package's folder.
  let path: String
  let blocks: [Block]

  var testDescription: String { path }

  /// A block of Swift on a page.
  struct Block: Sendable {
    enum Kind {
      /// A package's manifest.
      case manifest
      /// A program with `@main`.
      case program
      /// Declarations only, which the page's other blocks may use.
      case declarations
      /// With statements at the top level, as in `main.swift`.
      case statements
    }

    /// The number of its first line on the page.
    let line: Int
    let code: String

    var kind: Kind {
      if code.hasPrefix("// swift-tools-version:") { return .manifest }
      let tops = code.split(separator: "\n").filter { $0.first?.isWhitespace == false }
      if tops.contains("@main") { return .program }
      return tops.allSatisfy(Self.declares) ? .declarations : .statements
    }

    private static let words: Set<Substring> = [
      "actor", "class", "enum", "extension", "final", "func", "import", "private", "protocol", "public",
      "struct",
      "typealias",
    ]

    /// Whether a line at the margin belongs to a declaration of a type or a function, or is a comment.
    private static func declares(_ line: Substring) -> Bool {
      if ["//", "@", "}", ")", "#"].contains(where: line.hasPrefix) { return true }
      return line.split(separator: " ").first.map(words.contains) ?? true
    }
  }

  /// The package's folder.
  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// All pages with code on them.
  static let all: [Page] = {
    let sources = FileManager.default.enumerator(atPath: package.appendingPathComponent("Sources").path)
    let articles = (sources?.compactMap { $0 as? String } ?? [])
      .filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted()
    return (["README.md"] + articles.map { "Sources/\($0)" })
      .compactMap(Page.init).filter { !$0.blocks.isEmpty }
  }()

  private init?(_ path: String) {
    let file = Self.package.appendingPathComponent(path)
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
    self.path = path
    var blocks: [Block] = []
    var start: Int?
    let lines = text.components(separatedBy: "\n")
    for (index, line) in lines.enumerated() {
      if line == "```swift" {
        start = index + 1
      } else if line.hasPrefix("```"), let first = start {
        blocks.append(Block(line: first + 1, code: lines[first..<index].map { $0 + "\n" }.joined()))
        start = nil
      }
    }
    self.blocks = blocks
  }
}
