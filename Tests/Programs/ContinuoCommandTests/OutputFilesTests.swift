import Glibc
import MusicFiles
import TestSupport
import Testing

@testable import ContinuoCommand

/// Outputs that are the same file, or one that is read.
@Suite struct OutputFilesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func path(_ name: String) -> MediaPath { MediaPath(name.hasPrefix("/") ? name : folder.file(name)) }

  private func conflict(_ outputs: [String], inputs: [String] = []) -> String? {
    var files = OutputFiles()
    do {
      for output in outputs { try files.add("--\(output)", path(output)) }
      try files.check(inputs: inputs.map(path))
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func differentFilesAreFine() throws {
    try folder.write("a.mp3", "a")
    try folder.write("b.mp3", "a")
    #expect(conflict(["x", "y", "b.mp3"], inputs: ["a.mp3", "missing"]) == nil)
    // Nothing is lost in a device.
    #expect(conflict(["/dev/null", "/dev/null"], inputs: ["/dev/null"]) == nil)
    // The opening says why.
    #expect(conflict(["missing/x", "missing/x"]) == nil)
  }

  @Test func outputsHaveToDiffer() throws {
    try folder.write("sub/a", "a")
    try folder.link("link", to: "sub/a")
    try folder.link("dangling", to: "sub/new")
    try folder.link("chain", to: "dangling")
    try folder.link("loop", to: "loop")
    link(folder.file("sub/a"), folder.file("hard"))
    mkfifo(folder.file("pipe"), 0o600)
    for (first, second) in [
      ("x", "x"), ("x", "./x"), ("x", "sub/../x"), ("sub/a", "link"), ("link", "hard"),
      ("dangling", "sub/new"),
      ("chain", "sub/new"), ("pipe", "sub/../pipe"),
    ] {
      #expect(conflict([first, second]) == "--\(first) and --\(second) are the same file")
    }
    #expect(conflict(["loop", "x"]) == nil)
  }

  @Test func inputsStay() throws {
    try folder.write("a.mp3", "a")
    try folder.link("link", to: "a.mp3")
    link(folder.file("a.mp3"), folder.file("hard"))
    let descriptor = open(folder.file("a.mp3"), O_RDONLY)
    defer { close(descriptor) }
    let opened = "/proc/self/fd/\(descriptor)"
    for output in ["a.mp3", "link", "hard", opened] {
      for input in ["a.mp3", "link", "hard", opened] {
        #expect(
          conflict([output], inputs: ["missing", input])
            == "--\(output) would overwrite the input \(path(input))")
      }
    }
    #expect(try folder.read("a.mp3") == Array("a".utf8))
  }
}
