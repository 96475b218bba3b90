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

/// The commands that go to the disk: adding, listing, playlists, pictures. Each has a thread for itself, so that a slow
/// disk or a long playlist holds up nobody but who asked for it. A client has one command under way: there are no more
/// threads than clients.
final class LibraryCommands: Sendable {
  private struct Picture {
    var path: MediaPath
    var content: MP3Metadata.Picture?
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
  private let clock: any HostClock
  /// The last picture that was asked for: clients fetch it in chunks.
  private let picture = Mutex<Picture?>(nil)
  /// Clients whose connection is closed while commands of theirs are still performed, and since when.
  private let gone = Mutex<[ClientID: HostTime]>([:])

  /// Seconds in which folders and playlists are read for one command: as long as a client may be silent. Common ones
  /// give up after 30.
  private static let readingLimit = 60.0
  /// Seconds for which reading goes on for a client that has gone: a script that sends `add` and does not wait for the
  /// answer has its album added, and no core is kept busy for nobody.
  private static let goneLimit = 1.0

  /// Whom a command is carried out for.
  struct Request {
    let isSameUser: Bool
    let isLocal: Bool
    /// Why reading has to end; nil while it may go on.
    let interruption: () -> String?
  }

  /// Songs that are added are read by `tagReader`. `onChange` is called on a command's own thread.
  init(
    host: JukeboxHost, home: MusicHome, library: MusicLibrary? = nil, playlists: PlaylistFolder? = nil,
    stickers: StickerStore? = nil, tagReader: TagReader, clock: any HostClock,
    onChange: @escaping @Sendable (Subsystems) -> Void = { _ in }
  ) {
    self.host = host
    self.playlists = playlists
    self.stickers = stickers
    self.onChange = onChange
    database = DatabaseCommands(library: library, home: home)
    self.clock = clock
    self.home = home
    self.tagReader = tagReader
  }

  /// Carries out a command and calls `completion` on a thread of the command's own.
  func perform(
    _ command: Command.Library, _ context: ConnectionMachine.Context, for client: ClientInfo,
    completion: @escaping @Sendable (Result<Reply, Ack>) -> Void
  ) {
    perform(for: client, completion) { library, request throws(Ack) in
      try library.reply(to: command, context, request)
    }
  }

  /// The same for a command that asks the database.
  func perform(
    _ command: Command.Database, _ context: ConnectionMachine.Context, for client: ClientInfo,
    completion: @escaping @Sendable (Result<Reply, Ack>) -> Void
  ) {
    perform(for: client, completion) { library, request throws(Ack) in
      switch command {
      case .findadd(let query), .searchadd(let query):
        var songs = try library.database.songs(query, foldsCase: command.foldsCase)
        if !request.isSameUser { songs.removeAll { !library.isInHome(MediaPath(bytes: $0.path)) } }
        _ = try library.add(songs, at: query.position)
        return Reply()
      default: return try library.database.reply(to: command, tags: context.tags)
      }
    }
  }

  /// Carries out a command by `body`, on a thread of the command's own.
  func perform(
    for client: ClientInfo, _ completion: @escaping @Sendable (Result<Reply, Ack>) -> Void,
    _ body: @escaping @Sendable (LibraryCommands, Request) throws(Ack) -> Reply
  ) {
    DispatchQueue(label: "continuo.library").async { [self] in
      let start = clock.now
      let request = Request(isSameUser: client.isSameUser, isLocal: client.isLocal) { [self] in
        let now = clock.now
        if now.seconds(since: start) > Self.readingLimit {
          return "it takes more than \(Int(Self.readingLimit)) s"
        }
        let isGone = gone.withLock { $0[client.id].map { now.seconds(since: $0) > Self.goneLimit } ?? false }
        return isGone ? "the client has gone" : nil
      }
      completion(Result { () throws(Ack) in try body(self, request) })
    }
  }

  /// A client's connection is closed: what it has had read comes to its end soon.
  func connectionClosed(_ client: ClientID) { gone.withLock { $0[client] = clock.now } }

  /// No command of that client is under way any more.
  func clientLeft(_ client: ClientID) { gone.withLock { _ = $0.removeValue(forKey: client) } }

  private func reply(
    to command: Command.Library, _ context: ConnectionMachine.Context, _ request: Request
  ) throws(Ack) -> Reply {
    switch command {
    case .add(let uri, let place):
      let found = try files(of: uri, request)
      try add(found.files, at: place)
      if let refusal = found.refusal { throw refusal }
      return Reply()
    case .addid(let uri, let place):
      let path = try resolveSong(uri, request)
      guard let status = try? FileStatus(of: path), status.type != S_IFDIR else {
        throw Ack(.noExist, "No such song")
      }
      if let flaw = flaw(of: path, request) { throw Ack(.noExist, flaw) }
      let ids = try add([path], at: place)
      var reply = Reply()
      for id in ids { reply.append("Id", id.rawValue) }
      return reply
    case .lsinfo(let uri):
      let path = try resolve(uri?.bytes ?? [], request)
      var contents: Reply
      if let known = try database.contents(of: path, tags: context.tags) {
        contents = known
      } else {
        contents = try list(path, request)
      }
      // As clients of old look for them.
      if path == home.path { contents.append(try storedPlaylists()) }
      return contents
    case .readpicture(let uri, let offset):
      return try readPicture(
        try resolveSong(uri, request), from: Int(offset), limit: context.binaryLimit)
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

  func resolve(_ name: [UInt8], _ request: Request) throws(Ack) -> MediaPath {
    try checkName(name, request)
    do {
      return try home.resolve(name, isSameUser: request.isSameUser)
    } catch {
      throw error.ack
    }
  }

  /// The same for a name that cannot be a directory's: what is missing is a song.
  private func resolveSong(_ name: Argument, _ request: Request) throws(Ack) -> MediaPath {
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
    var files: [MediaPath] = []
    /// What is to be said of those that are left out.
    var refusal: Ack?
  }

  /// The file of this name, or those in this folder or playlist.
  func files(of uri: Argument, _ request: Request) throws(Ack) -> Found {
    // Clients add whatever `lsinfo` has listed and give up at the first refusal: for them a folder without music has
    // nothing to add. A person who names one by its path hears of it.
    let isListed = uri.bytes.first != UInt8(ascii: "/") && !EntryLocation.isURL(uri.bytes)
    let path = try resolve(uri.bytes, request)
    let found = try expand([path], request)
    let isFolder = (try? FileStatus(of: path))?.type == S_IFDIR
    // A link to nothing in a folder is nobody's concern, as with mpd.
    if isFolder, isListed || !found.files.isEmpty { return Found(files: found.files) }
    return found
  }

  /// Files, what is in folders, or what playlists name: only what the client may have and what can be played.
  func expand(_ paths: [MediaPath], _ request: Request) throws(Ack) -> Found {
    var builder = QueueBuilder(
      directory: home.path, refusal: { self.flaw(of: $0, request) },
      interruption: { _ in request.interruption() })
    // Absolute, so nothing of it is taken for an option or for standard input.
    for path in paths { builder.add(argument: path) }
    if let limitation = builder.limitation { throw Ack(.system, "nothing was done: \(limitation)") }
    var found = Found(files: builder.files)
    if let problem = builder.problems.first {
      let more = builder.problemCount - 1
      let rest = (more > 0 ? " (and \(more) more)" : "") + (found.files.isEmpty ? "" : "; the rest was added")
      found.refusal = Ack(.noExist, "\(problem)\(rest)")
    } else if found.files.isEmpty, !paths.isEmpty {
      found.refusal = Ack(.noExist, "No such song")
    }
    return found
  }

  /// Why a client cannot have a file played; nil for one that it can. What is called like MP3 is not opened here.
  private func flaw(of file: MediaPath, _ request: Request) -> String? {
    if !request.isSameUser, !isInHome(file) { return "the file is outside of the music directory" }
    guard file.fileExtension != "mp3" else { return nil }
    do {
      _ = try MP3File(pathBytes: file.bytes).open {}.proceed()
      return nil
    } catch {
      return error.message
    }
  }

  func isInHome(_ file: MediaPath) -> Bool {
    guard let real = try? file.resolvingLinks() else { return false }
    return home.contains(real)
  }

  @discardableResult
  func add(_ files: [MediaPath], at place: QueuePosition?) throws(Ack) -> [SongID] {
    let songs = files.map { Song(path: $0.bytes) }
    let ids = try add(songs, at: place)
    tagReader.read(zip(ids, songs).map { ($0, $1.path) })
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

  // MARK: Listing

  private func list(_ path: MediaPath, _ request: Request) throws(Ack) -> Reply {
    let entries: FolderEntries
    do {
      entries = try FolderEntries(of: path, interruption: request.interruption)
    } catch .system(ENOTDIR) {
      var reply = Reply()
      let song = Song(path: path.bytes, metadata: SongMetadata(path: path.bytes))
      SongReply(song, home: home).write(into: &reply)
      return reply
    } catch {
      throw Ack(.system, "\(error)")
    }
    var reply = Reply()
    func append(_ kind: String, _ name: [UInt8]) {
      reply.append(kind, Argument(home.name(of: path.appending(name))))
    }
    for name in entries.folders { append("directory", name) }
    for name in entries.songs { append("file", name) }
    for name in entries.playlists { append("playlist", name) }
    return reply
  }

  private func listFiles(_ folder: MediaPath, _ request: Request) throws(Ack) -> Reply {
    var reply = Reply()
    do throws(FileBytes.Problem) {
      for name in try FolderEntries.names(in: folder, interruption: request.interruption) {
        guard let status = try? FileStatus(of: folder.appending(name)) else { continue }
        let isFolder = status.type == S_IFDIR
        reply.append(isFolder ? "directory" : "file", Argument(name))
        if !isFolder { reply.append("size", status.size) }
        reply.append(lastModified: status.changed / 1_000_000_000)
      }
    } catch {
      throw Ack(.system, "\(error)")
    }
    return reply
  }

  // MARK: Pictures

  private func albumArt(
    beside uri: Argument, from offset: Int, limit: Int, _ request: Request
  ) throws(Ack) -> Reply {
    let missing = Ack(.noExist, "No file exists")
    guard let song = try? resolveSong(uri, request),
      let cover = try? CoverFile.find(in: song.directory), request.isSameUser || isInHome(cover)
    else { throw missing }
    guard let part = try? FileBytes.part(of: cover, from: offset, count: limit) else { throw missing }
    guard offset <= part.size else { throw Ack(.argument, "Offset too large") }
    var reply = Reply()
    reply.appendBinary(part.bytes, totalSize: part.size)
    return reply
  }

  private func readPicture(_ path: MediaPath, from offset: Int, limit: Int) throws(Ack) -> Reply {
    let content: MP3Metadata.Picture?
    // Its first chunk is that of the file as it is now; those that follow are of the same picture.
    if offset > 0, let known = picture.withLock({ $0 }), known.path == path {
      content = known.content
    } else {
      guard let metadata = try? MP3File(pathBytes: path.bytes).readMetadata() else {
        throw Ack(.noExist, "No such song")
      }
      content = metadata.picture
      picture.withLock { $0 = Picture(path: path, content: content) }
    }
    var reply = Reply()
    guard let content else { return reply }
    guard offset <= content.data.count else { throw .badFileOffset }
    let chunk = Array(content.data[offset..<min(offset + limit, content.data.count)])
    reply.appendBinary(
      chunk, totalSize: content.data.count, mediaType: content.mimeType.isEmpty ? nil : content.mimeType)
    return reply
  }
}
