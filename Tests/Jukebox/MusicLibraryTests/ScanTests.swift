import Clocks
import ControlProtocol
import Foundation
import Glibc
import Jukebox
import MusicFiles
import Synchronization
import TestSupport
import Testing

@testable import MusicLibrary

/// What is found in the home, and found again.
@Suite(.timeLimit(.minutes(10))) struct ScanTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// They are those of other formats, and those without sound that the player can decode.
  @Test("Files that cannot be used are told once, with their kinds") func unplayable() throws {
    try folder.song("a.mp3")
    for name in ["b.wma", "in/c.ape", "cover.jpg", "e.flac", "list.m3u"] {
      try folder.write("music/\(name)", "x")
    }
    let run = try LibraryRun(folder)
    try run.start()
    try run.update()
    try run.update("in")
    var lines = ["\(run.home.path): 3 files cannot be played: 1 .ape, 1 .flac, 1 .wma"]
    // A message may follow the end of its update.
    try run.events.wait { run.events.complaints == lines }
    try folder.write("music/d.wma", "x")
    try run.update()
    lines.append("\(run.home.path): 4 files cannot be played: 2 .wma, 1 .ape, 1 .flac")
    try run.events.wait { run.events.complaints == lines }
    #expect(run.events.lines == ["\(run.home.path): 1 song found"])
  }

  @Test("Songs come by album, disc, track and name, folders as a person puts them, empty ones not at all")
  func order() throws {
    try folder.song("z.mp3")
    try folder.song("b 10.mp3", ["TALB": "Album", "TRCK": "10"])
    try folder.song("c 2.mp3", ["TALB": "Album", "TRCK": "2/12"])
    try folder.song("d.mp3", ["TALB": "Album", "TRCK": "1", "TPOS": "2"])
    try folder.song("Zwei/a.mp3")
    try folder.song("eins/12/a.mp3")
    try folder.song("eins/2/a.mp3")
    try folder.write("music/empty/notes.txt", "no music")
    try folder.write("music/eins/list.m3u", "2/a.mp3\n")
    let run = try LibraryRun(folder)
    try run.start()
    #expect(
      try run.songs() == [
        "z.mp3", "c 2.mp3", "b 10.mp3", "d.mp3", "eins/2/a.mp3", "eins/12/a.mp3", "Zwei/a.mp3",
      ])
    let folders = try run.library.read { reader throws(DatabaseError) in
      let home = try reader.folder([]) ?? 0
      let eins = try reader.folder(Array("eins".utf8)) ?? 0
      return (try reader.folders(in: home).map(\.path), try reader.playlists(in: eins).map(\.path))
    }
    #expect(folders.0 == [Array("eins".utf8), Array("Zwei".utf8)])
    #expect(folders.1 == [Array("eins/list.m3u".utf8)])
    #expect(run.library.figures.songs == 7)
    #expect(run.library.figures.albums == 1)
    #expect(run.events.all.last == [.update, .database])
    #expect(run.events.complaints.isEmpty)
    #expect(folder.mode(of: "library") == 0o600)
  }

  @Test("A folder in whose midst a scan ended is put in order by the next one") func endedInAFolder() throws {
    try folder.song("x/b.mp3", ["TALB": "Album", "TRCK": "1", "TPE1": "Artist"])
    try folder.song("x/a.mp3", ["TALB": "Album", "TRCK": "2", "TPE1": "Artist"])
    let home = try MusicHome(MediaPath(folder.file("music")))
    let writer = try LibraryWriter(LibraryFile.open(MediaPath(folder.file("library")), home: home.path))
    try writer.begin()
    let id = try writer.folder(Array("x".utf8), modified: 0)
    for name in ["x/a.mp3", "x/b.mp3"] {
      let path = home.path.appending(Array(name.utf8))
      try writer.add(
        song: Array(name.utf8), as: nil, to: id, FileStatus(of: path), SongMetadata(path: path.bytes))
    }
    try writer.commit()
    let run = try LibraryRun(folder)
    try run.start()
    #expect(try run.songs() == ["x/b.mp3", "x/a.mp3"])
    #expect(try run.find("(file contains 'B.MP')", search: true) == ["x/b.mp3"])
    #expect(try run.list("Album", "group", "Artist") == [["Artist", "Album"]])
    // And what goes is gone from all of them.
    unlink(folder.file("music/x/b.mp3"))
    try run.update()
    #expect(try run.find("(file contains 'b.mp')").isEmpty)
    unlink(folder.file("music/x/a.mp3"))
    try run.update()
    #expect(try run.list("Album", "group", "Artist").isEmpty)
  }

  @Test("A pass whose last commit fails is completed by the next one") func failedCommit() throws {
    let path = MediaPath(folder.file("library"))
    let writer = try LibraryWriter(LibraryFile.open(path, home: MediaPath(folder.path)))
    func finish() throws -> Bool {
      try writer.begin()
      return try writer.finish(isComplete: true)
    }
    try writer.begin()
    let status = try FileStatus(of: MediaPath(folder.path))
    try writer.add(
      song: Array("x/a.mp3".utf8), as: nil, to: writer.folder(Array("x".utf8), modified: 0), status,
      SongMetadata(duration: 1))
    try writer.commit()
    #expect(try finish())
    writer.rollBack()
    #expect(try finish())
    try writer.commit()
    let reader = try LibraryReader(LibraryFile.connect(path))
    #expect(try reader.figures()?.songs == 1)
    #expect(try !finish())
    try writer.commit()
  }

  @Test("What is known is not read again, until it is told to") func knownFiles() throws {
    try folder.song("a.mp3", ["TPE1": "Before"])
    try folder.write("music/no song.mp3", "nothing of the kind")
    let before = try LibraryRun(folder)
    try before.start()
    before.library.stop()
    // Another content of the same length, with the same time.
    var status = stat()
    stat(folder.file("music/a.mp3"), &status)
    let handle = try #require(FileHandle(forUpdatingAtPath: folder.file("music/a.mp3")))
    try handle.write(contentsOf: SongBytes.make(["TPE1": "Behind"]))
    try handle.close()
    let times = [status.st_atim, status.st_mtim]
    utimensat(AT_FDCWD, folder.file("music/a.mp3"), times, 0)
    let after = try LibraryRun(folder)
    #expect(try after.list("artist") == [["Before"]])
    #expect(after.library.figures.songs == 1)
    try after.start()
    #expect(try after.list("artist") == [["Before"]])
    // Nobody is told of a change where there is none.
    #expect(!after.events.all.contains { $0.contains(.database) })
    try after.update(rereads: true)
    #expect(try after.list("artist") == [["Behind"]])
    #expect(try after.songs() == ["a.mp3"])
  }

  @Test("A song that is read again is the same song to a client that reads a list meanwhile")
  func sameSong() throws {
    for index in 0..<3 { try folder.song("\(index).mp3", ["TPE1": "One"]) }
    let run = try LibraryRun(folder)
    try run.start()
    guard case .database(.find(let query)) = try Command(Request("find", ["artist", "One"])) else { return }
    let ids = try run.library.read { r throws(DatabaseError) in try r.find(query, foldsCase: false) }
    try folder.song("1.mp3", ["TPE1": "Another"])
    try run.update(rereads: true)
    #expect(try run.library.read { r throws(DatabaseError) in try r.songs(ids).count } == 3)
    #expect(try run.find("artist", "One") == ["0.mp3", "2.mp3"])
    #expect(try run.find("artist", "Another") == ["1.mp3"])
  }

  @Test("A song that is rewritten while it is read is read again") func rewritten() throws {
    try folder.song("a.mp3", ["TPE1": "Old"])
    let path = folder.file("music/a.mp3")
    let writer = try LibraryWriter(
      LibraryFile.open(MediaPath(folder.file("library")), home: MediaPath(folder.file("music"))))
    func scan(_ onFile: @escaping () -> Void) throws {
      var scan = FolderScan(
        writer, home: MediaPath(folder.file("music")), watch: nil, rereads: false, seconds: { 0 },
        isCancelled: {
          onFile()
          return false
        })
      try writer.begin()
      try scan.scan([], isDeep: true)
      _ = try writer.finish(isComplete: true)
      try writer.commit()
    }
    var reads = 0
    try scan {
      reads += 1
      // Half of the new song is there.
      try? Data(SongBytes.make(["TPE1": "New"]).prefix(500)).write(to: URL(fileURLWithPath: path))
    }
    try scan {
      reads += 1
      try? Data(SongBytes.make(["TPE1": "New"])).write(to: URL(fileURLWithPath: path))
    }
    try scan { reads += 1 }
    try scan { reads += 1 }
    #expect(reads == 3)
    let reader = try LibraryReader(LibraryFile.connect(MediaPath(folder.file("library"))))
    #expect(try reader.song(Array("a.mp3".utf8))?.metadata.first(.artist) == Array("New".utf8))
  }

  @Test("What is gone is forgotten, with its tags, and folders that hold nothing") func gone() throws {
    try folder.song("a.mp3", ["TPE1": "One"])
    try folder.song("x/y/b.mp3", ["TPE1": "Two"])
    try folder.song("x/y/c.mp3", ["TPE1": "Three"])
    try folder.song("xy/d.mp3", ["TPE1": "Four"])
    let run = try LibraryRun(folder)
    try run.start()
    run.library.stop()
    try FileManager.default.removeItem(atPath: folder.file("music/x/y/b.mp3"))
    let second = try LibraryRun(folder)
    try second.start()
    #expect(try second.list("artist") == [["Four"], ["One"], ["Three"]])
    second.library.stop()
    try FileManager.default.removeItem(atPath: folder.file("music/x/y/c.mp3"))
    let third = try LibraryRun(folder)
    try third.start()
    #expect(try third.songs() == ["a.mp3", "xy/d.mp3"])
    #expect(try third.library.read { r throws(DatabaseError) in try r.folder(Array("x".utf8)) } == nil)
    third.library.stop()
    try FileManager.default.removeItem(atPath: folder.file("music/xy"))
    let fourth = try LibraryRun(folder)
    try fourth.start()
    #expect(try fourth.songs() == ["a.mp3"])
    #expect(fourth.library.figures.artists == 1)
    // Two songs are in the database no more, and nobody has their texts.
    let texts = try fourth.library.writer.use { writer throws(DatabaseError) in
      try writer?.database.integer("SELECT count(*) FROM texts")
    }
    #expect(texts == 1)
  }

  @Test("A home that is not there takes nothing with it") func missingHome() throws {
    try folder.song("a.mp3")
    let run = try LibraryRun(folder)
    try run.start()
    try FileManager.default.moveItem(atPath: folder.file("music"), toPath: folder.file("away"))
    try run.update()
    #expect(try run.songs() == ["a.mp3"])
    #expect(run.events.complaints.count == 1)
  }

  @Test("Songs behind a link that cannot be followed now stay; those behind a link to nothing go")
  func linksThatFail() throws {
    let targets = ["album": "away/album", "a.mp3": "away/b.mp3"]
    try folder.write("away/b.mp3", SongBytes.make([:]))
    try folder.write("away/album/c.mp3", SongBytes.make([:]))
    try folder.song("own.mp3")
    for (name, target) in targets { try folder.link("music/\(name)", to: "../\(target)") }
    let run = try LibraryRun(folder)
    try run.start()
    let all = ["a.mp3", "own.mp3", "album/c.mp3"]
    #expect(try run.songs() == all)
    // In one step, because the library scans as soon as it notices.
    func replace(_ name: String, by target: String) throws {
      try folder.link("music/.new", to: target)
      try #require(rename(folder.file("music/.new"), folder.file("music/\(name)")) == 0)
    }
    // A circle is an error that root gets too, as of a mount whose server is away.
    for name in targets.keys { try replace(name, by: name) }
    for path in ["", "album"] {
      try run.update(path)
      #expect(try run.songs() == all)
    }
    try run.events.wait {
      run.events.complaints.contains {
        $0.contains("music/a.mp3: too many levels of symbolic links (and 1 more)")
      }
    }
    for name in targets.keys { try replace(name, by: "nowhere") }
    try run.update()
    #expect(try run.songs() == ["own.mp3"])
  }

  @Test("A part is looked at alone; a file by its folder, what is gone by what is above it") func parts()
    throws
  {
    try folder.song("x/a.mp3")
    try folder.song("y/b.mp3")
    let run = try LibraryRun(folder)
    try run.start()
    run.library.stop()
    try folder.song("x/new.mp3")
    try folder.song("y/z/new.mp3")
    let second = try LibraryRun(folder)
    func scan(_ path: String) throws {
      try second.library.writer.use { writer in
        guard let writer else { return }
        var scan = FolderScan(
          writer, home: second.home.path, watch: nil, rereads: false, seconds: { 0 }, isCancelled: { false })
        try writer.begin()
        try scan.scan(Array(path.utf8), isDeep: true)
        _ = try writer.finish(isComplete: false)
        try writer.commit()
      }
    }
    try scan("x/a.mp3")
    #expect(try second.songs() == ["x/a.mp3", "x/new.mp3", "y/b.mp3"])
    try FileManager.default.removeItem(atPath: folder.file("music/x"))
    try scan("x/not/there")
    // The folder that is new is found on the way, what is new in known ones is not.
    #expect(try second.songs() == ["y/b.mp3"])
    try scan("y/z")
    #expect(try second.songs() == ["y/b.mp3", "y/z/new.mp3"])
  }

  @Test("Links that lead in circles end, and each place is known by its names") func links() throws {
    try folder.song("a/song.mp3")
    try folder.song("b/song.mp3")
    try folder.link("music/a/up", to: "..")
    try folder.link("music/a/b", to: "../b")
    try folder.link("music/b/a", to: "../a")
    try folder.link("music/self", to: "self")
    for index in 0..<12 { try folder.link("music/b/more \(index)", to: "../b/../a") }
    let run = try LibraryRun(folder)
    try run.start()
    let songs = try run.songs()
    #expect(songs.contains("a/song.mp3") && songs.contains("a/b/song.mp3") && songs.contains("b/song.mp3"))
    #expect(songs.count <= 8)
    let count = songs.count
    try run.update()
    #expect(try run.songs().count == count)
  }

  @Test("Names of any bytes") func names() throws {
    let name: [UInt8] = Array("caf".utf8) + [0xE9] + Array(".mp3".utf8)
    let run = try LibraryRun(folder)
    let path = run.home.path.appending(name)
    let bytes = SongBytes.make(["TIT2": "Latin-1"])
    let descriptor = path.withCString { open($0, O_WRONLY | O_CREAT, 0o600) }
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
    try folder.song("new\nline '\"\\.mp3", ["TIT2": "Quotes"])
    try folder.song("\u{1F3B5}.mp3", ["TIT2": "Emoji"])
    try run.start()
    let song = try run.library.read { r throws(DatabaseError) in try r.song(name) }
    #expect(song?.path == name)
    #expect(try run.list("title") == [["Emoji"], ["Latin-1"], ["Quotes"]])
  }

  @Test("What changes is seen without being told") func watching() throws {
    try folder.song("a.mp3", ["TPE1": "One"])
    let run = try LibraryRun(folder)
    try run.start()
    func wait(for artists: [String]) throws {
      try run.events.wait { try run.library.updatingJob == nil && run.list("artist") == artists.map { [$0] } }
    }
    try folder.song("new/deeper/b.mp3", ["TPE1": "Two"])
    try wait(for: ["One", "Two"])
    try folder.song("new/deeper/c.mp3", ["TPE1": "Three"])
    try wait(for: ["One", "Three", "Two"])
    try folder.song("a.mp3", ["TPE1": "First"])
    try wait(for: ["First", "Three", "Two"])
    try FileManager.default.moveItem(atPath: folder.file("music/new"), toPath: folder.file("music/other"))
    try run.events.wait { try run.songs().last?.hasPrefix("other/") == true }
    try FileManager.default.removeItem(atPath: folder.file("music/other"))
    try wait(for: ["First"])
    #expect(run.events.all.contains([.update, .database]))
    // Links to folders are not reported as folders.
    try folder.song("../disk/d.mp3", ["TPE1": "Four"])
    try folder.link("music/disk", to: "../disk")
    try wait(for: ["First", "Four"])
    unlink(folder.file("music/disk"))
    try wait(for: ["First"])
  }

  @Test("What a scan that was broken off has left undone is done by the next, without changes")
  func brokenOff() throws {
    for name in ["b", "c"] { try folder.song("\(name)/1.mp3") }
    try LibraryRun(folder).start()
    try folder.song("a/1.mp3")
    let home = MediaPath(folder.file("music"))
    func writer() throws -> LibraryWriter {
      try LibraryWriter(LibraryFile.open(MediaPath(folder.file("library")), home: home))
    }
    var seconds = 0.0
    func scan(_ writer: LibraryWriter, isBroken: Bool) throws {
      var count = 0
      var scan = FolderScan(
        writer, home: home, watch: nil, rereads: false, seconds: { seconds },
        isCancelled: {
          seconds += 100
          count += 1
          return isBroken && count > 3
        })
      try writer.begin()
      try? scan.scan([], isDeep: true)
      if !isBroken { _ = try writer.finish(isComplete: true) }
      try writer.commit()
    }
    try scan(try writer(), isBroken: true)
    #expect(try LibraryRun(folder).songs() == ["b/1.mp3", "c/1.mp3", "a/1.mp3"])
    try scan(try writer(), isBroken: false)
    // Another run, because answers are kept.
    #expect(try LibraryRun(folder).songs() == ["a/1.mp3", "b/1.mp3", "c/1.mp3"])
  }

  @Test("A run that is ended keeps what it has, and the next one goes on") func ending() throws {
    for index in 0..<300 { try folder.song("\(index % 30)/\(index).mp3") }
    let run = try LibraryRun(folder)
    run.library.start { _ in }
    run.library.stop()
    let second = try LibraryRun(folder)
    #expect(try second.songs().count <= 300)
    try second.start()
    #expect(try second.songs().count == 300)
    #expect(try second.library.update([], rereads: false) != nil)
  }

  @Test("Links to the kernel's own files lead nowhere, and a word says so") func kernelFiles() throws {
    try folder.song("a.mp3")
    try folder.song("z/b.mp3")
    try folder.link("music/sys", to: "/proc/sys")
    try folder.link("music/self", to: "/proc/self")
    let run = try LibraryRun(folder)
    try run.start()
    #expect(try run.songs() == ["a.mp3", "z/b.mp3"])
    let complaint = run.events.complaints.first ?? ""
    #expect(run.events.complaints.count == 1)
    #expect(complaint.contains("music/self") && complaint.contains("kernel"), "\(complaint)")
    // The same is said once.
    try run.update()
    #expect(run.events.complaints.count == 1)
  }

  @Test("Songs are found by all that is known of them while their folder is still being scanned")
  func foundMeanwhile() throws {
    for index in 0..<4 {
      try folder.song("x/\(index).mp3", ["TPE1": "Artist", "TALB": "Album"])
    }
    let home = MediaPath(folder.file("music"))
    let writer = try LibraryWriter(LibraryFile.open(MediaPath(folder.file("library")), home: home))
    let run = try LibraryRun(folder)
    var seconds = 0.0
    var found: [(names: Int, artists: [[String]])] = []
    var scan = FolderScan(
      writer, home: home, watch: nil, rereads: false, seconds: { seconds },
      isCancelled: {
        seconds += 100
        found.append(
          ((try? run.find("file", ".MP3", search: true).count) ?? -1, (try? run.list("artist")) ?? []))
        return false
      })
    try writer.begin()
    try scan.scan([], isDeep: true)
    _ = try writer.finish(isComplete: true)
    try writer.commit()
    // Once for the folder, and before each song.
    #expect(found.map(\.names) == [0, 0, 1, 2, 3])
    #expect(found.last?.artists == [["Artist"]])
    #expect(try run.find("file", ".MP3", search: true).count == 4)
  }

  @Test("A song is found by its name before its folder is arranged") func notArranged() throws {
    try folder.song("x/a.mp3")
    let home = MediaPath(folder.file("music"))
    let writer = try LibraryWriter(LibraryFile.open(MediaPath(folder.file("library")), home: home))
    try writer.begin()
    let id = try writer.folder(Array("x".utf8), modified: 0)
    let path = home.appending(Array("x/a.mp3".utf8))
    try writer.add(
      song: Array("x/a.mp3".utf8), as: nil, to: id, FileStatus(of: path), SongMetadata(path: path.bytes))
    try writer.commit()
    let run = try LibraryRun(folder)
    #expect(try run.find("file", "A.MP", search: true) == ["x/a.mp3"])
    #expect(try run.find("file", "x/a.mp3") == ["x/a.mp3"])
    #expect(try run.find("(!(file contains 'A.MP'))", search: true) == [])
  }

  /// A scan of the home, `clock` seconds for each look at it.
  private func scan(
    _ allowance: LinkAllowance, in path: String = "", clock: Double = 0, onProgress: @escaping () -> Void = {}
  ) throws -> String? {
    let home = MediaPath(folder.file("music"))
    let writer = try LibraryWriter(LibraryFile.open(MediaPath(folder.file("library")), home: home))
    var seconds = 0.0
    var scan = FolderScan(
      writer, home: home, watch: nil, rereads: false, linkAllowance: allowance,
      seconds: {
        seconds += clock
        return seconds
      }, isCancelled: { false }, onProgress: onProgress)
    try writer.begin()
    try scan.scan(Array(path.utf8), isDeep: true)
    _ = try writer.finish(isComplete: path.isEmpty)
    try writer.commit()
    return scan.problem
  }

  @Test("Links are followed after all else and as far as they lead to songs; what is left out is said")
  func boundedLinks() throws {
    for index in 0..<50 { try folder.write("other/\(index % 5)/\(index).txt", "x") }
    for index in 0..<20 { try folder.write("disk/\(index).mp3", SongBytes.make()) }
    try folder.song("z/a.mp3")
    try folder.link("music/a disk", to: "../disk")
    try folder.link("music/b", to: "../other")
    let run = try LibraryRun(folder)
    #expect(try scan(LinkAllowance(names: 60)) == nil)
    #expect(try run.songs().count == 21)
    // Not enough for the first link, in names or in seconds: what was known stays.
    for (allowance, clock, words) in [
      (LinkAllowance(names: 10), 0.0, "too many files"), (LinkAllowance(seconds: 3), 1, "too slow"),
    ] {
      let problem = try scan(allowance, clock: clock) ?? ""
      #expect(problem.contains("music/a disk: links lead to") && problem.contains(words), "\(problem)")
      #expect(try run.songs().count == 21)
    }
    // Behind a link from the start.
    #expect(try scan(LinkAllowance(names: 10), in: "a disk")?.contains("too many files") == true)
    #expect(try scan(LinkAllowance(names: 5), in: "b/1")?.contains("too many files") == true)
    #expect(try run.songs().count == 21)
    // A home without what was known: the songs of the home are there before any link is followed.
    let fresh = MediaPath(folder.file("library"))
    try LibraryFile.open(fresh, home: MediaPath("/nowhere")).run("PRAGMA user_version = 0")
    #expect(try scan(LinkAllowance(names: 0)) != nil)
    #expect(try LibraryRun(folder).songs() == ["z/a.mp3"])
  }

  @Test("What was found so far is seen and told of while a scan goes on, ever more seldom")
  func progress() throws {
    for index in 0..<60 { try folder.song("\(index / 20)/\(index).mp3", ["TPE1": "Artist \(index)"]) }
    let run = try LibraryRun(folder)
    var counts: [Int] = []
    _ = try scan(LinkAllowance(), clock: 0.4) {
      let figures = try? run.library.read { reader throws(DatabaseError) in try reader.figures() }
      counts.append(figures?.songs ?? -1)
      #expect((try? run.songs().count) == counts.last)
      #expect((try? run.list("artist").count) == counts.last)
    }
    #expect(counts.count >= 3 && counts == counts.sorted(), "\(counts)")
    #expect(counts.first ?? 0 > 0 && counts.last ?? 60 < 60, "\(counts)")
    let steps = zip(counts, counts.dropFirst()).map { $1 - $0 }
    #expect(steps == steps.sorted(), "\(counts)")
  }

  @Test("A song that cannot be read at the moment is found when it can be, and a known one stays")
  func unreadable() throws {
    try folder.song("a.mp3", ["TPE1": "Old"])
    let (path, aside) = (folder.file("music/a.mp3"), folder.file("aside"))
    let writer = try LibraryWriter(
      LibraryFile.open(MediaPath(folder.file("library")), home: MediaPath(folder.file("music"))))
    /// Scans; with `isHidden` a folder stands in the song's place when it is read.
    func scan(isHidden: Bool = false) throws -> (artist: [UInt8]?, hasChanged: Bool, problem: String?) {
      var scan = FolderScan(
        writer, home: MediaPath(folder.file("music")), watch: nil, rereads: false, seconds: { 0 },
        isCancelled: {
          if isHidden {
            rename(path, aside)
            mkdir(path, 0o755)
          }
          return false
        })
      try writer.begin()
      try scan.scan([], isDeep: true)
      let hasChanged = try writer.finish(isComplete: true)
      try writer.commit()
      if isHidden {
        rmdir(path)
        rename(aside, path)
      }
      let reader = try LibraryReader(LibraryFile.connect(MediaPath(folder.file("library"))))
      return (try reader.song(Array("a.mp3".utf8))?.metadata.first(.artist), hasChanged, scan.problem)
    }
    #expect(try scan(isHidden: true).artist == nil)
    let again = try scan(isHidden: true)
    #expect(!again.hasChanged && again.problem?.contains("a.mp3: This is a directory") == true)
    #expect(try scan().artist == Array("Old".utf8))
    try folder.song("a.mp3", ["TPE1": "Another"])
    let known = try scan(isHidden: true)
    #expect(known.artist == Array("Old".utf8) && !known.hasChanged && known.problem != nil)
    let last = try scan()
    #expect(last.artist == Array("Another".utf8) && last.problem == nil)
    // What is there and is no song is not read again.
    try folder.write("music/a.mp3", "nothing of the kind")
    #expect(try scan().artist == nil)
    #expect(try scan(isHidden: true).problem == nil)
  }
}
