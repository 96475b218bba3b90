import ControlProtocol
import HostTime
import Jukebox
import JukeboxPlayback
import MusicFiles
import TestSupport
import Testing
import Transfer

@testable import ControlServer
@testable import MPDService

/// Songs from the network in the queue and in playlists. Nothing here connects.
@Suite(.timeLimit(.minutes(5))) struct RemoteSongTests {
  /// Who sends a command.
  enum Client: CaseIterable {
    case own
    case otherUser
    case network

    var info: ClientInfo {
      ClientInfo(
        id: ClientID(number: 1),
        peer: self == .network ? nil : PeerCredentials(process: 0, user: 0, group: 0),
        isSameUser: self == .own)
    }
  }

  let folder: TemporaryFolder
  let host: JukeboxHost
  let library: LibraryCommands
  let credentials = CredentialStore()
  let queue: QueueCommands

  init() throws { try self.init(reachOfOthers: .publicOnly) }

  private init(reachOfOthers: NetworkReach?, readPlaylist: PlaylistReading? = nil) throws {
    folder = try TemporaryFolder()
    var generator = SystemRandomNumberGenerator()
    host = JukeboxHost(JukeboxMachine(using: &generator))
    let home = try MusicHome(MediaPath(folder.path))
    library = LibraryCommands(
      host: host, home: home, playlists: PlaylistFolder(MediaPath(folder.file("playlists"))),
      tagReader: TagReader(clock: SystemClock.shared) { _ in }, credentials: credentials,
      reachOfOthers: reachOfOthers, readPlaylist: readPlaylist, clock: SystemClock.shared)
    queue = QueueCommands(host: host, home: home)
  }

  /// What is answered, or the refusal as `[CODE] TEXT`.
  private func send(_ line: String, _ client: Client = .own) throws -> String {
    var machine = ConnectionMachine()
    _ = machine.next()
    machine.append("\(line)\n".utf8)
    guard case .perform(let command, let context) = machine.next() else {
      Issue.record("not for the desk: \(line)")
      return ""
    }
    let answer = Answer()
    do {
      switch command {
      case .library(let command):
        library.perform(command, context, for: client.info) { answer.complete($0) }
      case .playlists(let command):
        library.perform(command, context, for: client.info) { answer.complete($0) }
      case .queue(let command): answer.complete(.success(try queue.perform(command)))
      case .listing(let command): answer.complete(.success(try queue.list(command, tags: context.tags)))
      default: Issue.record("not a command of these: \(line)")
      }
      return String(decoding: try answer.get().bytes, as: UTF8.self)
    } catch let ack as Ack {
      return "[\(ack.code.rawValue)] \(ack.message)"
    } catch let error as JukeboxError {
      return "[\(error.ack.code.rawValue)] \(error.message)"
    }
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
    let url = try #require(songs()[1].song.locator.url)
    #expect(credentials.credentials(for: url) == Credentials(user: "user", password: "S3CRET"))
  }

  /// `addid` names a song, whatever it is called.
  @Test func playlistsOfTheNetworkAreReadAndTheirTitlesKept() throws {
    let tests = try RemoteSongTests(reachOfOthers: .publicOnly) { url, _, reach in
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
      #expect(try send("delete 0:") == "")
    }
    let url = try WebURL.read("http://localhost/").url
    #expect(credentials.credentials(for: url)?.password == "own")
    #expect(credentials.credentials(for: url, reach: .publicOnly)?.password == "network")
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
    #expect(
      try songs().map { credentials.credentials(for: try #require($0.song.locator.url))?.user } == ["u", "u"])
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
