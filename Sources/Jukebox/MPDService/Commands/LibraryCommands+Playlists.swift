import ControlProtocol
import ControlServer
import Jukebox
import JukeboxPlayback
import MusicFiles
import MusicLibrary
import Transfer

extension LibraryCommands {
  private static let songsInPiece = 128

  func perform(
    _ command: Command.Playlists, _ context: ConnectionMachine.Context, for client: ClientInfo,
    completion: @escaping @Sendable (Result<Reply, Ack>) -> Void
  ) {
    switch command {
    case .listplaylist(let name), .listplaylistinfo(let name), .load(let name, _, _):
      if let refusal = refusal(of: name, for: client) { return completion(.failure(refusal)) }
    default: break
    }
    perform(for: client, context.permissions, completion) { library, request throws(Ack) in
      switch command {
      case .listplaylists: return try library.storedPlaylists()
      case .listplaylist(let name): return library.names(of: try library.contents(of: name, request)[...])
      case .listplaylistinfo(let name):
        return try library.songs(
          of: try library.contents(of: name, request)[...], context.tags, isSameUser: request.isSameUser)
      case .load(let name, let range, let place):
        // Missing files are left out silently, as in mpd, so that clients play the rest.
        var refusal: Ack?
        let songs: [Song]
        if var found = try library.remotePlaylist(name, request) {
          // After skipped entries the songs' numbers in the playlist are unknown.
          let known = found.completeCount ?? .max
          if range != nil { found.songs = Array(Array(found.songs.prefix(known)).part(range)) }
          if known < range?.upperBound.map(Int.init) ?? .max { refusal = found.refusal }
          songs = found.songs
        } else {
          let names = try library.contents(of: name, request).part(range).compactMap(\.named)
          songs = try library.expand(names, request).songs
        }
        try library.addAndRead(songs, at: place)
        if let refusal { throw refusal }
        return Reply()
      default: return try library.change(command, request)
      }
    }
  }

  /// Returns the songs of the playlist at a URL, at least one; nil if the name is not a URL.
  private func remotePlaylist(_ name: Argument, _ request: Request) throws(Ack) -> Found? {
    guard let named = try remote(name, request) else { return nil }
    guard request.maySend else { throw .noRequests }
    let found = try expand([named], arePlaylists: true, request)
    if found.songs.isEmpty, let refusal = found.refusal { throw refusal }
    return found
  }

  // MARK: Queries

  private struct Entry {
    let name: Argument
    /// The location, even of a missing file; nil for an unsupported or invalid entry.
    let locator: SongLocator?
    /// The credentials for the entry, from the playlist.
    var credentials: Credentials?

    var named: Named? { locator.map { ($0, credentials) } }
  }

  private func entry(at locator: SongLocator, _ credentials: Credentials?) -> Entry {
    Entry(name: Argument(home.name(of: locator)), locator: locator, credentials: credentials)
  }

  /// Returns the list of stored playlists; empty if none are kept.
  func storedPlaylists() throws(Ack) -> Reply {
    var reply = Reply()
    guard playlists != nil else { return reply }
    for playlist in try inFolder({ f throws(PlaylistProblem) in try f.list() }) {
      reply.append("playlist", Argument(playlist.name))
      reply.append(lastModified: playlist.modified)
    }
    return reply
  }

  /// Returns the entries of a playlist at a URL, of a stored playlist, or of `NAME`, `NAME.m3u`, `NAME.m3u8`
  /// or `NAME.pls` in the music directory.
  private func contents(of name: Argument, _ request: Request) throws(Ack) -> [Entry] {
    if let found = try remotePlaylist(name, request) {
      return found.songs.map { entry(at: $0.locator, $0.credentials) }
    }
    do throws(PlaylistProblem) {
      guard let playlists else { throw .missing }
      return try playlists.entries(of: name.bytes).map { text in
        guard let entry = home.locator(ofEntry: text) else {
          return Entry(name: Argument(WebURL.withoutCredentials(text)), locator: nil)
        }
        return self.entry(at: entry.locator, entry.credentials)
      }
    } catch .missing, .badName {
      try checkName(name.bytes, request)
      for suffix in ["", ".m3u", ".m3u8", ".pls"] {
        guard let path = try? home.resolve(name.bytes + Array(suffix.utf8), isSameUser: request.isSameUser),
          path.isPlaylist
        else { continue }
        let found = try expand([(SongLocator(path), nil)], request)
        if found.songs.isEmpty, let refusal = found.refusal { throw refusal }
        return found.songs.map { entry(at: $0.locator, $0.credentials) }
      }
      throw .noSuchPlaylist
    } catch {
      throw error.ack
    }
  }

  private func names(of entries: ArraySlice<Entry>) -> Reply {
    var reply = Reply()
    for entry in entries.prefix(Self.songsInPiece) { reply.append("file", entry.name) }
    let rest = entries.dropFirst(Self.songsInPiece)
    if !rest.isEmpty { reply.continueLater { [self] in names(of: rest) } }
    return reply
  }

  private func songs(of entries: ArraySlice<Entry>, _ tags: TagSet, isSameUser: Bool) throws(Ack) -> Reply {
    var reply = Reply()
    for entry in entries.prefix(Self.songsInPiece) {
      guard let file = entry.locator?.file, (try? FileStatus(of: file)) != nil, isSameUser || home.holds(file)
      else {
        reply.append("file", entry.name)
        continue
      }
      // The file of a song in the database need not be opened.
      if let known = try database.song(at: file, tags: tags) {
        reply.append(known)
      } else {
        let song = Song(path: file.bytes, metadata: SongMetadata(path: file.bytes))
        SongReply(song, home: home).write(into: &reply, tags: tags)
      }
    }
    let rest = entries.dropFirst(Self.songsInPiece)
    if !rest.isEmpty {
      reply.continueLater { [self] () throws(Ack) in try songs(of: rest, tags, isSameUser: isSameUser) }
    }
    return reply
  }

  // MARK: Changes

  private func change(_ command: Command.Playlists, _ request: Request) throws(Ack) -> Reply {
    var refusal: Ack?
    switch command {
    case .listplaylists, .listplaylist, .listplaylistinfo, .load: return Reply()
    case .save(let name, let mode):
      let entries = queueEntries()
      try inFolder { f throws(PlaylistProblem) in try f.save(name.bytes, entries, mode) }
    case .rm(let name): try inFolder { f throws(PlaylistProblem) in try f.remove(name.bytes) }
    case .rename(let name, let newName):
      try inFolder(exists: "Playlist exists already") { f throws(PlaylistProblem) in
        try f.rename(name.bytes, to: newName.bytes)
      }
    case .playlistadd(let name, let uri, let place):
      let found = try songs(of: uri, request)
      refusal = found.refusal
      try insert(found.songs.map { home.entry(for: $0.locator) }, into: name, at: place.map(Int.init))
    case .searchaddpl(let name, let query):
      let songs = try database.until(request.interruption).songs(query, foldsCase: true)
      try insert(songs.map { home.entry(for: $0.locator) }, into: name, at: query.position?.number)
    case .playlistclear(let name):
      try inFolder { f throws(PlaylistProblem) in
        try f.edit(name.bytes) { e throws(PlaylistProblem) in e = [] }
      }
    case .playlistdelete(let name, let range):
      try inFolder { f throws(PlaylistProblem) in
        try f.edit(name.bytes) { entries throws(PlaylistProblem) in
          guard Int(range.lowerBound) <= entries.count else { throw .badPosition }
          entries.removeSubrange(entries.part(range).indices)
        }
      }
    case .playlistmove(_, let from, let to) where from == to: return Reply()
    case .playlistmove(let name, let from, let to):
      try inFolder(badPosition: "Bad range") { f throws(PlaylistProblem) in
        try f.edit(name.bytes) { entries throws(PlaylistProblem) in
          guard from < entries.count, to < entries.count else { throw .badPosition }
          entries.insert(entries.remove(at: Int(from)), at: Int(to))
        }
      }
    }
    onChange(.storedPlaylist)
    if let refusal { throw refusal }
    return Reply()
  }

  private func insert(_ entries: [[UInt8]], into name: Argument, at place: Int?) throws(Ack) {
    try inFolder(badPosition: "Bad position") { f throws(PlaylistProblem) in
      try f.insert(entries, into: name.bytes, at: place)
    }
  }

  private func queueEntries() -> [[UInt8]] {
    let queue = host.read { $0.queue }
    var entries: [[UInt8]] = []
    entries.reserveCapacity(queue.count)
    queue.forEach(in: 0..<queue.count) { entries.append(home.entry(for: $1.song.locator)) }
    return entries
  }

  /// Returns the result of `body`, which is called with the playlist folder. Converts errors to mpd's.
  private func inFolder<Result>(
    badPosition: String = "Bad song index", exists: String = "Playlist already exists",
    _ body: (PlaylistFolder) throws(PlaylistProblem) -> Result
  ) throws(Ack) -> Result {
    guard let playlists else {
      throw Ack(.unknown, "Stored playlists are disabled: this server keeps nothing")
    }
    do throws(PlaylistProblem) {
      return try body(playlists)
    } catch .badPosition {
      throw Ack(.argument, badPosition)
    } catch .exists {
      throw Ack(.exist, exists)
    } catch {
      throw error.ack
    }
  }
}

// MARK: - Stickers

extension LibraryCommands {
  func perform(
    _ command: Command.Stickers, for client: ClientInfo,
    completion: @escaping @Sendable (Result<Reply, Ack>) -> Void
  ) {
    perform(for: client, [], completion) { library, request throws(Ack) in
      guard let stickers = library.stickers, library.database.library != nil else {
        throw Ack(.unknown, "sticker database is disabled: this server keeps none, or knows no songs")
      }
      let result: Result<Reply, Ack>
      do throws(DatabaseError) {
        result = try library.reply(to: command, stickers, request)
      } catch .refused(let ack) {
        throw ack
      } catch {
        throw Ack(.system, "the stickers: \(error)")
      }
      return try result.get()
    }
  }

  private func reply(
    to command: Command.Stickers, _ stickers: StickerStore, _ request: Request
  ) throws(DatabaseError) -> Result<Reply, Ack> {
    var reply = Reply()
    func append(_ name: [UInt8], _ value: [UInt8]) {
      reply.append("sticker", Argument(name + [UInt8(ascii: "=")] + value))
    }
    if case .find(let folder, let name, let test) = command {
      let database = self.database.until(request.interruption)
      for (song, value) in try stickers.find(
        name.bytes, below: database.stored(folder.bytes), test, interruption: request.interruption)
      where try database.hasSong(song) {
        // Checked here, because each query for one song is too short to be interrupted.
        if let reason = request.interruption() { return .failure(.interrupted(reason)) }
        reply.append("file", Argument(song))
        append(name.bytes, value)
      }
      return .success(reply)
    }
    let song = try database.stored(command.uri.bytes)
    guard try database.hasSong(song) else { return .failure(.noSuchSong) }
    switch command {
    case .get(_, let name):
      guard let value = try stickers.value(of: name.bytes, for: song) else { return .failure(.noSuchSticker) }
      append(name.bytes, value)
    case .list:
      for (name, value) in try stickers.all(for: song) { append(name, value) }
    case .set(_, let name, let value):
      try stickers.set(name.bytes, to: value.bytes, for: song)
      onChange(.sticker)
    case .delete(_, let name):
      guard try stickers.remove(name?.bytes, for: song) else { return .failure(.noSuchSticker) }
      onChange(.sticker)
    case .find: break
    }
    return .success(reply)
  }
}

extension Command.Stickers {
  fileprivate var uri: Argument {
    switch self {
    case .get(let uri, _), .set(let uri, _, _), .delete(let uri, _), .list(let uri), .find(let uri, _, _): uri
    }
  }
}

extension Ack {
  fileprivate static let noSuchSticker = Ack(.noExist, "no such sticker")
}

extension PlaylistProblem {
  fileprivate var ack: Ack {
    switch self {
    case .badName: Ack(.argument, "Bad playlist name")
    case .missing: .noSuchPlaylist
    case .exists: Ack(.exist, "Playlist already exists")
    case .badPosition: Ack(.argument, "Bad song index")
    case .tooMany: Ack(.playlistMax, "There are too many stored playlists")
    case .tooLarge: Ack(.playlistMax, "Stored playlist is too large")
    case .failed(let reason): Ack(.system, reason)
    }
  }
}

extension QueuePosition {
  /// The number as a position in a playlist, which has no current song.
  fileprivate var number: Int {
    switch self {
    case .absolute(let number), .afterCurrent(let number), .beforeCurrent(let number): number
    }
  }
}

extension Array {
  fileprivate func part(_ range: PositionRange?) -> ArraySlice<Element> {
    self[range?.clamped(to: count) ?? 0..<count]
  }
}
