import Foundation
import TestSupport
import Testing

/// A page of the documentation with its code: an article of a catalogue, or README.md.
struct Page: Sendable, CustomTestStringConvertible {
  /// From the package's folder.
  let path: String
  /// The language modes in which its code compiles: 5 only where the page says so.
  let languageModes: [String]
  /// Those of Swift.
  let blocks: [Block]
  /// Those for a shell.
  let shellBlocks: [Block]

  var testDescription: String { path }

  /// A block of code on a page.
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

  /// All pages with code on them.
  static let all: [Page] = {
    let sources = FileManager.default.enumerator(
      atPath: Repository.folder.appendingPathComponent("Sources").path)
    let articles = (sources?.compactMap { $0 as? String } ?? [])
      .filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted()
    return (["README.md"] + articles.map { "Sources/\($0)" })
      .compactMap(Page.init).filter { !$0.blocks.isEmpty || !$0.shellBlocks.isEmpty }
  }()

  private init?(_ path: String) {
    let file = Repository.folder.appendingPathComponent(path)
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
    self.path = path
    languageModes = text.contains("Swift 5") ? ["5", "6"] : ["6"]
    var found: [String: [Block]] = [:]
    var start: (line: Int, language: String)?
    let lines = text.components(separatedBy: "\n")
    for (index, line) in lines.enumerated() where line.hasPrefix("```") {
      if let (first, language) = start {
        let code = lines[first..<index].map { $0 + "\n" }.joined()
        found[language, default: []].append(Block(line: first + 1, code: code))
        start = nil
      } else {
        start = (index + 1, String(line.dropFirst(3)))
      }
    }
    blocks = found["swift"] ?? []
    shellBlocks = found["sh"] ?? []
  }
}
