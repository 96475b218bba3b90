import AudioCore
import Clocks
import ControlProtocol
import ControlServer
import Dispatch
import Glibc
import Jukebox
import JukeboxPlayback
import MusicFiles
import MusicLibrary
import NetworkPlaylists
import SoundFileDecoding
import Synchronization
import Transfer

/// The commands that access the disk: adding, listing, playlists, pictures. Each runs on a thread of its own,
/// so that a slow disk or a long playlist delays only its own client. A client has one command in progress,
/// so the number of threads is at most the number of clients, including those that have just disconnected.
final class LibraryCommands: Sendable {
  /// Reads the tag of a network medium with its pictures. Returns nil if the medium has no tag or cannot be read, or
  /// once `interruption` returns a reason. Blocks on the network.
  typealias TagReading =
    @Sendable (WebURL, Credentials?, NetworkReach, _ interruption: () -> String?) -> MediaTag?

  /// A location named by a client: a file or a URL, and the credentials that the client's URL contained.
  typealias Named = (locator: SongLocator, credentials: Credentials?)

  struct Picture {
    var song: SongLocator
    /// The reach and credentials of the client that requested the picture. Clients with other rights must not
    /// see the picture.
    var reach: NetworkReach?
    var credentials: Credentials?
    var content: (mimeType: String, data: [UInt8])?
  }

  let host: JukeboxHost
  let home: MusicHome
  let database: DatabaseCommands
  let playlists: PlaylistFolder?
  let stickers: StickerStore?
  /// Notifies clients that a command has changed stored playlists or stickers.
  let onChange: @Sendable (Subsystems) -> Void
  private let tagReader: TagReader
  /// The addresses that URLs of other users' clients may lead to; nil forbids them URLs.
  private let reachOfOthers: NetworkReach?
  /// Reads network playlists. If nil, network playlists count as songs.
  private let readPlaylist: PlaylistReading?
  /// Reads tags of network media. If nil, network media have no pictures.
  let readTag: TagReading?
  let requests = NetworkRequests()
  private let clock: any HostClock
  /// The pictures that were requested last, the newest first. Kept because clients fetch pictures in chunks.
  let pictures = Mutex<[Picture]>([])
  /// The maximum number of kept pictures: for some clients at once.
  static let keptPictures = 4
  let gone: GoneClients

  /// The default time limit for a command, in seconds: as long as a client may be silent. Common clients give up after 30.
  private static let readingLimit = 60.0
  /// The time limit for a database query, in seconds. Queries read memory and indexes, and take milliseconds.
  private static let questionLimit = 20.0

  /// The client's rights and the interruption of a command.
  struct Request {
    let isSameUser: Bool
    let isLocal: Bool
    /// The addresses that the client's URLs may lead to; nil forbids URLs.
    let reach: NetworkReach?
    /// Whether the command may send network requests itself. Requires the permission to add songs, which
    /// makes the player send requests.
    let maySend: Bool
    /// The reason to end the command, such as a disconnected client or an exceeded time limit; nil while it
    /// may continue. Any thread; never blocks. All long operations call it: reading folders, database
    /// queries, network requests.
    let interruption: @Sendable () -> String?
  }

  /// Creates the commands. `tagReader` reads the files that are added. `onChange` is called on the thread of
  /// a command.
  init(
    host: JukeboxHost, home: MusicHome, library: MusicDatabase? = nil, playlists: PlaylistFolder? = nil,
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
    gone = GoneClients(clock: clock)
    self.home = home
    self.tagReader = tagReader
  }

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

  /// Performs a command by `body` on a separate thread. `interruption` ends the command after `limit` seconds, or
  /// when `GoneClients` decides that its client has gone. Refused while too many clients have gone.
  func perform(
    for client: ClientInfo, _ permissions: Permissions, limit: Double = readingLimit,
    _ completion: @escaping @Sendable (Result<Reply, Ack>) -> Void,
    _ body: @escaping @Sendable (LibraryCommands, Request) throws(Ack) -> Reply
  ) {
    if let refusal = gone.refusal { return completion(.failure(refusal)) }
    DispatchQueue(label: "continuo.library").async { [self] in
      let start = clock.now
      let request = Request(
        isSameUser: client.isSameUser, isLocal: client.isLocal,
        reach: reach(of: client), maySend: permissions.contains(.add)
      ) { [self] in
        if clock.now.seconds(since: start) > limit { return "it takes more than \(Int(limit)) s" }
        return gone.mustEnd(client.id, since: start) ? "the client has gone" : nil
      }
      completion(Result { () throws(Ack) in try body(self, request) })
    }
  }

  /// Returns a refusal if a command would exceed the limit of network requests; nil otherwise. Called before
  /// the command gets a thread.
  func refusal(of name: Argument, for client: ClientInfo) -> Ack? {
    guard EntryLocation.isURL(name.bytes), requests.areTooMany(isSameUser: client.isSameUser) else {
      return nil
    }
    return Ack(.system, NetworkRequests.refusal)
  }

  /// Returns the addresses that URLs of a client may lead to; nil forbids URLs.
  ///
  /// A TCP client counts as another user's even on this machine, since nothing proves its identity.
  func reach(of client: ClientInfo) -> NetworkReach? { client.isSameUser ? .all : reachOfOthers }

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
      // Older clients expect the stored playlists here. If these cannot be read, the music still can;
      // `listplaylists` replies with the reason.
      if path == home.path, let stored = try? storedPlaylists() { contents.append(stored) }
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
      // Raw comments are not provided: the reply for any readable file is mpd's for a file without comments.
      guard (try? AudioFile(pathBytes: resolveSong(uri, request).bytes).readMetadata()) != nil else {
        throw .noSuchSong
      }
      return Reply()
    case .getfingerprint: throw Ack(.unknown, "no fingerprints are computed here")
    case .listfiles(let uri): return try listFiles(try resolve(uri?.bytes ?? [], request), request)
    case .unplayable(let uri): return try unplayable(in: try resolve(uri?.bytes ?? [], request), request)
    }
  }

  // MARK: Adding

  /// Returns the location if a client's name is a URL; nil for any other name.
  func remote(_ name: Argument, _ request: Request) throws(Ack) -> Named? {
    guard case .url(let url, let credentials) = EntryLocation(name.bytes) else { return nil }
    guard request.reach != nil else {
      throw Ack(.permission, "Access denied: nothing is played from the network for other users")
    }
    return (SongLocator(url), credentials)
  }

  /// Returns the song at a URL or of a single file; folders and playlist files are refused.
  private func song(of name: Argument, _ request: Request) throws(Ack) -> Song {
    if let named = try remote(name, request) { return song(named, request) }
    let path = try resolveSong(name, request)
    guard let status = try? FileStatus(of: path), status.type != S_IFDIR else { throw .noSuchSong }
    if let flaw = flaw(of: path) { throw Ack(.noExist, flaw) }
    return Song(SongLocator(path), reach: request.reach ?? .publicOnly)
  }

  private func song(_ named: Named, _ request: Request) -> Song {
    Song(named.locator, reach: request.reach ?? .publicOnly, credentials: named.credentials)
  }

  /// Returns the path that a client's name leads to. If it does not exist, throws `missing`; without
  /// `missing`, mpd's error for a missing folder.
  func resolve(_ name: [UInt8], _ request: Request, missing: Ack? = nil) throws(Ack) -> MediaPath {
    try checkName(name, request)
    do {
      return try home.resolve(name, isSameUser: request.isSameUser)
    } catch .missing {
      throw missing ?? MusicHome.Problem.missing.ack
    } catch {
      throw error.ack
    }
  }

  func resolveSong(_ name: Argument, _ request: Request) throws(Ack) -> MediaPath {
    try resolve(name.bytes, request, missing: .noSuchSong)
  }

  /// Whether the name is absolute or a URL; `/` alone is the music directory.
  private static func isAbsolute(_ name: [UInt8]) -> Bool {
    EntryLocation.isURL(name) || name.first == UInt8(ascii: "/") && name.contains { $0 != UInt8(ascii: "/") }
  }

  /// Refuses absolute paths and URLs as names from network clients. They must not learn where files are, not even
  /// whether a name leads to the music directory. mpd does the same.
  func checkName(_ name: [UInt8], _ request: Request) throws(Ack) {
    guard !request.isLocal, Self.isAbsolute(name) else { return }
    throw Ack(
      .permission, "Access denied: clients from the network name files relative to the music directory")
  }

  struct Found {
    var songs: [Song] = []
    /// The number of songs before the first skipped entries of a network playlist; nil if none were
    /// skipped.
    var completeCount: Int?
    var problem: Ack?

    /// The problem, with the number of songs that are added nevertheless.
    var refusal: Ack? {
      guard let problem, !songs.isEmpty else { return problem }
      let count = songs.count
      return Ack(problem.code, "\(problem); \(count) \(count == 1 ? "song" : "songs") added")
    }
  }

  /// Returns the songs at a URL or of a file, or the songs in a folder or playlist.
  func songs(of uri: Argument, _ request: Request) throws(Ack) -> Found {
    if let named = try remote(uri, request) {
      guard let url = named.locator.url, NetworkPlaylist.kind(named: url) != nil else {
        return Found(songs: [song(named, request)])
      }
      return try expand([named], request)
    }
    // Clients add everything that `lsinfo` has listed and give up at the first error. A listed folder without
    // music therefore adds nothing; a folder named by its absolute path is an error.
    let isListed = uri.bytes.first != UInt8(ascii: "/") && !EntryLocation.isURL(uri.bytes)
    let path = try resolve(uri.bytes, request)
    let found = try expand([(SongLocator(path), nil)], request)
    let isFolder = (try? FileStatus(of: path))?.type == S_IFDIR
    // Broken links in a folder are ignored, as in mpd.
    if isFolder, isListed || !found.songs.isEmpty { return Found(songs: found.songs) }
    return found
  }

  /// Returns the songs at the named URLs, files, folders and playlists that can be played and that the client may
  /// access. `Found.problem` is the first problem, with the number of further ones. Throws if reading stops early, by an
  /// interruption or at a limit of `QueueBuilder`.
  ///
  /// - Parameter arePlaylists: Whether all URLs are read as playlists, regardless of their names.
  func expand(_ names: [Named], arePlaylists: Bool = false, _ request: Request) throws(Ack) -> Found {
    var builder = QueueBuilder(
      directory: home.path, confinedTo: request.isSameUser ? nil : home, reach: request.reach,
      refusal: flaw(of:), interruption: { _ in request.interruption() },
      readPlaylist: request.maySend ? requests.counting(readPlaylist, isSameUser: request.isSameUser) : nil,
      takesURLsForPlaylists: arePlaylists)
    for (locator, credentials) in names {
      if let url = locator.url {
        builder.add(url, credentials)
      } else {
        // An absolute path cannot be mistaken for an option or for standard input.
        builder.add(argument: MediaPath(bytes: locator.bytes))
      }
    }
    if let limitation = builder.limitation { throw .interrupted(limitation) }
    var found = Found(songs: builder.songs, completeCount: builder.completeCount)
    if let problem = builder.problems.first {
      let more = builder.problemCount - 1
      found.problem = Ack(.noExist, "\(problem)\(more > 0 ? " (and \(more) more)" : "")")
    } else if found.songs.isEmpty, !names.isEmpty {
      found.problem = .noSuchSong
    }
    return found
  }

  /// Returns the reason why a file cannot be played; nil if it can be played. Assumes without opening it that
  /// a file named like a song can be played.
  private func flaw(of file: MediaPath) -> String? {
    guard !file.isSong else { return nil }
    do {
      _ = try AudioFile(pathBytes: file.bytes).open {}.proceed()
      return nil
    } catch {
      return error.message
    }
  }

  /// Adds songs, with the tags that the database knows, and starts reading the files' own tags, which may be
  /// newer. Returns the ids.
  @discardableResult
  func addAndRead(_ songs: [Song], at place: QueuePosition?) throws(Ack) -> [SongID] {
    let ids = try add(database.described(songs), at: place)
    tagReader.read(Array(zip(ids, songs.map(\.locator))))
    return ids
  }

  /// Updates the tags of songs in the queue whose files have changed, with the tags from the database. Blocks
  /// on the disk.
  func renewTags() {
    let changes = database.changes(in: host.read { $0.queue })
    if !changes.isEmpty { try? host.change { $0.setMetadata(changes) } }
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
