import ControlProtocol
import Jukebox
import MusicFiles
import MusicLibrary

/// The commands that query or update the database of songs. Queries block on the disk.
struct DatabaseCommands: Sendable {
  /// The music database; nil if none is kept. Without a database, replies contain no songs, since clients treat an
  /// error like a lost connection; only updates are refused.
  let library: MusicDatabase?
  let home: MusicHome
  /// Returns the reason to end a query; nil while the query may continue.
  var interruption: @Sendable () -> String? = { nil }

  /// Returns a copy for one command of a client, whose queries end once `interruption` returns a reason. The
  /// later pieces of a long reply are not interrupted; they are made while the client reads.
  func until(_ interruption: @escaping @Sendable () -> String?) -> DatabaseCommands {
    var commands = self
    commands.interruption = interruption
    return commands
  }

  private static let songsInPiece = 128
  /// The size in bytes at which a piece of a walk through folders ends.
  private static let pieceSize = 32 << 10

  func reply(to command: Command.Database, tags: TagSet) throws(Ack) -> Reply {
    guard let library else { return try emptyReply(to: command) }
    switch command {
    case .find(let query), .search(let query):
      let ids = try ask { r throws(DatabaseError) in try r.find(query, foldsCase: command.foldsCase) }
      return try songs(ids[...], tags)
    // `LibraryCommands` performs these commands, which add to the queue.
    case .findadd, .searchadd: return Reply()
    case .count(let query):
      return try ask { reader throws(DatabaseError) in
        try reader.answer(to: command) { () throws(DatabaseError) in try count(query, reader) }
      }
    case .list(let query):
      return try ask { reader throws(DatabaseError) in
        try reader.answer(to: command) { () throws(DatabaseError) in try list(query, reader) }
      }
    case .listall(let uri): return try walk(uri, nil)
    case .listallinfo(let uri): return try walk(uri, tags)
    case .update(let uri): return try update(library, uri, rereads: false)
    case .rescan(let uri): return try update(library, uri, rereads: true)
    }
  }

  private func emptyReply(to command: Command.Database) throws(Ack) -> Reply {
    switch command {
    case .count(let query) where query.group == nil: return Reply(["songs": "0", "playtime": "0"])
    case .update, .rescan: throw Ack(.noExist, "No database: the server was started without --home")
    default: return Reply()
    }
  }

  private func ask<Result>(_ body: (LibraryReader) throws(DatabaseError) -> Result) throws(Ack) -> Result {
    guard let library else { throw Ack(.noExist, "No database") }
    return try report { () throws(DatabaseError) in try library.read(interruption: interruption, body) }
  }

  private func report<Result>(_ body: () throws(DatabaseError) -> Result) throws(Ack) -> Result {
    do throws(DatabaseError) {
      return try body()
    } catch .refused(let ack) {
      throw ack
    } catch {
      throw Ack(.system, "the database: \(error)")
    }
  }

  // MARK: Songs

  /// Returns the songs that match a query, for the queue.
  func songs(_ query: SongQuery, foldsCase: Bool) throws(Ack) -> [Song] {
    guard library != nil else { return [] }
    return try ask { reader throws(DatabaseError) in
      try reader.songs(reader.find(query, foldsCase: foldsCase)).map { song in
        Song(path: home.path.appending(song.path).bytes, metadata: song.metadata)
      }
    }
  }

  /// Returns the reply lines of a song in the database; nil for an unknown song.
  func song(at path: MediaPath, tags: TagSet) throws(Ack) -> Reply? {
    guard library != nil, let name = name(of: path) else { return nil }
    guard let song = try ask({ r throws(DatabaseError) in try r.song(name) }) else { return nil }
    var reply = Reply()
    reply.append(song, tags: tags)
    return reply
  }

  /// The maximum number of songs that are looked up at once: as many as a person reads. Takes 0.1 s.
  private static let describedSongs = 5000

  /// Returns the songs, the first `describedSongs` of them with metadata from the database. The other songs,
  /// and all after an error, are unchanged, since their files are read anyway.
  func described(_ songs: [Song]) -> [Song] {
    guard let library, !songs.isEmpty else { return songs }
    return
      (try? library.read(interruption: interruption) { reader throws(DatabaseError) in
        var described = songs
        for (index, song) in songs.prefix(Self.describedSongs).enumerated() where song.metadata == nil {
          guard let file = song.locator.file, let name = name(of: file) else { continue }
          described[index].metadata = try reader.song(name)?.metadata
        }
        return described
      }) ?? songs
  }

  /// Returns the database's metadata of the songs that have other metadata in the queue. Leaves out files that
  /// have changed since the database read them.
  func changes(in queue: SongQueue) -> [(id: SongID, metadata: SongMetadata)] {
    guard let library else { return [] }
    var changes: [(id: SongID, metadata: SongMetadata)] = []
    for start in stride(from: 0, to: queue.count, by: Self.describedSongs) {
      var songs: [QueuedSong] = []
      queue.forEach(in: start..<min(start + Self.describedSongs, queue.count)) { songs.append($1) }
      let found = try? library.read { reader throws(DatabaseError) in
        var found: [(id: SongID, metadata: SongMetadata)] = []
        for song in songs {
          guard let file = song.song.locator.file, let name = name(of: file),
            let metadata = try reader.song(name)?.metadata, metadata != song.song.metadata,
            (try? FileStatus(of: file))?.modified == metadata.modified
          else { continue }
          found.append((song.id, metadata))
        }
        return found
      }
      changes += found ?? []
    }
    return changes
  }

  /// Returns the name of the song or folder in the database that replies show as `name`; `name` itself if there is none.
  func stored(_ name: [UInt8]) throws(DatabaseError) -> [UInt8] {
    guard let library, let original = Argument(name).original?.bytes else { return name }
    return try library.read(interruption: interruption) { reader throws(DatabaseError) in
      for name in [name, original] {
        if try reader.song(name) != nil { return name }
        if try reader.folder(name) != nil { return name }
      }
      return name
    }
  }

  func hasSong(_ name: [UInt8]) throws(DatabaseError) -> Bool {
    try library?.read(interruption: interruption) { reader throws(DatabaseError) in
      try reader.song(name) != nil
    } ?? false
  }

  private func songs(_ ids: ArraySlice<Int64>, _ tags: TagSet?) throws(Ack) -> Reply {
    var reply = Reply()
    for song in try ask({ r throws(DatabaseError) in try r.songs(ids.prefix(Self.songsInPiece)) }) {
      reply.append(song, tags: tags)
    }
    let rest = ids.dropFirst(Self.songsInPiece)
    if !rest.isEmpty {
      reply.continueLater { [commands = until({ nil })] () throws(Ack) in try commands.songs(rest, tags) }
    }
    return reply
  }

  // MARK: Tags

  private func list(_ query: TagQuery, _ reader: LibraryReader) throws(DatabaseError) -> Reply {
    var reply = Reply()
    guard let last = query.tags.last else {
      for path in try reader.paths(query.filter) { reply.append("file", Argument(path)) }
      return reply
    }
    var before: [[UInt8]] = []
    try reader.forEachValues(of: query.tags, query.filter) { values in
      // A line for each grouping tag, from the first one on whose value has changed.
      var isSame = true
      for (index, type) in query.tags.dropLast().enumerated() {
        isSame = isSame && before.indices.contains(index) && before[index] == values[index]
        if !isSame { reply.append(type.rawValue, Argument(values[index])) }
      }
      if let value = values.last { reply.append(last.rawValue, Argument(value)) }
      before = values
    }
    return reply
  }

  private func count(_ query: CountQuery, _ reader: LibraryReader) throws(DatabaseError) -> Reply {
    var reply = Reply()
    func append(_ count: LibraryReader.Count) {
      reply.append("songs", count.songs)
      reply.append("playtime", Int64(count.seconds))
    }
    guard let group = query.group else {
      if let filter = query.filter { append(try reader.count(filter)) }
      return reply
    }
    for (value, count) in try reader.count(query.filter, by: group) {
      reply.append(group.rawValue, Argument(value))
      append(count)
    }
    return reply
  }

  // MARK: Folders

  /// Returns the `lsinfo` reply for a folder or a song; nil if it is not in the database.
  func contents(of path: MediaPath, tags: TagSet) throws(Ack) -> Reply? {
    guard library != nil, let name = name(of: path) else { return nil }
    let found = try ask { reader throws(DatabaseError) in
      (folder: try reader.folder(name), song: try reader.song(name))
    }
    if let song = found.song {
      var reply = Reply()
      reply.append(song, tags: tags)
      return reply
    }
    guard let folder = found.folder else { return nil }
    // Not made in pieces, because most folders fit into one, and the lines after the songs are short.
    let (songs, playlists, folders) = try ask { reader throws(DatabaseError) in
      (
        try reader.songs(reader.songs(in: folder)), try reader.playlists(in: folder),
        try reader.folders(in: folder)
      )
    }
    var reply = Reply()
    for song in songs { reply.append(song, tags: tags) }
    for playlist in playlists { reply.append("playlist", playlist, isDetailed: true) }
    for folder in folders { reply.append("directory", folder, isDetailed: true) }
    return reply
  }

  /// Returns the path in the database; nil for a path outside the music directory.
  private func name(of path: MediaPath) -> [UInt8]? {
    if path == home.path { return [] }
    let name = home.name(of: path)
    return name == path.bytes ? nil : name
  }

  /// Returns the reply for a song, or for a folder with everything in it and below it. Includes tags if
  /// `tags` is not nil.
  private func walk(_ uri: Argument?, _ tags: TagSet?) throws(Ack) -> Reply {
    var uri = uri?.bytes ?? []
    if uri == [UInt8(ascii: "/")] { uri = [] }
    uri = try report { () throws(DatabaseError) in try stored(uri) }
    if let song = try ask({ r throws(DatabaseError) in try r.song(uri) }) {
      var reply = Reply()
      reply.append(song, tags: tags)
      return reply
    }
    let folders = try ask { reader throws(DatabaseError) in
      try reader.folder(uri) == nil ? [] : reader.folders(from: uri)
    }
    // The music directory exists even before any of its contents are known.
    guard !folders.isEmpty || uri.isEmpty else { throw Ack(.noExist, "No such directory") }
    return try walk(Walk(folders: folders[...]), tags)
  }

  private struct Walk {
    var folders: ArraySlice<Int64>
    /// The folder in progress, and its remaining songs.
    var folder: Int64?
    var songs: ArraySlice<Int64> = []
  }

  private func walk(_ start: Walk, _ tags: TagSet?) throws(Ack) -> Reply {
    var (reply, walk) = (Reply(), start)
    try ask { reader throws(DatabaseError) in
      while reply.bytes.count < Self.pieceSize {
        if let folder = walk.folder {
          for song in try reader.songs(walk.songs.prefix(Self.songsInPiece)) {
            reply.append(song, tags: tags)
          }
          walk.songs = walk.songs.dropFirst(Self.songsInPiece)
          guard walk.songs.isEmpty else { continue }
          for playlist in try reader.playlists(in: folder) {
            reply.append("playlist", playlist, isDetailed: tags != nil)
          }
          walk.folder = nil
        } else {
          guard let next = walk.folders.popFirst() else { return }
          guard let entry = try reader.entry(ofFolder: next) else { continue }
          if !entry.path.isEmpty { reply.append("directory", entry, isDetailed: tags != nil) }
          (walk.folder, walk.songs) = (next, try reader.songs(in: next)[...])
        }
      }
    }
    if walk.folder != nil || !walk.folders.isEmpty {
      reply.continueLater { [walk, commands = until({ nil })] () throws(Ack) in
        try commands.walk(walk, tags)
      }
    }
    return reply
  }

  // MARK: Updates

  /// Returns the path of the file or folder that replies show as `uri`, below the home. Blocks on the disk.
  func path(toUpdate uri: Argument) -> [UInt8] {
    guard let original = uri.original?.bytes else { return uri.bytes }
    return [uri.bytes, original].first { (try? FileStatus(ofLinkOrFile: home.path.appending($0))) != nil }
      ?? uri.bytes
  }

  private func update(_ library: MusicDatabase, _ uri: Argument?, rereads: Bool) throws(Ack) -> Reply {
    var uri = uri ?? ""
    if uri == "/" { uri = "" }
    guard uri == "" || uri.isPlainRelativePath else { throw Ack(.argument, "Malformed path") }
    let path = path(toUpdate: uri)
    let number = try report { () throws(DatabaseError) in try library.update(path, rereads: rereads) }
    guard let number else { throw Ack(.updateAlready, "already updating") }
    return Reply(["updating_db": "\(number)"])
  }
}

extension Command.Database {
  var foldsCase: Bool {
    switch self {
    case .search, .searchadd: true
    default: false
    }
  }
}

extension Reply {
  /// Appends a song with its tags, or only its path if `tags` is nil.
  fileprivate mutating func append(_ song: LibrarySong, tags: TagSet?) {
    guard let tags else { return append("file", Argument(song.path)) }
    let metadata = song.metadata
    beginSong(
      file: song.path.span, range: nil, lastModified: metadata.modified, format: AudioFormatText(metadata))
    metadata.forEachTag(of: tags) { appendTag($0, $1) }
    endSong(duration: metadata.duration.map { Milliseconds(seconds: $0) }, place: nil)
  }

  /// Appends a folder or a playlist, with the time of its last change if `isDetailed`.
  fileprivate mutating func append(_ kind: String, _ entry: LibraryEntry, isDetailed: Bool) {
    append(kind, Argument(entry.path))
    if isDetailed { append(lastModified: entry.modified) }
  }
}
