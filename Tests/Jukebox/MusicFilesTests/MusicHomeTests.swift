import Glibc
import SystemSupport
import TestSupport
import Testing

@testable import MusicFiles

/// What names of clients lead to.
@Suite struct MusicHomeTests {
  let folder: TemporaryFolder
  let home: MusicHome

  init() throws {
    folder = try TemporaryFolder()
    for name in ["music", "music/album", "elsewhere"] { mkdir(folder.file(name), 0o755) }
    for name in ["music/a.mp3", "music/album/b.mp3", "elsewhere/c.mp3"] { try folder.write(name, [1]) }
    symlink(folder.file("elsewhere"), folder.file("music/out"))
    symlink(folder.file("music/album"), folder.file("music/in"))
    home = try MusicHome(MediaPath(folder.path).appending(Array("music".utf8)))
  }

  func resolve(_ name: String, isSameUser: Bool = true) throws -> String {
    let path = try home.resolve(Array(name.utf8), isSameUser: isSameUser)
    return String(decoding: home.name(of: path), as: UTF8.self)
  }

  @Test(arguments: [true, false])
  func namesBelowTheHome(isSameUser: Bool) throws {
    #expect(try resolve("a.mp3", isSameUser: isSameUser) == "a.mp3")
    #expect(try resolve("./album//b.mp3", isSameUser: isSameUser) == "album/b.mp3")
    #expect(try resolve("in/b.mp3", isSameUser: isSameUser) == "in/b.mp3")
    #expect(try resolve("album/../a.mp3", isSameUser: isSameUser) == "album/../a.mp3")
    #expect(try resolve("\(folder.file("music"))/a.mp3", isSameUser: isSameUser) == "a.mp3")
    #expect(try resolve("file://\(folder.file("music"))/album", isSameUser: isSameUser) == "album")
    #expect(try home.resolve([], isSameUser: isSameUser) == home.path)
    #expect(try home.resolve([UInt8(ascii: "/")], isSameUser: isSameUser) == home.path)
  }

  @Test func namesOutsideAreForTheSameUser() throws {
    for name in ["../elsewhere/c.mp3", "out/c.mp3", folder.file("elsewhere/c.mp3"), "album/../../elsewhere"] {
      #expect(throws: MusicHome.Problem.missing) { try resolve(name, isSameUser: false) }
      _ = try resolve(name)
    }
    #expect(try resolve(folder.file("elsewhere/c.mp3")) == folder.file("elsewhere/c.mp3"))
  }

  @Test func homeIsNotAPrefixOfItsNeighbour() throws {
    mkdir(folder.file("musical"), 0o755)
    try folder.write("musical/d.mp3", [1])
    #expect(throws: MusicHome.Problem.missing) { try resolve("../musical/d.mp3", isSameUser: false) }
  }

  @Test func whatIsNotThere() {
    #expect(throws: MusicHome.Problem.missing) { try resolve("none.mp3") }
    #expect(throws: MusicHome.Problem.missing) { try resolve("a.mp3/b.mp3") }
    #expect(throws: MusicHome.Problem.missing) { try resolve("none.mp3", isSameUser: false) }
    #expect(throws: MusicHome.Problem.missing) { try resolve("http://localhost/a.mp3") }
    #expect(throws: MusicHome.Problem.unusable("ftp: URLs are not supported")) {
      try resolve("ftp://localhost/a.mp3")
    }
  }

  @Test func homeHasToBeADirectory() {
    #expect(throws: FileBytes.Problem.system(ENOTDIR)) {
      _ = try MusicHome(MediaPath(folder.path).appending(Array("music/a.mp3".utf8)))
    }
    #expect(throws: FileBytes.Problem.system(ENOENT)) {
      _ = try MusicHome(MediaPath(folder.path).appending(Array("nothing".utf8)))
    }
  }

  @Test(arguments: [true, false]) func namesAsRepliesShowThem(isSameUser: Bool) throws {
    let name = [0xFF] + Array("\\x41.mp3".utf8)
    let file = home.path.appending(name)
    try AtomicFile.write([1], to: file, mode: 0o600)
    #expect(try home.resolve(Array("\\xFF\\x41.mp3".utf8), isSameUser: isSameUser) == file)
    #expect(try home.resolve(name, isSameUser: isSameUser) == file)
    #expect(throws: MusicHome.Problem.missing) { try resolve("\\xFE.mp3", isSameUser: isSameUser) }
    // Not out of the home either.
    try AtomicFile.write([1], to: MediaPath(folder.path).appending(name), mode: 0o600)
    #expect(throws: MusicHome.Problem.missing) { try resolve("../\\xFF\\x41.mp3", isSameUser: false) }
  }
}
