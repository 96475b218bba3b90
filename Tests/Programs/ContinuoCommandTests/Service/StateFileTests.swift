import Foundation
import Glibc
import MusicFiles
import SystemSupport
import TestSupport
import Testing

@testable import ContinuoCommand

/// Files that are whole at every moment, in a directory that one process has.
@Suite struct StateFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func file(_ name: String = "state") -> StateFile {
    StateFile(path: MediaPath(folder.path).appending(Array(name.utf8)), isDurable: false)
  }

  @Test func writesReadsAndReplaces() throws {
    let file = file()
    #expect(try file.read(limit: 100) == nil)
    try file.write([1, 2, 3])
    #expect(try file.read(limit: 100) == [1, 2, 3])
    try file.write([])
    #expect(try file.read(limit: 100) == [])
    #expect(folder.names == ["state"])
    #expect(throws: FileBytes.Problem.self) {
      try file.write([UInt8](repeating: 0, count: 200))
      _ = try file.read(limit: 100)
    }
  }

  @Test func isPrivateUnderAnyMask() throws {
    let before = umask(0)
    defer { umask(before) }
    try file().write([1])
    #expect(folder.mode(of: "state") == 0o600)
  }

  @Test func leftoverOfAKilledWriterIsNoHindrance() throws {
    try folder.write("state.new", [9, 9, 9, 9, 9])
    try file().write([1])
    #expect(try file().read(limit: 10) == [1])
    #expect(folder.names == ["state"])
  }

  /// A file with another name elsewhere keeps what it holds.
  @Test func leftoverIsNotWrittenTo() throws {
    try folder.write("victim", [7])
    #expect(Glibc.link(folder.file("victim"), folder.file("state.new")) == 0)
    #expect(try file().write([1]) == [])
    #expect(try folder.read("victim") == [7])
    #expect(try folder.read("state") == [1])
  }

  @Test func linkInThePlaceOfTheNewFileIsNotFollowed() throws {
    try folder.write("victim", [7])
    symlink(folder.file("victim"), folder.file("state.new"))
    #expect(try file().write([1]) == [file("state.new").path])
    #expect(try folder.read("victim") == [7])
    #expect(try folder.read("state") == [1])
    #expect(folder.names == ["state", "state.new", "victim"])
  }

  @Test(.timeLimit(.minutes(10))) func pipesAndFoldersAreNotWaitedFor() throws {
    let file = file()
    #expect(mkfifo(folder.file("state.new"), 0o600) == 0)
    #expect(mkdir(folder.file("state.new-2"), 0o700) == 0)
    let others = ["state.new", "state.new-2"]
    #expect(try file.write([1]).map(\.name) == others.map { Array($0.utf8) })
    #expect(folder.names == ["state"] + others)
    for number in 3...StateFile.nameCount { #expect(mkdir(folder.file("state.new-\(number)"), 0o700) == 0) }
    #expect(throws: FileBytes.Problem.system(EEXIST)) { try file.write([2]) }
    #expect(try file.read(limit: 10) == [1])
  }

  @Test func damagedFilesAreKeptAndBounded() throws {
    let file = file()
    for number in 1...5 {
      try file.write([UInt8(number)])
      #expect(try file.path.setAside() == MediaPath(folder.path).appending(Array("state.damaged-1".utf8)))
      #expect(try file.read(limit: 10) == nil)
    }
    #expect(folder.names == ["state.damaged-1", "state.damaged-2", "state.damaged-3"])
    #expect(try folder.read("state.damaged-1") == [5])
    #expect(try folder.read("state.damaged-3") == [3])
  }

  @Test func failureLeavesTheOldFile() throws {
    let file = StateFile(path: MediaPath(folder.path).appending(Array("missing/state".utf8)), isDurable: true)
    #expect(throws: FileBytes.Problem.system(ENOENT)) { try file.write([1]) }
  }

  @Test func directoryIsMadeAndHasOneOwner() throws {
    let path = MediaPath(folder.path).appending(Array("a/b/continuo".utf8))
    var first: StateDirectory? = try StateDirectory(path: path)
    #expect(folder.mode(of: "a/b/continuo") == 0o700)
    #expect(throws: StateDirectory.Problem.inUse(path)) { _ = try StateDirectory(path: path) }
    try first?.file("queue", isDurable: true).write([1, 2])
    first = nil
    let second = try StateDirectory(path: path)
    #expect(try second.file("queue", isDurable: true).read(limit: 10) == [1, 2])
  }

  @Test func noDirectoryIsMadeInTheRootDirectory() throws {
    for name in ["/continuo-state-test", "/continuo-state-test/y/z"] {
      let problem = StateDirectory.Problem.missing(
        MediaPath(name), below: MediaPath("/continuo-state-test"))
      #expect(throws: problem) { _ = try StateDirectory(path: MediaPath(name)) }
      #expect("\(problem)" == "\(name): no directory /continuo-state-test; create it first")
    }
    #expect(access("/continuo-state-test", F_OK) != 0)
  }

  @Test func directoriesAreMadeForThisUserOnly() throws {
    let before = umask(0)
    defer { umask(before) }
    let path = MediaPath(folder.path).appending(Array("x/y/z".utf8))
    for _ in 1...2 { try path.makeDirectory() }
    #expect(["x", "x/y", "x/y/z"].map { folder.mode(of: $0) } == [0o700, 0o700, 0o700])
    #expect(throws: FileBytes.Problem.system(ENOENT)) { try MediaPath("/proc/none/x").makeDirectory() }
    // What stands above stays, whatever it is.
    try folder.write("file", [1])
    let below = MediaPath(folder.file("file")).appending(Array("x".utf8))
    #expect(throws: FileBytes.Problem.system(ENOTDIR)) { try below.makeDirectory() }
    #expect(try folder.read("file") == [1])
  }

  @Test func directoryThatCannotBeMade() throws {
    try folder.write("file")
    let path = MediaPath(folder.path).appending(Array("file/state".utf8))
    #expect(throws: StateDirectory.Problem.unusable(path, .system(ENOTDIR))) {
      _ = try StateDirectory(path: path)
    }
  }

  @Test(arguments: [
    (["XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/continuo"),
    (["HOME": "/h"], "/h/.local/state/continuo"),
    (["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/continuo"),
    (["XDG_STATE_HOME": "", "HOME": "/h"], "/h/.local/state/continuo"),
  ])
  func standardPath(_ variables: [String: String], _ expected: String) throws {
    #expect(try StateDirectory.standardPath { variables[$0] } == MediaPath(expected))
  }

  @Test func standardPathWithoutAHome() {
    #expect(throws: StateDirectory.Problem.nowhere) { try StateDirectory.standardPath { _ in nil } }
  }
}
