import Clocks
import ControlProtocol
import Glibc
import Jukebox
import JukeboxPlayback
import MusicFiles
import TestSupport
import Testing

@testable import ControlServer
@testable import MPDService
@testable import MusicLibrary

/// What one question to the database may cost, and whom it is answered for.
@Suite(.timeLimit(.minutes(10))) struct DatabaseLimitTests {
  private static let count = 2000
  /// Each takes far more steps than any text has characters: without a limit hours, or 20,000 steps for each character of
  /// each title.
  private static let attacks = [
    "(a+)+$", "a{1,30}a{1,30}a{1,20}[bz]", "(a|aa)+$", "(.*)*[xz]", "^(a?){60}a{60}[bz]",
    "(?<n>a*)*\\k<n>[bz]",
  ]

  private let folder: TemporaryFolder
  private let clock = VirtualClock()
  private let library: LibraryCommands
  private let host: JukeboxHost

  init() throws {
    folder = try TemporaryFolder()
    let path = MediaPath(folder.file("library"))
    let home = try MusicHome(MediaPath(folder.path))
    let writer = try LibraryWriter(LibraryFile.open(path, home: home.path))
    let status = try FileStatus(of: MediaPath(folder.path))
    let title = String(repeating: "a", count: 60)
    try writer.begin()
    let id = try writer.folder([], modified: 0)
    for index in 0..<Self.count {
      try writer.add(
        song: Array("\(index).mp3".utf8), as: nil, to: id, status,
        SongMetadata(
          duration: 1, modified: 1, sampleRate: 44_100, channels: 2,
          tags: [SongTag(.title, Argument("\(title) \(index)"))]))
    }
    try writer.arrangeSongs(in: id)
    _ = try writer.finish(isComplete: true)
    try writer.commit()
    var generator = SystemRandomNumberGenerator()
    host = JukeboxHost(JukeboxMachine(using: &generator))
    library = LibraryCommands(
      host: host, home: home,
      library: try MusicDatabase(path, home: home, clock: clock) { _, _ in },
      stickers: StickerStore(MediaPath(folder.file("stickers"))) { _ in },
      tagReader: TagReader(clock: SystemClock.shared) { _ in }, clock: clock)
  }

  private func ask(_ name: String, _ arguments: Argument...) throws -> String {
    try library.answer(to: database(name, arguments))
  }

  private func database(_ name: String, _ arguments: [Argument]) throws -> Command.Database {
    guard case .database(let command) = try Command(try Request(name, arguments)) else {
      throw Ack(.unknown, "not for the database")
    }
    return command
  }

  @Test(
    "An expression that takes too many steps is refused in words",
    arguments: zip(attacks, attacks.indices.map { $0 % 2 == 0 ? "count" : "search" }))
  func steps(_ attack: String, _ command: String) throws {
    #expect {
      try ask(command, Argument("(title =~ \"\(attack.replacing("\\", with: "\\\\"))\")"))
    } throws: { error in
      guard let ack = error as? Ack else { return false }
      return ack.code == .argument && ack.message.contains("regular expression")
    }
    // Others, and this client too, go on.
    #expect(try ask("count", "(title =~ \"^a{60} 1\\\\d+$\")").hasPrefix("songs: 1110\n"))
  }

  @Test("What the database knows of a song is in the queue at once") func described() throws {
    for name in ["7.mp3", "unknown.mp3"] {
      try folder.write(name, "not read here")
      let answer = Answer()
      library.perform(
        .add(uri: Argument(Array(name.utf8)), at: nil), ConnectionMachine.Context(),
        for: ClientInfo(id: ClientID(number: 1), isLocal: true, isSameUser: true)
      ) { answer.complete($0) }
      _ = try answer.get()
    }
    let titles = host.read { machine in
      (0..<machine.queue.count).map { machine.queue[position: $0]?.song.metadata?.tags.first?.value }
    }
    #expect(titles == [Argument(String(repeating: "a", count: 60) + " 7"), nil])
  }

  @Test("No question is answered for a client that has gone") func gone() throws {
    library.gone.connectionClosed(ClientID(number: 1))
    #expect(try ask("count", "(title contains 'a')").hasPrefix("songs: \(Self.count)\n"))
    clock.advance(bySeconds: 2)
    for command in ["count", "search", "list"] {
      #expect(throws: Ack(.system, "nothing was done: the client has gone")) {
        try command == "list" ? ask(command, "title") : ask(command, "(title contains 'a')")
      }
    }
    library.gone.clientLeft(ClientID(number: 1))
    #expect(try ask("count", "(title contains 'a')").hasPrefix("songs: \(Self.count)\n"))
  }

  @Test("Commands of clients that have left do not pile up") func manyGone() throws {
    for number: UInt64 in 2..<102 { library.gone.connectionClosed(ClientID(number: number)) }
    #expect {
      try ask("count", "(title contains 'a')")
    } throws: { error in
      guard let ack = error as? Ack else { return false }
      return ack.code == .system && ack.message.contains("100 clients that have left")
    }
    library.gone.clientLeft(ClientID(number: 2))
    #expect(try ask("count", "(title contains 'a')").hasPrefix("songs: \(Self.count)\n"))
  }

  @Test("Songs in the queue get the tags of the database where the file has them") func renewed() throws {
    let ids = try host.change { machine throws(JukeboxError) in
      try machine.add(
        [1, 2, 3].map {
          Song(path: Array("\(folder.path)/\($0).mp3".utf8), metadata: SongMetadata(duration: 5, modified: 0))
        })
    }
    // The database has read the files at second 1. The second one has changed since, the third one is gone.
    for (name, second) in [("1.mp3", 1), ("2.mp3", 2)] {
      try folder.write(name, "not read here")
      let times = [timespec](repeating: timespec(tv_sec: second, tv_nsec: 0), count: 2)
      #expect(utimensat(AT_FDCWD, folder.file(name), times, 0) == 0)
    }
    let edition = host.read { $0.queue.edition }
    library.renewTags()
    let durations = host.read { machine in ids.map { machine.queue[$0]?.duration } }
    #expect(durations == [1, 5, 5])
    library.renewTags()
    #expect(host.read { $0.queue.edition } == edition + 1)
  }

  @Test("A folder whose name is not UTF-8 is walked through as it was listed") func listedFolder() throws {
    let path = MediaPath(folder.file("library"))
    let name = [UInt8(ascii: "M"), 0xFC]
    let writer = try LibraryWriter(LibraryFile.open(path, home: library.home.path))
    try writer.begin()
    try writer.add(
      song: name + Array("/a.mp3".utf8), as: nil, to: writer.folder(name, modified: 0),
      FileStatus(of: MediaPath(folder.path)), SongMetadata(duration: 1))
    _ = try writer.finish(isComplete: false)
    try writer.commit()
    #expect(try ask("listall", "M\\xFC") == "directory: M\\xFC\nfile: M\\xFC/a.mp3\n")
    #expect(throws: Ack.self) { try ask("listall", "M\\xFD") }
    for filter in [["base", "M\\xFC"], ["file", "M\\xFC/a.mp3"], ["(base 'M\\\\xFC')"]] as [[Argument]] {
      #expect(try library.answer(to: database("find", filter)).hasPrefix("file: M\\xFC/a.mp3\n"))
    }
    // Its stickers are those of the song, under whichever name.
    _ = try sticker("set", "M\\xFC/a.mp3", "rating", "5")
    #expect(try sticker("get", "M\\xFC/a.mp3", "rating") == "sticker: rating=5\n")
    #expect(try sticker("get", Argument(name + Array("/a.mp3".utf8)), "rating") == "sticker: rating=5\n")
    #expect(try sticker("find", "M\\xFC", "rating") == "file: M\\xFC/a.mp3\nsticker: rating=5\n")
    #expect(throws: Ack.noSuchSong) { try sticker("list", "M\\xFD/a.mp3") }
  }

  private func sticker(_ action: Argument, _ uri: Argument, _ rest: Argument...) throws -> String {
    let request = try Request("sticker", [action, "song", uri] + rest)
    guard case .stickers(let command) = try Command(request) else { return "" }
    let answer = Answer()
    library.perform(command, for: ClientInfo(id: ClientID(number: 1), isLocal: true, isSameUser: true)) {
      answer.complete($0)
    }
    return String(decoding: try answer.get().bytes, as: UTF8.self)
  }

  @Test("An update goes to the folder that is listed, also where no song is known") func updatedFolder()
    throws
  {
    let name = [UInt8(ascii: "M"), 0xFC]
    _ = try MediaPath(folder.path).appending(name).systemCall { mkdir($0, 0o755) }
    #expect(library.database.path(toUpdate: "M\\xFC") == name)
    #expect(library.database.path(toUpdate: "M\\xFD") == Array("M\\xFD".utf8))
    try folder.write("M\\xFC/a.txt", "")
    #expect(library.database.path(toUpdate: "M\\xFC") == Array("M\\xFC".utf8))
  }

  @Test("A long answer that cannot be completed ends with the reason", arguments: 0..<3)
  func cutOff(_ kind: Int) throws {
    let names = (0..<200).map { "\($0).mp3" }
    for name in names { try folder.write(name, "not read here") }
    try folder.write("list.m3u", names.joined(separator: "\n"))
    let answer = Answer()
    let client = ClientInfo(id: ClientID(number: 1), isLocal: true, isSameUser: true)
    let request = [("listallinfo", []), ("find", ["(base '')"]), ("listplaylistinfo", ["list.m3u"])][kind]
    switch try Command(try Request(request.0, request.1.map { Argument(Array($0.utf8)) })) {
    case .database(let command):
      library.perform(command, .init(), for: client) { answer.complete($0) }
    case .playlists(let command):
      library.perform(command, .init(), for: client) { answer.complete($0) }
    default: Issue.record("no such command")
    }
    let rest = try #require(try answer.get().rest)
    try LibraryFile.open(MediaPath(folder.file("library")), home: library.home.path).run("DROP TABLE songs")
    let piece = rest.next()
    #expect(piece.rest == nil && piece.bytes.isEmpty)
    #expect(piece.refusal?.code == .system && piece.refusal?.message.contains("songs") == true, "\(piece)")
  }
}
