import Clocks
import ControlProtocol
import Foundation
import Jukebox
import JukeboxPlayback
import MusicFiles
import TestSupport
import Testing

@testable import ControlServer
@testable import MPDService

/// Commands that go to the disk.
@Suite(.timeLimit(.minutes(10))) struct LibraryCommandTests {
  let folder: TemporaryFolder
  let host: JukeboxHost
  let library: LibraryCommands

  init() throws {
    folder = try TemporaryFolder()
    var generator = SystemRandomNumberGenerator()
    host = JukeboxHost(JukeboxMachine(using: &generator))
    library = LibraryCommands(
      host: host, home: try MusicHome(MediaPath(folder.path)),
      tagReader: TagReader(clock: SystemClock.shared) { _ in }, clock: SystemClock.shared)
  }

  private func begin(_ command: Command.Library, for client: ClientID = ClientID(number: 1)) -> Answer {
    let answer = Answer()
    library.perform(
      command, ConnectionMachine.Context(),
      for: ClientInfo(id: client, isLocal: true, isSameUser: true)
    ) { answer.complete($0) }
    return answer
  }

  private func add(_ name: String) -> Command.Library { .add(uri: Argument(Array(name.utf8)), at: nil) }

  /// A song that is silence, with a cover of these bytes if there are any.
  private func song(cover: [UInt8]?) -> [UInt8] {
    func size(_ count: Int) -> [UInt8] {
      [UInt8(count >> 21 & 127), UInt8(count >> 14 & 127), UInt8(count >> 7 & 127), UInt8(count & 127)]
    }
    var bytes: [UInt8] = []
    if let cover {
      let content = [0] + Array("image/png".utf8) + [0, 3, 0] + cover
      let frame =
        Array("APIC".utf8) + [0, 0] + [UInt8(content.count >> 8), UInt8(content.count & 255)] + [0, 0]
        + content
      bytes = Array("ID3".utf8) + [3, 0, 0] + size(frame.count) + frame
    }
    // MPEG 1, layer III, 128 kbit/s, 44.1 kHz.
    for _ in 0..<20 { bytes += [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413) }
    return bytes
  }

  private func picture(of name: String) throws -> [UInt8] {
    try begin(.readpicture(Argument(Array(name.utf8)), offset: 0)).get().bytes
  }

  @Test func changedCoverIsReadAnew() throws {
    try folder.write("a.mp3", song(cover: Array("first cover".utf8)))
    #expect(String(decoding: try picture(of: "a.mp3"), as: UTF8.self).contains("first cover"))
    // The same length, the same inode.
    let handle = try #require(FileHandle(forUpdatingAtPath: folder.file("a.mp3")))
    try handle.write(contentsOf: song(cover: Array("other cover".utf8)))
    try handle.close()
    #expect(String(decoding: try picture(of: "a.mp3"), as: UTF8.self).contains("other cover"))
    // A new file of that name.
    try folder.write("a.mp3", song(cover: nil))
    #expect(!String(decoding: try picture(of: "a.mp3"), as: UTF8.self).contains("cover"))
  }

  @Test("A file with a cover and without audio is no song") func coverWithoutAudio() throws {
    let song = song(cover: Array("cover".utf8))
    try folder.write("a.mp3", song.dropLast(20 * 417))
    #expect(throws: Ack(.noExist, "No such song")) { try picture(of: "a.mp3") }
  }

  /// While one client has a million names read, another one's song is added.
  @Test func longReadingHoldsUpNobodyElse() throws {
    try folder.write("a.mp3", song(cover: nil))
    for index in 0..<2 {
      try folder.write("\(index).m3u", String(repeating: "\(index + 1).m3u\n", count: 900))
    }
    try folder.write("2.m3u", String(repeating: "gone.mp3\n", count: 900))
    let long = begin(add("0.m3u"))
    _ = try begin(add("a.mp3"), for: ClientID(number: 2)).get()
    #expect(!long.isThere)
    #expect(host.read { $0.queue.count } == 1)
    // And it ends when the client goes.
    library.gone.connectionClosed(ClientID(number: 1))
    #expect(throws: Ack(.system, "nothing was done: the client has gone")) { try long.get() }
    // What the client had sent behind it is still done, as far as it is short.
    _ = try begin(add("a.mp3")).get()
    #expect(throws: Ack.self) { try begin(add("1.m3u")).get() }
    library.gone.clientLeft(ClientID(number: 1))
    #expect(host.read { $0.queue.count } == 2)
  }

  @Test("Without a library nothing is found, and only an update is refused") func noLibrary() throws {
    #expect(try library.answer(to: .listall(nil)) == "")
    #expect(try library.answer(to: .listallinfo("x")) == "")
    #expect(throws: Ack(.noExist, "No database: the server was started without --home")) {
      try library.answer(to: .update(nil))
    }
  }

  @Test("The picture beside a song: covers before folders, in any letters, in pieces") func albumArt() throws
  {
    try folder.write("x/a.mp3", song(cover: nil))
    func art(_ offset: UInt32 = 0) throws -> String {
      String(decoding: try begin(.albumart("x/a.mp3", offset: offset)).get().bytes, as: UTF8.self)
    }
    #expect(throws: Ack(.noExist, "No file exists")) { try art() }
    try folder.write("x/Folder.JPG", "folder")
    #expect(try art() == "size: 6\nbinary: 6\nfolder\n")
    try folder.write("x/cover.png", "cover")
    #expect(try art(2) == "size: 5\nbinary: 3\nver\n")
    #expect(try art(5) == "size: 5\nbinary: 0\n\n")
    #expect(throws: Ack(.argument, "Offset too large")) { try art(6) }
    // As mpd, and as Cantata asks: of a folder by a slash at its end.
    func art(of name: String) throws -> String {
      String(
        decoding: try begin(.albumart(Argument(Array(name.utf8)), offset: 0)).get().bytes, as: UTF8.self)
    }
    #expect(try art(of: "x/") == "size: 5\nbinary: 5\ncover\n")
    #expect(throws: Ack(.noExist, "No file exists")) { try art(of: "x") }
    #expect(throws: Ack(.noExist, "No file exists")) { try art(of: "y/") }
  }

  @Test("Files that cannot be played are counted by kind and named") func unplayable() throws {
    try folder.write("x/a.mp3", song(cover: nil))
    for name in ["x/b.wma", "x/deep/c.WMA", "x/d.ape", "x/cover.jpg", "e.wma"] { try folder.write(name, "x") }
    func unplayable(_ name: Argument?) throws -> String {
      String(decoding: try begin(.unplayable(name)).get().bytes, as: UTF8.self)
    }
    let files = "file: x/b.wma\nfile: x/d.ape\nfile: x/deep/c.WMA\n"
    #expect(try unplayable("x") == "kind: .wma\nfiles: 2\nkind: .ape\nfiles: 1\n\(files)")
    #expect(
      try unplayable(nil) == "kind: .wma\nfiles: 3\nkind: .ape\nfiles: 1\nfile: e.wma\n\(files)")
    #expect(try unplayable("x/a.mp3") == "")
    #expect(throws: Ack.self) { try unplayable("missing") }
    #expect(host.read { $0.queue.isEmpty })
  }

  @Test("What is added, and what is refused in words") func refusals() throws {
    try folder.write("a.mp3", song(cover: nil))
    try folder.write("b", song(cover: nil))
    try folder.write("x.data", "fLaC" + String(repeating: "x", count: 1000))
    try folder.write("notes.txt", "nothing to hear")
    try folder.write("mix.m3u", "a.mp3\nmissing.mp3\nx.data\nhttp://example.org/x\na.mp3\n")
    try folder.write("bad.m3u", "missing.mp3\n")
    try folder.write("folder/deep/a.mp3", song(cover: nil))
    symlink("nowhere", folder.file("folder/broken.mp3"))
    func refusal(_ command: Command.Library) -> String? {
      do {
        _ = try begin(command).get()
        return nil
      } catch {
        return (error as? Ack).map { "[\($0.code.rawValue)] \($0.message)" } ?? "\(error)"
      }
    }
    func count() -> Int { host.read { $0.queue.count } }
    // By its content, where it is not called like what it is.
    #expect(refusal(add("b")) == nil)
    #expect(count() == 1)
    let flac = refusal(add("x.data")) ?? ""
    #expect(flac.hasPrefix("[50] ") && flac.contains("x.data: This FLAC file cannot be decoded"), "\(flac)")
    #expect(
      refusal(.addid(uri: "x.data", at: nil))?.hasPrefix("[50] This FLAC file cannot be decoded") == true)
    #expect(refusal(.addid(uri: "mix.m3u", at: nil))?.hasPrefix("[50] ") == true)
    #expect(refusal(add("notes.txt"))?.hasPrefix("[50] ") == true)
    #expect(count() == 1)
    // What can be played of a playlist is added, and the rest told.
    let mix = refusal(add("mix.m3u")) ?? ""
    #expect(mix.hasPrefix("[50] "), "\(mix)")
    #expect(
      mix.hasSuffix("mix.m3u, line 2: missing.mp3: no such file (and 1 more); 3 songs added"), "\(mix)")
    #expect(count() == 4)
    let bad = refusal(add("bad.m3u")) ?? ""
    #expect(bad.hasSuffix("bad.m3u, line 1: missing.mp3: no such file"), "\(bad)")
    // A link to nothing in a folder is nobody's concern.
    #expect(refusal(add("folder")) == nil)
    #expect(count() == 5)
  }

  @Test("A folder of stored playlists that cannot be read hides no music") func unreadablePlaylists() throws {
    try folder.write("a.mp3", song(cover: nil))
    try folder.write("playlists", "a file")
    let library = LibraryCommands(
      host: host, home: try MusicHome(MediaPath(folder.path)),
      playlists: PlaylistFolder(MediaPath(folder.file("playlists"))),
      tagReader: TagReader(clock: SystemClock.shared) { _ in }, clock: SystemClock.shared)
    let client = ClientInfo(id: ClientID(number: 1), isLocal: true, isSameUser: true)
    let (music, lists) = (Answer(), Answer())
    library.perform(.lsinfo(nil), ConnectionMachine.Context(), for: client) { music.complete($0) }
    #expect(String(decoding: try music.get().bytes, as: UTF8.self).contains("file: a.mp3\n"))
    library.perform(.listplaylists, ConnectionMachine.Context(), for: client) { lists.complete($0) }
    #expect(throws: Ack.self) { try lists.get() }
  }

  @Test("A name that is not UTF-8 is taken as it was listed") func listedNames() throws {
    let name = Array("caf".utf8) + [0xE9] + Array(".mp3".utf8)
    try AtomicFile.write(song(cover: nil), to: MediaPath(folder.path).appending(name), mode: 0o600)
    let listed = String(decoding: try begin(.lsinfo(nil)).get().bytes, as: UTF8.self)
    #expect(listed.contains("file: caf\\xE9.mp3\n"), "\(listed)")
    _ = try begin(add("caf\\xE9.mp3")).get()
    #expect(host.read { $0.queue[position: 0]?.song.locator.bytes.suffix(name.count) } == name[...])
    #expect(throws: Ack.self) { try begin(add("caf\\xE8.mp3")).get() }
  }
}
