import ControlProtocol
import Dispatch
import Foundation
import Jukebox
import MusicFiles
import TestSupport
import Testing
import Transfer

/// Playlists that clients save, and that people edit by hand.
@Suite(.timeLimit(.minutes(10))) struct PlaylistFolderTests {
  let folder: TemporaryFolder
  let playlists: PlaylistFolder

  init() throws {
    folder = try TemporaryFolder()
    playlists = PlaylistFolder(MediaPath(folder.file("data/playlists")))
  }

  private func bytes(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }
  private func name(_ text: String) -> [UInt8] { Array(text.utf8) }
  private func content(_ file: String) throws -> String {
    try String(contentsOfFile: folder.file("data/playlists/\(file)"), encoding: .utf8)
  }

  @Test("A folder that is not there has none, and is made with the first") func noFolder() throws {
    #expect(try playlists.list().isEmpty)
    #expect(throws: PlaylistProblem.missing) { try playlists.entries(of: name("x")) }
    try playlists.save(name("x"), bytes("a.mp3", "ü/b.mp3"), .create)
    #expect(try content("x.m3u") == "a.mp3\nü/b.mp3\n")
    #expect(try playlists.list().map(\.name) == [name("x")])
  }

  @Test("Modes of saving") func modes() throws {
    #expect(throws: PlaylistProblem.missing) { try playlists.save(name("x"), bytes("a"), .append) }
    #expect(throws: PlaylistProblem.missing) { try playlists.save(name("x"), bytes("a"), .replace) }
    try playlists.save(name("x"), bytes("a"), .create)
    #expect(throws: PlaylistProblem.exists) { try playlists.save(name("x"), bytes("b"), .create) }
    try playlists.save(name("x"), bytes("b"), .append)
    #expect(try playlists.entries(of: name("x")) == bytes("a", "b"))
    try playlists.save(name("x"), bytes("c"), .replace)
    #expect(try playlists.entries(of: name("x")) == bytes("c"))
  }

  @Test(
    "Names that would be another file's, or nobody's",
    arguments: ["", ".", "..", ".hidden", "a/b", "/", "a\nb", "a\u{7F}", String(repeating: "x", count: 251)])
  func badNames(_ text: String) throws {
    #expect(throws: PlaylistProblem.badName) { try playlists.save(name(text), bytes("a"), .create) }
    #expect(throws: PlaylistProblem.badName) { try playlists.remove(name(text)) }
    try playlists.save(name("x"), [], .create)
    #expect(throws: PlaylistProblem.badName) { try playlists.rename(name("x"), to: name(text)) }
    #expect(throws: PlaylistProblem.badName) { try playlists.save([0xFF], [], .create) }
  }

  @Test("What somebody has put there by hand") func byHand() throws {
    try folder.write("data/playlists/a.m3u8", "\u{FEFF}#EXTM3U\r\n  a.mp3  \r\n\r\nb.mp3")
    try folder.write("data/playlists/b.m3u/c", "")
    try folder.write("data/playlists/.m3u", "")
    try folder.write("data/playlists/c.txt", "")
    try folder.write("data/playlists/wide.m3u", [0xFF, 0xFE, 0x61, 0])
    symlink("nowhere", folder.file("data/playlists/link.m3u"))
    #expect(try playlists.list().map(\.name) == [name("a"), name("wide")])
    #expect(try playlists.entries(of: name("a")) == bytes("a.mp3", "b.mp3"))
    // In the same file.
    try playlists.insert(bytes("c.mp3"), into: name("a"), at: 0)
    #expect(try content("a.m3u8") == "c.mp3\na.mp3\nb.mp3\n")
    // What is not understood is not overwritten.
    #expect(throws: PlaylistProblem.self) { try playlists.insert(bytes("c.mp3"), into: name("wide")) }
    #expect(throws: PlaylistProblem.self) { try playlists.edit(name("wide")) { $0 = [] } }
    #expect(FileManager.default.contents(atPath: folder.file("data/playlists/wide.m3u"))?.count == 4)
    for missing in ["b", "link", "c.txt", ""] {
      #expect(throws: PlaylistProblem.self) { try playlists.remove(name(missing)) }
    }
    // And taken away again.
    try FileManager.default.removeItem(atPath: folder.file("data/playlists/a.m3u8"))
    #expect(throws: PlaylistProblem.missing) { try playlists.entries(of: name("a")) }
    #expect(throws: PlaylistProblem.missing) { try playlists.edit(name("a")) { _ in } }
    #expect(throws: PlaylistProblem.missing) { try playlists.rename(name("a"), to: name("z")) }
  }

  @Test("A folder that cannot be made or written says why") func unwritable() throws {
    try folder.write("file", "")
    let other = PlaylistFolder(MediaPath(folder.file("file/playlists")))
    #expect(
      throws: PlaylistProblem.failed("Failed to read playlists: not a directory")
    ) {
      try other.save(name("x"), [], .create)
    }
    #expect(throws: PlaylistProblem.self) { _ = try PlaylistFolder(MediaPath(folder.file("file"))).list() }
    let full = PlaylistFolder(MediaPath("/proc/self"))
    #expect(throws: PlaylistProblem.self) { try full.save(name("x"), bytes("a"), .create) }
  }

  @Test("Too large a playlist is refused, and the one before stays") func tooLarge() throws {
    try playlists.save(name("x"), bytes("a"), .create)
    let long = [[UInt8]](repeating: [UInt8](repeating: 0x61, count: 4000), count: 17_000)
    #expect(throws: PlaylistProblem.tooLarge) { try playlists.save(name("x"), long, .replace) }
    #expect(try playlists.entries(of: name("x")) == bytes("a"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("data/playlists")) == ["x.m3u"])
  }

  @Test("Nothing is lost of what many add at once") func manyAtOnce() throws {
    DispatchQueue.concurrentPerform(iterations: 200) { index in
      try? playlists.insert([Array("\(index)".utf8)], into: name("x"))
    }
    let entries = try playlists.entries(of: name("x")).map { String(decoding: $0, as: UTF8.self) }
    #expect(Set(entries) == Set((0..<200).map(String.init)))
    #expect(entries.count == 200)
  }

  @Test(
    "Every file finds back, whatever it is called",
    arguments: [
      "a.mp3", "ü.mp3", "#x.mp3", " x.mp3", "x.mp3 ", "a\nb.mp3", "http://x/y.mp3", "100%.mp3",
      "back\\slash.mp3",
    ])
  func entries(_ file: String) throws {
    try folder.write("music/\(file)", "x")
    let home = try MusicHome(MediaPath(folder.file("music")))
    let path = home.path.appending(Array(file.utf8)).resolved(against: home.path)
    let entry = home.entry(for: SongLocator(path))
    try playlists.save(name("x"), [entry], .create)
    let read = try #require(try playlists.entries(of: name("x")).first)
    #expect(home.locator(ofEntry: read)?.locator == SongLocator(path))
    #expect(
      home.entry(for: SongLocator(MediaPath(folder.file("elsewhere.mp3"))))
        == Array(folder.file("elsewhere.mp3").utf8))
  }

  @Test("URLs are kept as they are, without credentials") func urls() throws {
    let home = try MusicHome(MediaPath(folder.path))
    let found = try #require(home.locator(ofEntry: Array("http://u:S3CRET@h/a?b".utf8)))
    #expect(found.credentials == Credentials(user: "u", password: "S3CRET"))
    #expect(home.entry(for: found.locator) == Array("http://h/a?b".utf8))
    #expect(home.locator(ofEntry: Array("ftp://h/".utf8)) == nil)
  }
}
