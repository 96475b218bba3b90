import Clocks
import ControlProtocol
import Foundation
import MusicFiles
import Synchronization
import TestSupport
import Testing

@testable import MusicLibrary

/// The file, and what can be wrong with it.
@Suite(.timeLimit(.minutes(10))) struct DatabaseTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("Values go in and come out as they are") func values() throws {
    let database = try Database(MediaPath(folder.file("db")))
    try database.run("CREATE TABLE t(a, b, c, d)")
    let bytes: [UInt8] = [0, 0xFF, 0x27, 0x22, 0xC3]
    try database.run(
      "INSERT INTO t VALUES(?, ?, ?, ?)", .bytes(bytes), .bytes([]), .integer(.min), .real(0.1))
    var rows = 0
    try database.statement("SELECT a, b, c, d, b IS NULL FROM t").forEach([]) { row in
      rows += 1
      #expect(row.bytes(0) == bytes)
      #expect(row.bytes(1) == [])
      #expect(row.integer(2) == .min)
      #expect(row.real(3) == 0.1)
      #expect(row.integer(4) == 0)
    }
    #expect(rows == 1)
    #expect(
      try database.integer(
        "SELECT folded(?) = ?", .bytes(Array("STRAßE".utf8)), .bytes(Array("strasse".utf8))) == 1)
    #expect(throws: DatabaseError.self) { try database.run("SELECT nonsense") }
    #expect(throws: DatabaseError.self) {
      _ = try Database(MediaPath(folder.file("no/such/folder")))
    }
  }

  @Test("What is no database, or of another version, is put aside with a word", arguments: [0, 1, 2])
  func unusable(_ kind: Int) throws {
    try folder.song("a.mp3")
    switch kind {
    case 0: try folder.write("library", String(repeating: "not a database ", count: 100))
    case 1: try Database(MediaPath(folder.file("library"))).run("PRAGMA user_version = 99")
    default: try Database(MediaPath(folder.file("library"))).run("CREATE TABLE songs(a)")
    }
    let run = try LibraryRun(folder)
    try run.start()
    #expect(try run.songs() == ["a.mp3"])
    #expect(run.events.complaints.count == (kind == 2 ? 0 : 1))
    #expect(folder.names.contains("library.damaged-1") == (kind != 2))
    #expect(folder.mode(of: "library") == 0o600)
  }

  @Test("A database that is damaged while it is used is made anew") func damaged() throws {
    for index in 0..<200 {
      try folder.song("\(index).mp3", ["TPE1": "Artist \(index)", "TALB": "Album \(index)"])
    }
    let before = try LibraryRun(folder)
    try before.start()
    before.library.stop()
    try before.library.writer.use { writer throws(DatabaseError) in
      try writer?.database.run("PRAGMA wal_checkpoint(TRUNCATE)")
      writer = nil
    }
    var bytes = try folder.read("library")
    // All but the first pages, which say what there is.
    for index in 8192..<bytes.count { bytes[index] = 0xA5 }
    try folder.write("library", bytes)
    let run = try LibraryRun(folder)
    #expect(throws: DatabaseError.self) { try run.songs() }
    run.library.start { [events = run.events] in events.note($0) }
    try run.events.wait { run.library.updatingJob == nil && (try? run.songs().count) == 200 }
    #expect(run.events.complaints.contains { $0.contains("rebuilding the music database") })
    #expect(folder.names.contains("library.damaged-1"))
  }

  @Test("A connection that was made while the file is replaced is not used afterwards") func replaced() throws
  {
    try folder.song("a.mp3")
    let run = try LibraryRun(folder)
    try run.start()
    run.library.stop()
    try run.library.replacingFile { () throws in
      let songs = try run.songs()
      #expect(songs == ["a.mp3"])
      _ = LibraryFile.setAside(MediaPath(folder.file("library")), keeping: 1)
    }
    #expect(throws: DatabaseError.self) { try run.songs() }
  }

  @Test("Where there is no room, what was known stays, and a word is said once") func full() throws {
    try folder.song("a.mp3", ["TPE1": "One"])
    let run = try LibraryRun(folder)
    try run.start()
    try run.library.writer.use { writer throws(DatabaseError) in
      try writer?.database.run("PRAGMA max_page_count = 1")
    }
    for index in 0..<300 {
      try folder.song(
        "\(index).mp3", ["TPE1": "Artist \(index)", "TIT2": String(repeating: "x", count: 500)])
    }
    for _ in 0..<2 {
      _ = try run.library.update([], rereads: false)
      try run.events.wait { !run.events.complaints.isEmpty && run.library.updatingJob == nil }
    }
    #expect(try run.list("artist").contains(["One"]))
    #expect(run.events.complaints.count == 1)
    #expect(run.events.complaints[0].contains("the disk is full"))
    // The library tries again by itself meanwhile.
    run.events.betweenUpdates { [library = run.library] in
      library.writer.use { writer in try? writer?.database.run("PRAGMA max_page_count = 1000000") }
    }
    _ = try run.library.update([], rereads: false)
    try run.events.wait { run.library.updatingJob == nil && (try? run.songs().count) == 301 }
  }

  @Test("Another home is another library") func otherHome() throws {
    try folder.song("a.mp3")
    let run = try LibraryRun(folder)
    try run.start()
    run.library.stop()
    try folder.write("other/b.mp3", SongBytes.make())
    let other = try MusicDatabase(
      MediaPath(folder.file("library")), home: MusicHome(MediaPath(folder.file("other"))),
      clock: SystemClock.shared
    ) { _, _ in }
    #expect(try other.read { r throws(DatabaseError) in try r.paths(nil) } == [])
  }

  @Test("Readers see whole steps while the writer writes, and do not wait for it") func readersBesideWriter()
    throws
  {
    try folder.song("a.mp3")
    let run = try LibraryRun(folder)
    try run.start()
    try run.library.writer.use { writer in
      try writer?.begin()
      try writer?.remove(folder: [])
      #expect(try run.songs() == ["a.mp3"])
      writer?.rollBack()
    }
    #expect(try run.songs() == ["a.mp3"])
  }

  @Test("A reader sees one state from its first query to its last") func readsOneState() throws {
    for index in 0..<10 { try folder.song("\(index).mp3") }
    let run = try LibraryRun(folder)
    try run.start()
    guard case .database(.find(let query)) = try Command(Request("find", ["(base '')"])) else { return }
    let count = try run.library.writer.use { writer in
      try run.library.read { reader throws(DatabaseError) in
        let ids = try reader.find(query, foldsCase: false)
        try writer?.begin()
        try writer?.remove(folder: [])
        try writer?.commit()
        return try reader.songs(ids).count
      }
    }
    #expect(count == 10)
    #expect(try run.songs() == [])
  }

  @Test("A database that cannot be made anew is an error of an update, and is made by a later one")
  func failedRebuild() throws {
    try folder.song("a.mp3")
    let (path, obstacle) = (MediaPath(folder.file("library")), folder.file("library"))
    let events = LibraryRun.Events()
    let library = try MusicDatabase(
      path, home: MusicHome(MediaPath(folder.file("music"))), clock: SystemClock.shared
    ) { level, text in
      // Where the database is to be made, a folder is in the way.
      if text.contains("rebuilding") { mkdir(obstacle, 0o700) }
      events.complain(level, text)
    }
    defer { library.stop() }
    library.start { events.note($0) }
    try events.wait { library.updatingJob == nil }
    try library.writer.use { writer throws(DatabaseError) in
      try writer?.database.run("UPDATE songs SET metadata = x'FF'")
    }
    #expect(throws: DatabaseError.self) {
      try library.read { r throws(DatabaseError) in try r.song(Array("a.mp3".utf8)) }
    }
    try events.wait {
      events.complaints.contains { $0.contains("cannot open") } && library.updatingJob == nil
    }
    #expect(throws: DatabaseError.self) { try library.update([], rereads: false) }
    try events.wait { library.updatingJob == nil }
    rmdir(obstacle)
    _ = try? library.update([], rereads: false)
    try events.wait {
      let song = try? library.read { r throws(DatabaseError) in try r.song(Array("a.mp3".utf8)) }
      return library.updatingJob == nil && song != nil
    }
    #expect(events.complaints.count { $0.contains("cannot open") } == 1, "\(events.complaints)")
    #expect(try library.update([], rereads: false) != nil)
  }
}
