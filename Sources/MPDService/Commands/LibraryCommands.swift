import AudioCore
import ControlProtocol
import ControlServer
import Dispatch
import Glibc
import HostTime
import Jukebox
import JukeboxPlayback
import MP3Decoding
import MusicFiles
import MusicLibrary
import Synchronization
import Transfer

/// The commands that go to the disk: adding, listing, playlists, pictures. Each has a thread for itself, so that a slow
/// disk or a long playlist holds up nobody but who asked for it. A client has one command under way: there are no more
/// threads than clients.
final class LibraryCommands: Sendable {
  /// Reads the tag of a medium on the network with its pictures; nil if there is none, or once `interruption` gives a reason.
  /// May block for a while.
  typealias TagReading =
    @Sendable (
      WebURL, Credentials?, NetworkReach, _ interruption: () -> String?
    ) -> MediaTag?

  /// What a client names: a file, or a URL with the credentials that it has.
  typealias Named = (locator: SongLocator, credentials: Credentials?)

  struct Picture {
    var song: SongLocator
    /// The reach and the credentials of the client that asked for it: others are not to see what only that client may.
    var reach: NetworkReach?
    var credentials: Credentials?
    var content: (mimeType: String, data: [UInt8])?
  }

  let host: JukeboxHost
  let home: MusicHome
  let database: DatabaseCommands
  /// nil where no playlists are kept.
  let playlists: PlaylistFolder?
  /// nil where no stickers are kept.
  let stickers: StickerStore?
  /// Tells clients of what changes on the disk.
  let onChange: @Sendable (Subsystems) -> Void
  private let tagReader: TagReader
  /// What URLs of clients of other users may lead to; nil: they may name none.
  private let reachOfOthers: NetworkReach?
  /// Reads playlists of the network; nil: they are songs like any other.
  private let readPlaylist: PlaylistReading?
  /// nil: media on the network have no pictures.
  let readTag: TagReading?
  let requests = NetworkRequests()
  private let clock: any HostClock
  /// The last picture that was asked for: clients fetch it in chunks.
  let picture = Mutex<Picture?>(nil)
  /// Clients that have gone while commands of theirs are still performed.
  private let gone = Mutex<[ClientID: Absence]>([:])

  /// The end of a client.
  private struct Absence {
    let since: HostTime
    /// Whether its connection is closed; else it may only have closed its side, and wait for its answers.
    var isCertain: Bool
  }

  /// Seconds in which folders and playlists are read for one command: as long as a client may be silent. Common ones
  /// give up after 30.
  private static let readingLimit = 60.0
  /// Seconds that a question to the database may take: it answers from memory and indexes, in milliseconds.
  private static let questionLimit = 20.0
  /// Seconds for which a command goes on for a client that has gone: a script that sends `add` and does not wait for the
  /// answer has its album added, and no core and no connection is kept busy for nobody.
  private static let goneLimit = 1.0

  /// Whom a command is carried out for.
  struct Request {
    let isSameUser: Bool
    let isLocal: Bool
    /// What URLs may lead to that the client names; nil: it may name none.
    let reach: NetworkReach?
    /// Whether the client may have the server ask the network at once: it has the permission to add songs, which makes the
    /// player ask for them.
    let maySend: Bool
    /// The reason to end the command: its client has gone, or its time is over; nil while it may continue. Any thread; it
    /// never blocks. Whatever takes long for a client asks it: readers of folders, the database, the network.
    let interruption: @Sendable () -> String?
  }

  /// Files that are added are read by `tagReader`. `onChange` is called on a command's own thread.
  init(
    host: JukeboxHost, home: MusicHome, library: MusicLibrary? = nil, playlists: PlaylistFolder? = nil,
    stickers: StickerStore? = nil, tagReader: TagReader,
    reachOfOthers: NetworkReach? = .publicOnly, readPlaylist: PlaylistReading? = nil,
    readTag: TagReading? = nil, clock: any HostClock,
    onChange: @escaping @Sendable (Subsystems) -> Void = { _ in }
  ) {
    self.host = host
    self.playlists = playlists
    self.stickers = stickers
    self.onChange = onChange
    database = DatabaseCommands(library: library, home: home)
    self.reachOfOthers = reachOfOthers
    self.readPlaylist = readPlaylist
    self.readTag = readTag
    self.clock = clock
    self.home = home
    self.tagReader = tagReader
  }

  /// Carries out a command and calls `completion` on a thread of the command's own.
  func perform(
    _ command: Command.Library, _ context: ConnectionMachine.Context, for client: ClientInfo,
    completion: @escaping @Sendable (Result<Reply, Ack>) -> Void
  ) {
    if case .readpicture(let name, _) = command, let refusal = refusal(of: name, for: client) {
      return completion(.failure(refusal))
    }
    perform(for: client, context.permissions, completion) { library, request throws(Ack) in
      try library.reply(to: command, context, request)
    }
  }

  /// The same for a command that asks the database.
  func perform(
    _ command: Command.Database, _ context: ConnectionMachine.Context, for client: ClientInfo,
    completion: @escaping @Sendable (Result<Reply, Ack>) -> Void
  ) {
    perform(for: client, context.permissions, limit: Self.questionLimit, completion) {
      library, request throws(Ack) in
      let database = library.database.until(request.interruption)
      switch command {
      case .findadd(let query), .searchadd(let query):
        var songs = try database.songs(query, foldsCase: command.foldsCase)
        if !request.isSameUser {
          songs.removeAll { song in song.locator.file.map { !library.home.holds($0) } ?? true }
        }
        _ = try library.add(songs, at: query.position)
        return Reply()
      default: return try database.reply(to: command, tags: context.tags)
      }
    }
  }

  /// Carries out a command by `body`, on a thread of the command's own, in `limit` seconds.
  func perform(
    for client: ClientInfo, _ permissions: Permissions, limit: Double = readingLimit,
    _ completion: @escaping @Sendable (Result<Reply, Ack>) -> Void,
    _ body: @escaping @Sendable (LibraryCommands, Request) throws(Ack) -> Reply
  ) {
    DispatchQueue(label: "continuo.library").async { [self] in
      let start = clock.now
      let request = Request(
        isSameUser: client.isSameUser, isLocal: client.isLocal,
        reach: reach(of: client), maySend: permissions.contains(.add)
      ) { [self] in
        let now = clock.now
        if now.seconds(since: start) > limit { return "it takes more than \(Int(limit)) s" }
        let isGone = gone.withLock { gone in
          // A client that may still read has each of its commands carried out for that long.
          gone[client.id].map {
            now.seconds(since: $0.isCertain ? $0.since : max($0.since, start)) > Self.goneLimit
          }
        }
        return isGone == true ? "the client has gone" : nil
      }
      completion(Result { () throws(Ack) in try body(self, request) })
    }
  }

  /// The refusal of a command that reads from the network if there are too many requests: found before a thread is made for it.
  func refusal(of name: Argument, for client: ClientInfo) -> Ack? {
    guard EntryLocation.isURL(name.bytes), requests.areTooMany(isSameUser: client.isSameUser) else {
      return nil
    }
    return Ack(.system, NetworkRequests.refusal)
  }

  /// What URLs of a client may lead to; nil: it may name none.
  ///
  /// Clients from the network are others too, also those of this machine: nobody vouches for who they are.
  func reach(of client: ClientInfo) -> NetworkReach? { client.isSameUser ? .all : reachOfOthers }

  /// Ends the commands of a client whose connection is closed, after `goneLimit`.
  func connectionClosed(_ client: ClientID) {
    let absence = Absence(since: clock.now, isCertain: true)
    gone.withLock { $0[client] = absence }
  }

  /// Ends each command of a client that may have gone after `goneLimit`.
  func inputEnded(_ client: ClientID) {
    let absence = Absence(since: clock.now, isCertain: false)
    gone.withLock { $0[client] = $0[client] ?? absence }
  }

  /// No command of that client is under way any more.
  func clientLeft(_ client: ClientID) { gone.withLock { _ = $0.removeValue(forKey: client) } }

  private func reply(
    to command: Command.Library, _ context: ConnectionMachine.Context, _ request: Request
  ) throws(Ack) -> Reply {
    switch command {
    case .add(let uri, let place):
      let found = try songs(of: uri, request)
      try addAndRead(found.songs, at: place)
      if let refusal = found.refusal { throw refusal }
      return Reply()
    case .addid(let uri, let place):
      let ids = try addAndRead([try song(of: uri, request)], at: place)
      var reply = Reply()
      for id in ids { reply.append("Id", id.rawValue) }
      return reply
    case .lsinfo(let uri):
      let path = try resolve(uri?.bytes ?? [], request)
      var contents: Reply
      if let known = try database.until(request.interruption).contents(of: path, tags: context.tags) {
        contents = known
      } else {
        contents = try list(path, request)
      }
      // As clients of old look for them.
      if path == home.path { contents.append(try storedPlaylists()) }
      return contents
    case .readpicture(let uri, let offset):
      let song: Named
      if let named = try remote(uri, request) {
        guard request.maySend else { throw .noRequests }
        song = named
      } else {
        song = (SongLocator(try resolveSong(uri, request)), nil)
      }
      return try readPicture(of: song, from: Int(offset), limit: context.binaryLimit, request)
    case .albumart(let uri, let offset):
      return try albumArt(beside: uri, from: Int(offset), limit: context.binaryLimit, request)
    case .readcomments(let uri):
      // What mpd answers for a file whose tags say nothing more.
      guard (try? MP3File(pathBytes: resolveSong(uri, request).bytes).readMetadata()) != nil else {
        throw .noSuchSong
      }
      return Reply()
    case .getfingerprint: throw Ack(.unknown, "no fingerprints are computed here")
    case .listfiles(let uri): return try listFiles(try resolve(uri?.bytes ?? [], request), request)
    }
  }

  // MARK: Adding

  /// The URL that a client's name is; nil where it means something on this machine.
  func remote(_ name: Argument, _ request: Request) throws(Ack) -> Named? {
    guard case .url(let url, let credentials) = EntryLocation(name.bytes) else { return nil }
    guard request.reach != nil else {
      throw Ack(.permission, "Access denied: nothing is played from the network for other users")
    }
    return (SongLocator(url), credentials)
  }

  /// The URL or the file of this name, and nothing else.
  private func song(of name: Argument, _ request: Request) throws(Ack) -> Song {
    if let named = try remote(name, request) { return song(named, request) }
    let path = try resolveSong(name, request)
    guard let status = try? FileStatus(of: path), status.type != S_IFDIR else {
      throw Ack(.noExist, "No such song")
    }
    if let flaw = flaw(of: path) { throw Ack(.noExist, flaw) }
    return Song(SongLocator(path), reach: request.reach ?? .publicOnly)
  }

  private func song(_ named: Named, _ request: Request) -> Song {
    Song(named.locator, reach: request.reach ?? .publicOnly, credentials: named.credentials)
  }

  func resolve(_ name: [UInt8], _ request: Request) throws(Ack) -> MediaPath {
    try checkName(name, request)
    do {
      return try home.resolve(name, isSameUser: request.isSameUser)
    } catch {
      throw error.ack
    }
  }

  /// The same for a name that cannot be a directory's: what is missing is a song.
  func resolveSong(_ name: Argument, _ request: Request) throws(Ack) -> MediaPath {
    try checkName(name.bytes, request)
    do {
      return try home.resolve(name.bytes, isSameUser: request.isSameUser)
    } catch .missing {
      throw Ack(.noExist, "No such song")
    } catch {
      throw error.ack
    }
  }

  /// Whether the name says where the file is on this machine; `/` alone is the home.
  private static func isAbsolute(_ name: [UInt8]) -> Bool {
    EntryLocation.isURL(name) || name.first == UInt8(ascii: "/") && name.contains { $0 != UInt8(ascii: "/") }
  }

  /// As in mpd, clients from the network learn nothing of where files are: not even whether a name leads to the home.
  func checkName(_ name: [UInt8], _ request: Request) throws(Ack) {
    guard !request.isLocal, Self.isAbsolute(name) else { return }
    throw Ack(
      .permission, "Access denied: clients from the network name files relative to the music directory")
  }

  /// What a client's name stands for.
  struct Found {
    var songs: [Song] = []
    /// What is to be said of those that are left out.
    var refusal: Ack?
  }

  /// The URL or the file of this name, or what is in this folder or playlist.
  func songs(of uri: Argument, _ request: Request) throws(Ack) -> Found {
    if let named = try remote(uri, request) {
      guard let url = named.locator.url, NetworkPlaylist.kind(named: url) != nil else {
        return Found(songs: [song(named, request)])
      }
      return try expand([named], request)
    }
    // Clients add whatever `lsinfo` has listed and give up at the first refusal: for them a folder without music has
    // nothing to add. A person who names one by its path hears of it.
    let isListed = uri.bytes.first != UInt8(ascii: "/") && !EntryLocation.isURL(uri.bytes)
    let path = try resolve(uri.bytes, request)
    let found = try expand([(SongLocator(path), nil)], request)
    let isFolder = (try? FileStatus(of: path))?.type == S_IFDIR
    // A link to nothing in a folder is nobody's concern, as with mpd.
    if isFolder, isListed || !found.songs.isEmpty { return Found(songs: found.songs) }
    return found
  }

  /// URLs, files, what is in folders, or what playlists name: only what the client may have and what can be played.
  ///
  /// - Parameter arePlaylists: whether URLs are those of playlists, whatever they are called.
  func expand(
    _ names: [Named], arePlaylists: Bool = false, _ request: Request
  ) throws(Ack) -> Found {
    var builder = QueueBuilder(
      directory: home.path, confinedTo: request.isSameUser ? nil : home, reach: request.reach,
      refusal: flaw(of:), interruption: { _ in request.interruption() },
      readPlaylist: request.maySend ? requests.counting(readPlaylist, isSameUser: request.isSameUser) : nil,
      takesURLsForPlaylists: arePlaylists)
    for (locator, credentials) in names {
      if let url = locator.url {
        builder.add(url, credentials)
      } else {
        // Absolute, so nothing of it is taken for an option or for standard input.
        builder.add(argument: MediaPath(bytes: locator.bytes))
      }
    }
    if let limitation = builder.limitation { throw .interrupted(limitation) }
    var found = Found(songs: builder.songs)
    if let problem = builder.problems.first {
      let more = builder.problemCount - 1
      let rest =
        (more > 0 ? " (and \(more) more)" : "") + (found.songs.isEmpty ? "" : "; the rest was added")
      found.refusal = Ack(.noExist, "\(problem)\(rest)")
    } else if found.songs.isEmpty, !names.isEmpty {
      found.refusal = Ack(.noExist, "No such song")
    }
    return found
  }

  /// Why a file cannot be played; nil for one that can. What is called like MP3 is not opened here.
  private func flaw(of file: MediaPath) -> String? {
    guard file.fileExtension != "mp3" else { return nil }
    do {
      _ = try MP3File(pathBytes: file.bytes).open {}.proceed()
      return nil
    } catch {
      return error.message
    }
  }

  /// Adds songs, and has the tags of those read that are files.
  @discardableResult
  func addAndRead(_ songs: [Song], at place: QueuePosition?) throws(Ack) -> [SongID] {
    let ids = try add(songs, at: place)
    tagReader.read(Array(zip(ids, songs.map(\.locator))))
    return ids
  }

  func add(_ songs: [Song], at place: QueuePosition?) throws(Ack) -> [SongID] {
    do throws(JukeboxError) {
      return try host.change { machine throws(JukeboxError) in
        try machine.add(songs, at: place)
      }
    } catch {
      throw error.ack
    }
  }
}
