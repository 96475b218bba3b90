import Clocks
import ControlProtocol
import ControlTestSupport
import Jukebox
import JukeboxPlayback
import MusicFiles
import TestSupport
import Testing

@testable import ControlServer
@testable import MPDService

/// Names that lead out of the home directory, from clients that may not leave it: nothing tells what is there.
@Suite(.timeLimit(.minutes(10))) struct ConfinementTests {
  private let folder: TemporaryFolder
  private let library: LibraryCommands

  init() throws {
    folder = try TemporaryFolder()
    for name in ["music/a.mp3", "music/album/b.mp3", "elsewhere/c.mp3", "elsewhere/deep/d.mp3"] {
      try folder.write(name, [0xFF, 0xFB, 0x90, 0x00])
    }
    try folder.write("elsewhere/list.m3u", "c.mp3\n")
    try folder.link("music/out", to: folder.file("elsewhere"))
    try folder.link("music/link.mp3", to: folder.file("elsewhere/c.mp3"))
    try folder.link("music/gone.mp3", to: folder.file("elsewhere/none.mp3"))
    try folder.link("music/loop.mp3", to: "loop.mp3")
    try folder.link("music/list.m3u", to: folder.file("elsewhere/list.m3u"))
    try folder.write("music/links/notes.txt", [])
    try folder.link("music/links/one.mp3", to: folder.file("elsewhere/c.mp3"))
    try folder.link("music/links/two.mp3", to: folder.file("elsewhere/none.mp3"))
    try folder.link("music/links/three", to: folder.file("elsewhere/deep"))
    var generator = SystemRandomNumberGenerator()
    library = LibraryCommands(
      host: JukeboxHost(JukeboxMachine(using: &generator)),
      home: try MusicHome(MediaPath(folder.file("music"))),
      playlists: PlaylistFolder(MediaPath(folder.file("playlists"))),
      tagReader: TagReader(clock: SystemClock.shared) { _ in }, clock: SystemClock.shared)
  }

  /// What is answered, or the refusal as `[CODE] TEXT`.
  private func send(_ line: String, isLocal: Bool) throws -> String {
    var machine = ConnectionMachine()
    _ = machine.next()
    machine.append("\(line)\n".utf8)
    guard case .perform(let command, let context) = machine.next() else { return "not for the library" }
    let client = ClientInfo(id: ClientID(number: 1), isLocal: isLocal, isSameUser: false)
    let answer = Answer()
    switch command {
    case .library(let command): library.perform(command, context, for: client) { answer.complete($0) }
    case .playlists(let command): library.perform(command, context, for: client) { answer.complete($0) }
    default: return "not for the library"
    }
    do {
      return String(decoding: try answer.get().bytes, as: UTF8.self)
    } catch let ack as Ack {
      return "[\(ack.code.rawValue)] \(ack.message)"
    }
  }

  static let commands = [
    "add %", "addid %", "lsinfo %", "listfiles %", "unplayable %", "load %", "listplaylist %",
    "listplaylistinfo %",
    "readpicture % 0", "albumart % 0", "readcomments %", "playlistadd evening %",
  ]

  /// The first one is missing inside.
  static let names = [
    "none.mp3", "../elsewhere/c.mp3", "../elsewhere/none.mp3", "../elsewhere", "../nowhere", "out",
    "out/c.mp3",
    "out/none.mp3", "out/../elsewhere/c.mp3", "album/../../elsewhere/c.mp3", "link.mp3", "gone.mp3",
    "loop.mp3", "../elsewhere/list.m3u", "../elsewhere/list", "../elsewhere/none.m3u", "list.m3u",
    "../music/../elsewhere/deep", "../../../../../../../etc/passwd", "../../../../../../../etc/nothing",
    "../../../../../../../root/.profile", "../../../../../../../dev/null",
  ]

  @Test(
    "Whatever is outside, and whether anything is, the answer is that of a missing file", arguments: commands)
  func oneAnswer(command: String) throws {
    func answers(_ names: [String], isLocal: Bool) throws -> [String] {
      try names.map { try send(command.replacing("%", with: "\"\($0)\""), isLocal: isLocal) }
    }
    for isLocal in [true, false] {
      let given = try answers(Self.names, isLocal: isLocal)
      #expect(Set(given).count == 1, "\(zip(Self.names, given).map { "\($0): \($1)" })")
      // By its whole name a client of another user may name a song of the home, and one from the network none.
      let whole = ["music/none.mp3", "elsewhere/c.mp3", "elsewhere/none.mp3", "elsewhere", "music/out/c.mp3"]
      for prefix in ["", "file://"] {
        let names =
          whole.map { prefix + folder.file($0) } + ["\(prefix)/etc/passwd", "\(prefix)/etc/nothing"]
        let given = try answers(names, isLocal: isLocal)
        #expect(Set(given).count == 1, "\(zip(names, given).map { "\($0): \($1)" })")
        #expect(given.allSatisfy { !$0.contains(folder.path) })
      }
    }
  }

  @Test("A line of a playlist tells neither what is outside nor where the home is", arguments: [true, false])
  func playlistLines(isLocal: Bool) throws {
    let lines =
      Self.names + ["links/one.mp3", "links/two.mp3"]
      + ["elsewhere/c.mp3", "elsewhere/none.mp3", "elsewhere", "elsewhere/list.m3u", "music/none.mp3"]
      .flatMap { [folder.file($0), "file://\(folder.file($0))"] }
    for (index, line) in lines.enumerated() {
      try folder.write("music/\(index).m3u", "\(line)\n")
      let answer = try send("add \(index).m3u", isLocal: isLocal)
      #expect(
        answer.hasPrefix("[50] \(index).m3u, line 1: ") && answer.hasSuffix(": no such file"), "\(answer)")
      #expect(!answer.contains(folder.path), "\(answer)")
    }
    try folder.write("music/bad.m3u", "#EXTM3U\nalbum/none.mp3\na.mp3\n")
    #expect(
      try send("add bad.m3u", isLocal: isLocal)
        == "[50] bad.m3u, line 2: album/none.mp3: no such file; 1 song added")
  }

  @Test("A folder of links that lead outside has nothing to play, wherever they lead")
  func folderOfLinks() throws {
    #expect(try send("add links", isLocal: false) == "")
    #expect(
      try send("add \"\(folder.file("music/links"))\"", isLocal: true)
        == "[50] links/two.mp3: broken link (and 1 more)")
    try folder.write("music/links.m3u", "links\n")
    #expect(
      try send("add links.m3u", isLocal: false)
        == "[50] links.m3u, line 1: links/two.mp3: broken link (and 1 more)")
  }

  @Test("What is in the home is there for all, links to it too", arguments: [true, false])
  func inside(isLocal: Bool) throws {
    for name in ["a.mp3", "album/../a.mp3", "album", "../music/a.mp3", "out/../music/a.mp3"] {
      #expect(try send("add \(name)", isLocal: isLocal) == "", "\(name)")
    }
  }
}
