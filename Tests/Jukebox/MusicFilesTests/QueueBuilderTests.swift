import ControlProtocol
import Foundation
import Glibc
import Jukebox
import NetworkPlaylists
import SystemSupport
import TestSupport
import Testing
import Transfer

@testable import MusicFiles

@Suite(.timeLimit(.minutes(10))) struct QueueBuilderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The queue for these arguments, with names as seen from the folder.
  func build(
    _ arguments: [String], limits: QueueBuilder.Limits = .init(), input: String = ""
  ) -> (files: [String], problems: [QueueProblem]) {
    var builder = QueueBuilder(directory: MediaPath(folder.path), limits: limits) { _ in Array(input.utf8) }
    for argument in arguments { builder.add(argument: MediaPath(argument)) }
    return (builder.files.map { String($0.description.dropFirst(folder.path.count + 1)) }, builder.problems)
  }

  @Test func takesFilesAsTheyAre() throws {
    try folder.write("b.mp3")
    try folder.write("a.bin")
    try folder.write(".hidden.mp3")
    let queue = build(["b.mp3", "./a.bin", "b.mp3", ".hidden.mp3", "file://\(folder.path)/b%2Emp3"])
    #expect(queue.files == ["b.mp3", "a.bin", "b.mp3", ".hidden.mp3", "b.mp3"])
    #expect(queue.problems.isEmpty)
  }

  @Test func listsFoldersInAPersonsOrder() throws {
    for name in [
      "Track 10.mp3", "track 2.MP3", "Track 1.mp3", "Track.mp3", "CD10/1.mp3", "cd 2/01.mp3", "CD1/b/x.mp3",
      "CD1/a.mp3",
      ".hidden.mp3", ".git/a.mp3", "cover.jpg", "list.m3u", "notes/readme.txt", "mp3",
    ] {
      try folder.write("M/\(name)", "x")
    }
    mkfifo("\(folder.path)/M/pipe.mp3", 0o600)
    let queue = build(["M"])
    #expect(
      queue.files.map { $0.dropFirst(2) } == [
        "Track.mp3", "Track 1.mp3", "track 2.MP3", "Track 10.mp3", "cd 2/01.mp3", "CD1/a.mp3", "CD1/b/x.mp3",
        "CD10/1.mp3",
      ])
    #expect(queue.problems.isEmpty)
  }

  @Test func soundFilesThatAreNoSongsAreCounted() throws {
    for name in ["a.mp3", "b.wma", "c.WMA", "in/d.wma", "in/e.ape", "cover.jpg", ".hidden.wma", "f.mp3.wv"] {
      try folder.write("M/\(name)", "x")
    }
    var builder = QueueBuilder(directory: MediaPath(folder.path))
    for _ in 0..<2 { builder.add(argument: MediaPath("M")) }
    #expect(builder.files.count == 2 && builder.problems.isEmpty)
    #expect("\(builder.unplayable)" == "10 files cannot be played: 6 .wma, 2 .ape, 2 .wv")
    #expect(
      builder.unplayable.files.prefix(5).map { String($0.description.dropFirst(folder.path.count + 1)) }
        == ["M/b.wma", "M/c.WMA", "M/f.mp3.wv", "M/in/d.wma", "M/in/e.ape"])
    var many = UnplayableFiles()
    for number in 0..<1001 { many.add(MediaPath("/\(number).wma")) }
    #expect(many.files.count == UnplayableFiles.fileLimit && many.count == 1001)
    many.add(many)
    #expect(many.files.count == UnplayableFiles.fileLimit && many.count == 2002)
    var one = UnplayableFiles()
    one.add(MediaPath("/1.wma"))
    #expect("\(one)" == "1 file cannot be played: 1 .wma")
  }

  @Test func linksAreFollowedOnce() throws {
    try folder.write("M/a/1.mp3")
    try folder.write("other/2.mp3")
    try folder.link("M/a/loop", to: "..")
    try folder.link("M/b", to: "a")
    try folder.link("M/c", to: "../other")
    try folder.link("M/self", to: "self")
    try folder.link("M/3.mp3", to: "a/1.mp3")
    try folder.link("M/4.mp3", to: "gone.mp3")
    let queue = build(["M"])
    #expect(queue.files == ["M/3.mp3", "M/a/1.mp3", "M/c/2.mp3"])
    #expect(queue.problems.map(\.reason) == ["broken link"])
  }

  @Test func linksToTheKernelsFilesLeadNowhere() throws {
    try folder.write("M/1.mp3")
    try folder.link("M/2.mp3", to: "/proc/version")
    try folder.link("M/sys", to: "/proc/sys")
    try folder.write("M/z/3.mp3")
    let queue = build(["M"])
    #expect(queue.files == ["M/1.mp3", "M/z/3.mp3"])
    #expect(queue.problems.count == 1)
    #expect(queue.problems.first?.name.hasSuffix("M/sys") == true)
    #expect(queue.problems.first?.reason.contains("kernel") == true)
  }

  @Test func linksLeadToBoundedFolders() throws {
    for index in 0..<50 { try folder.write("other/\(index % 5)/\(index).txt") }
    for index in 0..<20 { try folder.write("songs/\(index).mp3") }
    try folder.write("M/1.mp3")
    try folder.link("M/a", to: "../other")
    try folder.link("M/b", to: "../songs")
    try folder.write("M/z/3.mp3")
    // Songs allow more.
    #expect(build(["M"], limits: .init(links: LinkAllowance(names: 100))).problems.isEmpty)
    let queue = build(["M"], limits: .init(links: LinkAllowance(names: 40)))
    #expect(queue.files == ["M/1.mp3", "M/z/3.mp3"])
    #expect(queue.problems.count == 1)
    #expect(queue.problems.first?.name.hasSuffix("M/a") == true)
    #expect(queue.problems.first?.reason.contains("links lead to too many files") == true)
    // What a person names is no link that is met.
    #expect(build(["M/b"], limits: .init(links: LinkAllowance(names: 0))).files.count == 20)
  }

  @Test func kernelsFileSystemsAreKnownByTheirTypes() throws {
    let systems = KernelFileSystems(
      mounts: Array(
        """
        22 28 0:21 / /proc rw,nosuid shared:12 - proc proc rw
        24 28 0:5 / /dev rw master:1 shared:2 - devtmpfs udev rw
        28 1 259:300 / / rw - ext4 /dev/sda rw
        30 28 0:40 / /mnt/proc\\040- rw - tmpfs proc rw
        nonsense

        """.utf8))
    func contains(_ device: UInt64) -> Bool { systems.contains(.init(device: device, inode: 1)) }
    #expect(contains(21) && contains(5))
    #expect(!contains(40) && !contains(0x1_032C) && !contains(0))
    #expect(try KernelFileSystems().contains(FileStatus(of: MediaPath("/proc/self/maps")).identity))
    #expect(try !KernelFileSystems().contains(FileStatus(of: MediaPath(folder.path)).identity))
  }

  @Test func foldersAreBounded() throws {
    let deep = Array(repeating: "d", count: QueueBuilder.Limits().folderDepth + 2).joined(separator: "/")
    try folder.write("\(deep)/x.mp3")
    try folder.write("d/y.mp3")
    let queue = build(["d"])
    #expect(queue.files == ["d/y.mp3"])
    #expect(queue.problems.count == 1)

    for index in 1...20 { try folder.write("many/\(index / 5)/\(index).mp3") }
    let limited = build(["many", "d/y.mp3"], limits: .init(files: 7))
    #expect(limited.files.count == 7 && limited.files.last == "many/1/7.mp3")
    #expect(limited.problems.count == 1)
    #expect(limited.problems.first?.reason.contains("more than 7 files") == true)
    #expect(build(["many"], limits: .init(files: 20)).problems.isEmpty)
  }

  @Test func reportsWhatIsMissing() throws {
    try folder.write("file.mp3")
    try folder.write("empty/.x.mp3")
    try folder.link("loop", to: "loop")
    let queue = build(["gone.mp3", "empty", "file.mp3/x.mp3", "loop", "ftp://example.org/a.mp3", "gone.m3u"])
    #expect(queue.files.isEmpty)
    #expect(
      queue.problems.map(\.description) == [
        "gone.mp3: no such file", "empty: contains no songs", "file.mp3/x.mp3: not a directory",
        "loop: too many levels of symbolic links", "ftp://example.org/a.mp3: ftp: URLs are not supported",
        "gone.m3u: no such file",
      ])
  }

  @Test func urlsHaveTheirPlaceAndTheirCredentialsTheirOwn() throws {
    try folder.write("a.mp3")
    try folder.write("l.m3u", "a.mp3\nhttp://list:S3CRET@radio.example/b?c=d\n")
    var builder = QueueBuilder(directory: MediaPath(folder.path))
    for name in [
      "http://user:S3CRET@host:81/x.mp3", "l.m3u", "http://user:S3/CRET@host/", "gopher://u:S3CRET@h/",
    ] {
      builder.add(argument: MediaPath(name))
    }
    #expect(
      builder.locators.map(\.urlText) == [
        "http://host:81/x.mp3", MediaPath("\(folder.path)/a.mp3").fileURL, "http://radio.example/b?c=d",
      ])
    #expect(builder.files == [MediaPath("\(folder.path)/a.mp3")])
    #expect(
      builder.songs.map(\.credentials) == [
        Credentials(user: "user", password: "S3CRET"), nil, Credentials(user: "list", password: "S3CRET"),
      ])
    #expect(
      builder.problems.map(\.description) == [
        "http://host/: not a valid URL", "gopher://h/: gopher: URLs are not supported",
      ])
  }

  /// An entry without credentials of its own has those of the playlist's URL, on the same server only; an entry that cannot be
  /// used leaves neither its title nor its credentials to the next one.
  @Test func entriesHaveTheCredentialsOfTheirPlaylist() throws {
    var builder = QueueBuilder(
      directory: MediaPath(folder.path),
      readPlaylist: { url, credentials, _, _ in
        var answer = PlaylistAnswer()
        answer.isPlaylist = true
        for text in ["a.mp3", "http://own:o@h/b.mp3", "https://h/c.mp3", "http://h:81/d.mp3"] {
          if let entry = try? url.resolve(text) {
            answer.media.append(.init(.init(url: entry.url, credentials: entry.credentials), reach: .all))
          }
        }
        return answer
      })
    builder.add(try WebURL.read("http://h/l.m3u").url, Credentials(user: "u", password: "S3CRET"))
    #expect(builder.songs.map { $0.credentials?.user } == ["u", "own", nil, nil])
    try folder.write("l.m3u", "#EXTINF:1,No\nftp://u:S3CRET@h/a.mp3\nhttp://h/b.mp3\n")
    var list = QueueBuilder(directory: MediaPath(folder.path))
    list.add(argument: MediaPath("l.m3u"))
    #expect(list.songs.map(\.credentials) == [nil] && list.songs[0].metadata == nil)
  }

  @Test func playlistsOfTheNetworkAreReadWhereTheyAreNamed() throws {
    try folder.write("a.mp3")
    try folder.write(
      "l.m3u", "#EXTINF:1,Kept\nhttp://h/b.mp3\n#EXTINF:1,Its own tags\na.mp3\nhttp://h/broken.pls\n")
    var builder = QueueBuilder(
      directory: MediaPath(folder.path),
      readPlaylist: { url, _, reach, _ in
        var answer = PlaylistAnswer()
        guard url.path == "/list.m3u" else {
          answer.failure = "h answered 404"
          return answer
        }
        answer.isPlaylist = true
        for (path, title) in [("http://x/1", "One"), ("http://x/2", nil)] {
          if let url = try? WebURL.read(path).url {
            answer.media.append(.init(.init(url: url, title: title), reach: .publicOnly))
          }
        }
        answer.problems = [.init(text: "file:///etc/passwd", reason: "no")]
        return answer
      })
    for name in ["http://h/list.m3u", "l.m3u", "http://h/song.mp3"] {
      builder.add(argument: MediaPath(name))
    }
    #expect(
      builder.songs.map(\.locator.urlText) == [
        "http://x/1", "http://x/2", "http://h/b.mp3", MediaPath("\(folder.path)/a.mp3").fileURL,
        "http://h/song.mp3",
      ])
    #expect(builder.songs.map(\.reach) == [.publicOnly, .publicOnly, .all, .all, .all])
    let names = builder.songs.map { song in
      song.metadata?.tags.map { "\($0.type.rawValue) \($0.value)" }.joined() ?? "-"
    }
    #expect(names == ["Name One", "-", "Name Kept", "-", "-"])
    #expect(
      builder.problems.map(\.description) == [
        "http://h/list.m3u: file:///etc/passwd: no", "l.m3u, line 5: http://h/broken.pls: h answered 404",
      ])
  }

  @Test func urlsCanBeForbidden() {
    var builder = QueueBuilder(directory: MediaPath(folder.path), reach: nil)
    builder.add(argument: MediaPath("http://u:S3CRET@host/a?b"))
    #expect(builder.locators.isEmpty)
    #expect(
      builder.problems.map(\.description) == [
        "http://host/a: nothing is played from the network for other users"
      ])
  }

  @Test func readsPlaylistsFromWhereTheyAre() throws {
    try folder.write("M/a b.mp3")
    try folder.write("M/sub/1.mp3")
    try folder.write("M/sub/2.mp3")
    try folder.write("top.mp3")
    try folder.write(
      "M/list.M3U8",
      "\u{FEFF}#EXTM3U\r\n#EXTINF:3,Title\r\na b.mp3\r\n../top.mp3\r\nsub\r\nfile://\(folder.path)/M/a%20b.mp3\r\n"
        + "https://example.org/x.mp3\r\ngone.mp3\r\nsub\\2.mp3\r\n")
    let queue = build(["M/list.M3U8"])
    #expect(
      queue.files == ["M/a b.mp3", "M/../top.mp3", "M/sub/1.mp3", "M/sub/2.mp3", "M/a b.mp3", "M/sub/2.mp3"])
    #expect(
      queue.problems.map(\.description) == [
        "M/list.M3U8, line 8: gone.mp3: no such file"
      ])
  }

  @Test func readsPLS() throws {
    try folder.write("1.mp3")
    try folder.write("2.mp3")
    try folder.write("l.pls", "[playlist]\nFile2=2.mp3\nFile1=1.mp3\nFile3=ftp://x/y\nNumberOfEntries=3\n")
    let queue = build(["l.pls"])
    #expect(queue.files == ["1.mp3", "2.mp3"])
    #expect(queue.problems.count == 1)
  }

  @Test func namesNeedNotBeUTF8() throws {
    try folder.write("café.mp3")
    try folder.write("l.m3u", Array("caf".utf8) + [0xE9] + Array(".mp3\n".utf8))
    #expect(build(["l.m3u"]).files == ["café.mp3"])
    // A file whose name is Latin-1 itself comes first.
    let raw = MediaPath(bytes: Array("\(folder.path)/caf".utf8) + [0xE9] + Array(".mp3".utf8))
    let descriptor = try raw.systemCall { open($0, O_CREAT | O_WRONLY, 0o600) }
    close(descriptor)
    var builder = QueueBuilder(directory: MediaPath(folder.path))
    builder.add(argument: MediaPath("l.m3u"))
    builder.add(argument: MediaPath("."))
    #expect(builder.files.first == raw)
    #expect(builder.files.count == 3 && builder.files.contains(MediaPath("\(folder.path)/café.mp3")))
  }

  @Test func readsStandardInputFromTheWorkingDirectory() throws {
    try folder.write("a.mp3")
    try folder.write("b.mp3")
    let queue = build(["-", "a.mp3"], input: "b.mp3\n./a.mp3\ngone\n")
    #expect(queue.files == ["b.mp3", "a.mp3", "a.mp3"])
    #expect(queue.problems.map(\.description) == ["standard input, line 3: gone: no such file"])
    #expect(build(["-"]).problems.map(\.reason) == ["an empty playlist"])
    var builder = QueueBuilder(directory: MediaPath("/")) { _ throws(FileBytes.Problem) in
      throw .tooLarge(limit: 64 << 20)
    }
    builder.add(argument: MediaPath("-"))
    #expect(builder.problems.map(\.description) == ["standard input: larger than 64 MiB"])
  }

  @Test func playlistsInPlaylistsAreBounded() throws {
    try folder.write("a.mp3")
    for index in 0..<12 { try folder.write("\(index).m3u", "a.mp3\n\(index + 1).m3u\n") }
    let deep = build(["0.m3u"])
    #expect(deep.files.count == 8)
    #expect(deep.problems.map(\.reason) == ["more than 8 playlists deep"])
    try folder.write("x.m3u", "a.mp3\ny.m3u\n")
    try folder.write("y.m3u", "./x.m3u\na.mp3\n")
    let circle = build(["x.m3u", "y.m3u"])
    #expect(circle.files == ["a.mp3", "a.mp3", "a.mp3", "a.mp3"])
    #expect(
      circle.problems.map(\.reason) == ["a playlist that contains itself", "a playlist that contains itself"])
  }

  @Test func playlistsAreFilesOfABoundedSize() throws {
    try folder.write("big.m3u", String(repeating: "a.mp3\n", count: 1000))
    #expect(build(["big.m3u"], limits: .init(playlistBytes: 5999)).problems.count == 1)
    #expect(build(["big.m3u"], limits: .init(playlistBytes: 6000)).problems.count == 1000)
    mkfifo("\(folder.path)/pipe.m3u", 0o600)
    #expect(build(["pipe.m3u"]).problems.map(\.reason) == ["not a regular file"])
    try folder.write("binary.m3u", [0x61, 0x00, 0x0A])
    #expect(build(["binary.m3u"]).problems.map(\.description) == ["binary.m3u: line 1: not text"])
  }

  /// 8 million names, in 1 kB.
  @Test func playlistsThatNameEachOtherEnd() throws {
    for index in 0..<3 {
      try folder.write("\(index).m3u", String(repeating: "\(index + 1).m3u\n", count: 40))
    }
    let queue = build(["0.m3u"])
    #expect(queue.files.isEmpty)
    #expect(queue.problems.count <= 1001)
    #expect(queue.problems.last?.description.contains("remaining entries skipped") == true)
  }

  @Test func readingIsBounded() throws {
    try folder.write("a.mp3")
    try folder.write("f/1/a.mp3")
    try folder.write("f/2/b.mp3")
    try folder.write("many.m3u", String(repeating: "a.mp3\n", count: 10))
    try folder.write("gone.m3u", String(repeating: "x\n", count: 10))
    try folder.write("nul.m3u", String(repeating: "x\0\n", count: 10))
    let cases: [(QueueBuilder.Limits, [String], files: Int, reason: String)] = [
      (.init(files: 7), ["many.m3u", "a.mp3"], 7, "more than 7 files"),
      (.init(names: 7), ["many.m3u", "a.mp3"], 7, "more than 7 names in playlists"),
      (.init(names: 7), ["nul.m3u", "a.mp3"], 0, "more than 7 names in playlists"),
      (.init(playlists: 1), ["many.m3u", "many.m3u", "a.mp3"], 10, "more than 1 playlists"),
      (.init(folders: 2), ["f", "a.mp3"], 1, "more than 2 folders"),
    ]
    for (limits, arguments, files, reason) in cases {
      let queue = build(arguments, limits: limits)
      #expect(queue.files.count == files)
      #expect(queue.problems.last?.reason == "\(reason); remaining entries skipped")
    }
    // All of them together.
    let bytes = build(["many.m3u", "many.m3u", "a.mp3"], limits: .init(playlistBytes: 100))
    #expect(bytes.files.count == 10)
    #expect(bytes.problems.last?.reason.contains("of playlists; remaining entries skipped") == true)
    #expect(
      build(["many.m3u", "a.mp3", "f"], limits: .init(names: 10, playlists: 1, folders: 3)).problems.isEmpty)

    var builder = QueueBuilder(directory: MediaPath(folder.path), limits: .init(problems: 3))
    builder.add(argument: MediaPath("gone.m3u"))
    #expect(builder.problems.count == 3 && builder.problemCount == 10)
    #expect(builder.complaints.count == 4 && builder.complaints.last == "7 more cannot be played")
  }

  /// Wherever it is.
  @Test(arguments: ["f", "many.m3u"])
  func readingEndsWhenItIsInterrupted(name: String) throws {
    for index in 0..<20 { try folder.write("f/\(index % 4)/\(index).mp3") }
    try folder.write("many.m3u", (0..<20).map { "f/\($0 % 4)/\($0).mp3\n" }.joined())
    var lengths: Set<Int> = []
    for limit in 0..<40 {
      var calls = 0
      var builder = QueueBuilder(
        directory: MediaPath(folder.path),
        interruption: { _ in
          calls += 1
          return calls > limit ? "enough" : nil
        })
      builder.add(argument: MediaPath(name))
      if calls > limit {
        #expect(calls == limit + 1)
        #expect(builder.limitation == "enough")
        #expect(builder.problems.last?.reason == "enough; remaining entries skipped")
      }
      lengths.insert(builder.files.count)
    }
    #expect(lengths.count > 5)
  }

  @Test func problemsFitOnALine() {
    let queue = build(["a\nb\u{1B}[2J.mp3"])
    #expect(queue.problems.map(\.description) == ["a b\u{FFFD}[2J.mp3: no such file"])
  }

  /// The suite's time limit is far above what this takes, and far below what it would take if each name cost more
  /// than the one before.
  @Test func aHundredThousandNamesAreTaken() throws {
    try folder.write("a.mp3")
    let input = String(repeating: "a.mp3\n", count: 100_000)
    #expect(build(["-"], input: input).files.count == 100_000)
  }
}
