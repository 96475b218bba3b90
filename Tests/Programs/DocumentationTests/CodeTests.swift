import Foundation
import PulseTestSupport
import TestSupport
import Testing

/// Every block of Swift on the pages of the documentation is code that compiles without a warning.
@Suite("The documentation's code", .timeLimit(.minutes(10)))
struct CodeTests {
  @Test("compiles in Swift 6, and in Swift 5 where the page says so", arguments: Page.all)
  func compiles(page: Page) async throws {
    let folder = try TemporaryFolder()
    var files: [(block: Page.Block, path: String)] = []
    for block in page.blocks {
      files.append((block, try write(block, of: page, into: folder)))
    }
    let declarations = files.filter { $0.block.kind == .declarations }.map(\.path)
    try await compile(declarations, for: page, ["-parse-as-library"])
    for (block, path) in files {
      switch block.kind {
      case .manifest: try await check(manifest: path)
      case .program: try await compile([path], for: page, ["-parse-as-library"])
      case .statements: try await compile([path] + declarations, for: page, [])
      case .declarations: break
      }
    }
  }

  @Test("is that of the examples, which are run", arguments: CodeTests.sources)
  func examples(path: String) throws {
    let code = try String(contentsOf: Repository.folder.appendingPathComponent(path), encoding: .utf8)
    #expect(Page.all.contains { $0.blocks.contains { $0.code == code } }, "no page shows \(path)")
  }

  /// Source files of examples, from the package's folder.
  private static let sources: [String] = {
    let tests = FileManager.default.enumerator(atPath: Repository.folder.appendingPathComponent("Tests").path)
    return (tests?.compactMap { $0 as? String } ?? [])
      .filter {
        $0.hasSuffix(".swift") && ($0.contains("/Examples/") || $0.contains("/DocumentationTests/Programs/"))
      }
      .map { "Tests/\($0)" }.sorted()
  }()

  /// Writes a block as a source file of its own, whose errors name the page. Without imports it stands under those that
  /// every player has.
  private func write(_ block: Page.Block, of page: Page, into folder: TemporaryFolder) throws -> String {
    let imports = block.code.contains("import ") ? "" : "import Continuo\nimport Foundation\n"
    let name = block.kind == .statements ? "\(block.line)/main.swift" : "Line\(block.line).swift"
    // The manifest's first line has to be the first.
    let origin = "#sourceLocation(file: \"\(page.path)\", line: \(block.line))\n"
    let text = block.kind == .manifest ? block.code : imports + origin + block.code
    return try folder.write(name, Array(text.utf8))
  }

  /// Type-checks files as one module against what is built beside these tests.
  private func compile(_ files: [String], for page: Page, _ options: [String]) async throws {
    guard !files.isEmpty else { return }
    try await withThrowingTaskGroup { group in
      for mode in page.languageModes {
        group.addTask {
          try await check(
            ["swiftc", "-typecheck", "-swift-version", mode, "-module-name", "Page"] + options + files
              + Self.modules)
        }
      }
      try await group.waitForAll()
    }
  }

  /// Where the compiler finds modules: those of this build, and the maps of C libraries. It keeps what it has compiled of
  /// the system's in a folder of its own, since a cache that is known by two paths is of no use by either.
  private static let modules: [String] = {
    let build = URL(fileURLWithPath: product("PlayerWithDispatchMain")).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    func contents(of folder: URL) -> [URL] {
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    }
    let floors = contents(of: Repository.folder.appendingPathComponent("Sources"))
    let folders = floors.flatMap(contents)
    // Of a C target with sources the build has made the map.
    let made = folders.map { build.appendingPathComponent("\($0.lastPathComponent).build") }
    let maps = (folders + made).filter {
      FileManager.default.fileExists(atPath: $0.appendingPathComponent("module.modulemap").path)
    }
    return [
      "-warnings-as-errors", "-package-name", packageName, "-module-cache-path",
      build.appendingPathComponent("DocumentationModuleCache").path,
    ] + ([build.appendingPathComponent("Modules")] + maps).flatMap { ["-I", $0.path] }
  }()

  /// What SwiftPM calls the package for the compiler: by its folder, as an identifier.
  private static let packageName: String = {
    let name = Repository.folder.lastPathComponent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
    return (name.first?.isNumber == true ? "_" : "") + String(name)
  }()

  /// Has SwiftPM read a package's manifest.
  private func check(manifest: String) async throws {
    let folder = URL(fileURLWithPath: manifest).deletingLastPathComponent().appendingPathComponent("package")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: manifest, toPath: folder.appendingPathComponent("Package.swift").path)
    try await check(["swift", "package", "--package-path", folder.path, "dump-package"])
  }

  /// Runs a command, which is to end well.
  private func check(_ command: [String]) async throws {
    let run = try Run(command[0], Array(command.dropFirst()))
    let end = try await run.child.ended()
    let log = try await run.finished(status: end.status)
    #expect(end.status == 0, "\(log.errors.joined(separator: "\n"))")
  }
}
