import Foundation
import MusicFiles
import SystemSupport
import TestSupport
import Testing

@Suite struct AtomicFileTests {
  private func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  @Test func writesAndReplaces() throws {
    let folder = try TemporaryFolder()
    let path = MediaPath(folder.path + "/x")
    for text in ["first, and longer", "second", ""] {
      try AtomicFile.write(text.utf8, to: path, mode: 0o600)
      #expect(try FileBytes.read(path, limit: 100) == Array(text.utf8))
      #expect(try names(folder) == ["x"])
    }
    #expect(try mode(path.description) == 0o600)
    try AtomicFile.write([UInt8](repeating: 7, count: 3 << 20), to: path, mode: 0o600)
    #expect(try FileBytes.read(path, limit: 4 << 20).count == 3 << 20)
  }

  @Test func checkingTouchesNothing() throws {
    let folder = try TemporaryFolder()
    try folder.write("there", "content")
    try AtomicFile.check(MediaPath(folder.path + "/there"))
    try AtomicFile.check(MediaPath(folder.path + "/new"))
    #expect(try names(folder) == ["there"])
    #expect(try FileBytes.read(MediaPath(folder.path + "/there"), limit: 100) == Array("content".utf8))
  }

  @Test func followsALinkAndNeedNotBeText() throws {
    let folder = try TemporaryFolder()
    try folder.write("real/file", "old")
    try folder.link("link", to: "real/file")
    try AtomicFile.write("new".utf8, to: MediaPath(folder.path + "/link"), mode: 0o600)
    #expect(try FileBytes.read(MediaPath(folder.path + "/real/file"), limit: 100) == Array("new".utf8))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/link") == "real/file")
    let odd = MediaPath(folder.path).appending([0xFF, 0x78])
    try AtomicFile.write("odd".utf8, to: odd, mode: 0o600)
    #expect(try FileBytes.read(odd, limit: 100) == Array("odd".utf8))
  }

  @Test(arguments: [
    ("/no/such/folder/x", FileBytes.Problem.system(ENOENT)), ("/dev/null", .notAFile),
    ("/tmp", .system(EISDIR)),
    ("/etc/passwd/x", .system(ENOTDIR)), ("/proc/x", .system(ENOENT)), ("/tmp/", .system(EISDIR)),
    ("/tmp/new/", .system(EISDIR)),
  ])
  func whatCannotBeWrittenIsAnError(path: String, problem: FileBytes.Problem) {
    #expect(throws: problem) { try AtomicFile.check(MediaPath(path)) }
    #expect(throws: problem) { try AtomicFile.write("x".utf8, to: MediaPath(path), mode: 0o600) }
  }
}
