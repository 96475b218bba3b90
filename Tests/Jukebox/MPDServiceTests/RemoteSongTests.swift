import AudioCore
import Clocks
import ControlProtocol
import ControlTestSupport
import Dispatch
import Jukebox
import JukeboxPlayback
import MusicFiles
import NetworkPlaylists
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import ControlServer
@testable import MPDService

/// Songs from the network in the queue and in playlists. Nothing here connects.
@Suite(.timeLimit(.minutes(10))) struct RemoteSongTests {
  /// Who sends a command.
  enum Client: CaseIterable {
    case own
    case otherUser
    case network

    var info: ClientInfo {
      ClientInfo(id: ClientID(number: 1), isLocal: self != .network, isSameUser: self == .own)
    }
  }

  let folder: TemporaryFolder
  let host: JukeboxHost
  let library: LibraryCommands
  let queue: QueueCommands

  init() throws { try self.init(reachOfOthers: .publicOnly) }

  private init(
    reachOfOthers: NetworkReach?, readPlaylist: PlaylistReading? = nil,
    readTag: LibraryCommands.TagReading? = nil
  ) throws {
    folder = try TemporaryFolder()
    var generator = SystemRandomNumberGenerator()
    host = JukeboxHost(JukeboxMachine(using: &generator))
    let home = try MusicHome(MediaPath(folder.path))
    library = LibraryCommands(
      host: host, home: home, playlists: PlaylistFolder(MediaPath(folder.file("playlists"))),
      tagReader: TagReader(clock: SystemClock.shared) { _ in },
      reachOfOthers: reachOfOthers, readPlaylist: readPlaylist, readTag: readTag, clock: SystemClock.shared)
    queue = QueueCommands(host: host, home: home)
  }

  /// What is answered, or the refusal as `[CODE] TEXT`.
  private func send(
    _ line: String, _ client: Client = .own, _ permissions: Permissions = .all
  ) throws -> String {
    do {
      return String(decoding: try begin(line, client, permissions).get().bytes, as: UTF8.self)
    } catch let ack as Ack {
      return "[\(ack.code.rawValue)] \(ack.message)"
    } catch let error as JukeboxError {
      return "[\(error.ack.code.rawValue)] \(error.message)"
    }
  }

  /// Begins a command. Its answer may come later.
  private func begin(_ line: String, _ client: Client, _ permissions: Permissions) throws -> Answer {
    var machine = ConnectionMachine(configuration: .init(permissions: permissions))
    _ = machine.next()
    machine.append("\(line)\n".utf8)
    let answer = Answer()
    guard case .perform(let command, let context) = machine.next() else {
      Issue.record("not for the desk: \(line)")
      answer.complete(.success(Reply()))
      return answer
    }
    switch command {
    case .library(let command):
      library.perform(command, context, for: client.info) { answer.complete($0) }
    case .playlists(let command):
      library.perform(command, context, for: client.info) { answer.complete($0) }
    case .queue(let command): answer.complete(.success(try queue.perform(command)))
    case .listing(let command): answer.complete(.success(try queue.list(command, tags: context.tags)))
    default: Issue.record("not a command of these: \(line)")
    }
    return answer
  }

  private func songs() -> [QueuedSong] {
    host.read { machine in
      var songs: [QueuedSong] = []
      machine.queue.forEach(in: 0..<machine.queue.count) { songs.append($1) }
      return songs
    }
  }

  @Test func urlsAreAddedAndListed() throws {
    #expect(try send("add http://user:S3CRET@Host/a%20b?c=d#e") == "")
    #expect(try send("addid \"https://host:8443/x y\" 0") == "Id: 2\n")
    #expect(
      try send("playlistinfo")
        == "file: https://host:8443/x%20y\nPos: 0\nId: 2\nfile: http://host/a%20b?c=d\nPos: 1\nId: 1\n")
    #expect(try send("playlist") == "0:file: https://host:8443/x%20y\n1:file: http://host/a%20b?c=d\n")
    #expect(try send("playlistfind file http://host/a%20b?c=d").hasSuffix("Pos: 1\nId: 1\n"))
    #expect(songs().map(\.song.credentials) == [nil, Credentials(user: "user", password: "S3CRET")])
  }

  /// `addid` names a song, whatever it is called.
  @Test func playlistsOfTheNetworkAreReadAndTheirTitlesKept() throws {
    let tests = try RemoteSongTests(reachOfOthers: .publicOnly) { url, _, reach, _ in
      var answer = PlaylistAnswer()
      guard url.host == "lists" else { return answer }
      answer.isPlaylist = true
      for (path, title) in [("a", "First"), ("b", nil), ("c", "Third")] {
        guard let entry = try? url.resolve(path).url else { continue }
        answer.media.append(.init(.init(url: entry, title: title), reach: .publicOnly))
      }
      return answer
    }
    #expect(try tests.send("add http://lists/all.m3u") == "")
    #expect(try tests.send("addid http://lists/all.m3u") == "Id: 4\n")
    #expect(try tests.send("load http://lists/ 1:3") == "")
    #expect(
      try tests.send("listplaylist http://lists/")
        == "file: http://lists/a\nfile: http://lists/b\nfile: http://lists/c\n")
    #expect(
      tests.songs().map(\.song.locator.urlText) == [
        "http://lists/a", "http://lists/b", "http://lists/c", "http://lists/all.m3u", "http://lists/b",
        "http://lists/c",
      ])
    #expect(
      tests.songs().map(\.song.reach) == [
        .publicOnly, .publicOnly, .publicOnly, .all, .publicOnly, .publicOnly,
      ])
    #expect(try tests.send("playlistinfo 0") == "file: http://lists/a\nName: First\nPos: 0\nId: 1\n")
  }

  /// Two clients that fetch pictures in pieces at the same time cost two reads.
  @Test func picturesInPiecesAreReadOnceForEachClient() throws {
    let reads = Mutex(0)
    let tests = try RemoteSongTests(
      reachOfOthers: .allForOthers,
      readTag: { _, _, _, _ in
        reads.withLock { $0 += 1 }
        return MediaTag(fields: [.init(key: "APIC", value: .data([UInt8](repeating: 7, count: 20_000)))])
      })
    for offset in [0, 8192, 16_384] {
      for client in [Client.own, .network] {
        #expect(try tests.send("readpicture http://h/a.mp3 \(offset)", client).contains("size: 20000"))
      }
    }
    #expect(reads.withLock { $0 } == 2)
  }

  @Test func playlistsThatAreReadInPartAreToldOf() throws {
    let tests = try RemoteSongTests(reachOfOthers: .publicOnly) { url, _, _, _ in
      var answer = PlaylistAnswer()
      answer.isPlaylist = true
      answer.media = [.init(.init(url: url), reach: .publicOnly)]
      answer.problems = [.init(text: "x:", reason: "not played")]
      if url.path == "/long.m3u" { (answer.failure, answer.completeCount) = ("more than 1 entries", 1) }
      return answer
    }
    #expect(try tests.send("load http://lists/short.m3u") == "")
    let refusal = "[50] http://lists/long.m3u: more than 1 entries (and 1 more); 1 song added"
    #expect(try tests.send("load http://lists/long.m3u") == refusal)
    #expect(try tests.send("add http://lists/long.m3u") == refusal)
    #expect(tests.songs().count == 3)
    // A range that lies in the part that was read is complete.
    #expect(try tests.send("load http://lists/long.m3u 0:1") == "")
    #expect(try tests.send("load http://lists/long.m3u 0") == "")
    #expect(try tests.send("load http://lists/long.m3u 0:2") == refusal)
    #expect(try tests.send("load http://lists/long.m3u 0:") == refusal)
    #expect(tests.songs().count == 7)
  }

  /// Of the songs after a playlist within the playlist that was cut, nobody knows which entries they are.
  @Test func aRangeEndsWhereEntriesWereSkipped() throws {
    let tests = try RemoteSongTests(reachOfOthers: .publicOnly) { url, _, _, _ in
      var answer = PlaylistAnswer()
      answer.isPlaylist = true
      for path in ["a", "b", "after"] {
        guard let entry = try? url.resolve(path).url else { continue }
        answer.media.append(.init(.init(url: entry), reach: .publicOnly))
      }
      (answer.failure, answer.completeCount) = ("more than 2 entries", 2)
      return answer
    }
    func names() -> [String?] { tests.songs().map { $0.song.locator.url?.path } }
    let refusal = "[50] http://lists/l.m3u: more than 2 entries"
    #expect(try tests.send("load http://lists/l.m3u 0:2") == "" && names() == ["/a", "/b"])
    #expect(try tests.send("load http://lists/l.m3u 2:3") == refusal)
    #expect(try tests.send("load http://lists/l.m3u 1:3") == "\(refusal); 1 song added")
    #expect(names() == ["/a", "/b", "/b"])
    #expect(try tests.send("load http://lists/l.m3u") == "\(refusal); 3 songs added")
    #expect(names().suffix(3) == ["/a", "/b", "/after"])
  }

  @Test(arguments: ["add", "addid", "playlistadd x"])
  func otherSchemesAreNamed(command: String) throws {
    #expect(try send("\(command) ftp://u:S3CRET@host/a.mp3") == "[50] ftp: URLs are not supported")
    #expect(try send("\(command) http://u:S3/CRET@host/a.mp3") == "[50] not a valid URL")
    #expect(songs().isEmpty)
  }

  /// The queue knows who has added a song: the player may connect to other addresses for each.
  @Test func othersReachOnlyWhatIsPublic() throws {
    for client in Client.allCases {
      #expect(try send("add http://u:\(client)@localhost/", client) == "")
      #expect(try send("save list") == "")
      #expect(try send("load list", client) == "")
      #expect(try send("rm list") == "")
      #expect(songs().allSatisfy { $0.song.reach == (client == .own ? .all : .publicOnly) })
      #expect(songs().map { $0.song.credentials?.password } == ["\(client)", nil])
      #expect(try send("delete 0:") == "")
    }
  }

  /// What is asked for with which credentials.
  private final class Asked: Sendable {
    let all = Mutex<[String]>([])

    func add(_ url: WebURL, _ credentials: Credentials?) {
      all.withLock { $0.append("\(credentials?.user ?? "-") \(url.path)") }
    }
    func take() -> [String] {
      all.withLock { all in
        defer { all = [] }
        return all
      }
    }
  }

  @Test("No client uses or replaces the credentials of another one, whatever both may reach")
  func credentialsOfOthers() throws {
    let asked = Asked()
    let test = try Self(
      reachOfOthers: .allForOthers,
      readPlaylist: { url, credentials, reach, _ in
        asked.add(url, credentials)
        var answer = PlaylistAnswer()
        if let entry = try? url.resolve("song").url {
          answer.media = [.init(.init(url: entry), reach: reach)]
        }
        answer.isPlaylist = true
        return answer
      },
      readTag: { url, credentials, _, _ in
        asked.add(url, credentials)
        return nil
      })
    #expect(try test.send("add http://a:S3CRET@host/list.m3u", .network) == "")
    #expect(test.songs().map { $0.song.credentials?.user } == ["a"])
    #expect(try test.send("readpicture http://a:S3CRET@host/song 0", .network) == "")
    _ = asked.take()
    for client in [Client.network, .otherUser, .own] {
      #expect(try test.send("listplaylist http://host/list.m3u", client) == "file: http://host/song\n")
      #expect(try test.send("listplaylist http://evil:evil@host/list.m3u", client) != "")
      #expect(try test.send("add http://evil:evil@host/song", client) == "")
      // Neither the song's credentials nor the picture that was fetched with them.
      _ = try test.send("readpicture http://host/song 1", client)
      let all = asked.take()
      #expect(all.filter { $0.hasPrefix("a ") }.isEmpty)
      if client == .network { #expect(all.last == "- /song", "\(all)") }
    }
    #expect(test.songs().first?.song.credentials?.user == "a")
  }

  @Test("A picture from an address that only one client may reach is not shown to the others")
  func picturesOfOthers() throws {
    let test = try Self(
      reachOfOthers: .publicOnly,
      readTag: { _, _, reach, _ in
        reach == .all ? MediaTag(fields: [MediaTag.Field(key: "APIC", value: .data([1, 2, 3]))]) : nil
      })
    for client in [Client.network, .otherUser] {
      #expect(try test.send("readpicture http://host/song 0").contains("binary: 3"))
      #expect(try test.send("readpicture http://host/song 1", client) == "")
    }
  }

  @Test("A request to the network needs the permission to add; what needs none does not")
  func requestsNeedAPermission() throws {
    let asked = Asked()
    let test = try Self(
      reachOfOthers: .publicOnly,
      readPlaylist: { url, credentials, _, _ in
        asked.add(url, credentials)
        var answer = PlaylistAnswer()
        answer.failure = "host answered 404"
        return answer
      },
      readTag: { url, credentials, _, _ in
        asked.add(url, credentials)
        return nil
      })
    try test.folder.write("home.m3u", "http://u:S3CRET@host/inner.m3u\n")
    let denied = "[4] you don't have permission for requests to the network: they need \"add\""
    for client in Client.allCases {
      for command in [
        "listplaylist http://host/l", "listplaylistinfo http://host/l", "readpicture http://host/a 0",
      ] {
        #expect(try test.send(command, client, .read) == denied)
        #expect(asked.take() == [])
        _ = try test.send(command, client, [.read, .add])
        #expect(asked.take().count == 1)
      }
      // A playlist of the music directory is listed; what it names is left alone.
      #expect(try test.send("listplaylist home", client, .read) == "file: http://host/inner.m3u\n")
      #expect(asked.take() == [])
    }
  }

  @Test(
    "Requests of clients are counted: those above the limit are refused at once, and others never take all")
  func requestsHaveANumber() throws {
    let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let test = try Self(
      reachOfOthers: .publicOnly,
      readPlaylist: { _, _, _, _ in
        begun.signal()
        gate.wait()
        var answer = PlaylistAnswer()
        answer.failure = "host answered 404"
        return answer
      })
    var answers: [Answer] = []
    for (client, limit) in [
      (Client.network, NetworkLimits.clientRequestsOfOthers),
      (.own, NetworkLimits.clientRequests - NetworkLimits.clientRequestsOfOthers),
    ] {
      for _ in 0..<limit { answers.append(try test.begin("listplaylist http://host/l", client, .all)) }
      for _ in 0..<limit { begun.wait() }
      let refused = try test.send("listplaylist http://host/l", client)
      #expect(refused.hasPrefix("[52] too many requests to the network"), "\(refused)")
    }
    for _ in answers { gate.signal() }
    for answer in answers { #expect(throws: Ack.self) { try answer.get() } }
    gate.signal()
    #expect(try test.send("listplaylist http://host/l", .network) == "[50] http://host/l: host answered 404")
  }

  @Test func whereTheNetworkIsForTheOwnUserOthersAreRefused() throws {
    let test = try Self(reachOfOthers: nil)
    let denied = "[4] Access denied: nothing is played from the network for other users"
    for client in [Client.otherUser, .network] {
      #expect(try test.send("add http://host/", client) == denied)
      #expect(try test.send("addid http://host/", client) == denied)
    }
    #expect(try test.send("add http://host/") == "")
    #expect(try test.send("save list") == "")
    #expect(try test.send("load list", .otherUser) == "")
    #expect(test.songs().count == 1)
  }

  @Test func playlistsKeepURLs() throws {
    try folder.write("playlists/list.m3u", "http://u:S3CRET@host/a\nftp://u:S3CRET@host/b\n")
    #expect(try send("listplaylist list") == "file: http://host/a\nfile: ftp://host/b\n")
    #expect(try send("listplaylistinfo list") == "file: http://host/a\nfile: ftp://host/b\n")
    #expect(try send("playlistadd list http://u:S3CRET@other/?q") == "")
    #expect(try send("load list") == "")
    #expect(songs().map(\.song.locator.urlText) == ["http://host/a", "http://other/?q"])
    // Those of the file; what a client gave went to nobody.
    #expect(songs().map { $0.song.credentials?.user } == ["u", nil])
    #expect(try send("save copy") == "")
    #expect(try send("listplaylist copy") == "file: http://host/a\nfile: http://other/?q\n")
  }

  @Test func tagsOfURLsAreEdited() throws {
    try folder.write("a.mp3", "no music")
    #expect(try send("add http://host/") == "")
    try host.change { m throws(JukeboxError) in try m.add([Song(path: Array(folder.file("a.mp3").utf8))]) }
    #expect(try send("addtagid 1 Title One") == "")
    #expect(try send("addtagid 1 name \"A station\"") == "")
    #expect(
      try send("playlistid 1") == "file: http://host/\nTitle: One\nName: A station\nPos: 0\nId: 1\n")
    #expect(try send("cleartagid 1 title") == "")
    #expect(try send("playlistid 1") == "file: http://host/\nName: A station\nPos: 0\nId: 1\n")
    #expect(try send("cleartagid 1") == "")
    #expect(try send("playlistid 1") == "file: http://host/\nPos: 0\nId: 1\n")
    // As mpd refuses it.
    #expect(try send("addtagid 2 Title x") == "[4] Cannot edit tags of local file")
    #expect(try send("cleartagid 2") == "[4] Cannot edit tags of local file")
    #expect(try send("addtagid 3 Title x") == "[50] No such song")
  }
}
