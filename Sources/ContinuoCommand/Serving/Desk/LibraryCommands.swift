import AudioCore
import ControlProtocol
import Dispatch
import Glibc
import Jukebox
import MP3Decoding
import Synchronization

/// The commands that go to the disk: adding, listing, playlists, pictures. One after the other on a thread of their
/// own, so that a slow disk holds up nobody but who asked for it.
final class LibraryCommands: Sendable {
  private struct Picture {
    var path: MediaPath
    var content: MP3Metadata.Picture?
  }

  private let host: JukeboxHost
  private let home: MusicHome
  private let tagReader: TagReader
  private let queue = DispatchQueue(label: "continuo.library")
  /// The last picture that was asked for: clients fetch it in chunks.
  private let picture = Mutex<Picture?>(nil)

  /// Songs that are added are read by `tagReader`.
  init(host: JukeboxHost, home: MusicHome, tagReader: TagReader) {
    self.host = host
    self.home = home
    self.tagReader = tagReader
  }

  /// Carries out a command and calls `completion` on this thread.
  func perform(
    _ command: Command.Library, isSameUser: Bool, tags: TagSet, binaryLimit: Int,
    completion: @escaping @Sendable (Result<Reply, Ack>) -> Void
  ) {
    queue.async { [self] in
      do throws(Ack) {
        completion(
          .success(
            try reply(to: command, isSameUser: isSameUser, tags: tags, binaryLimit: binaryLimit)))
      } catch {
        completion(.failure(error))
      }
    }
  }

  private func reply(
    to command: Command.Library, isSameUser: Bool, tags: TagSet, binaryLimit: Int
  ) throws(Ack) -> Reply {
    switch command {
    case .add(let uri, let place):
      try add(files(of: uri, isSameUser: isSameUser), at: place)
      return Reply()
    case .addid(let uri, let place):
      let path = try resolveSong(uri, isSameUser)
      guard let status = try? FileStatus(of: path), status.type != S_IFDIR else {
        throw Ack(.noExist, "No such song")
      }
      let ids = try add([path], at: place)
      var reply = Reply()
      for id in ids { reply.append("Id", id.rawValue) }
      return reply
    case .lsinfo(let uri): return try list(try resolve(uri?.bytes ?? [], isSameUser))
    case .listplaylist(let name):
      var reply = Reply()
      for file in try playlist(name, isSameUser: isSameUser) {
        reply.append("file", Argument(home.name(of: file)))
      }
      return reply
    case .listplaylistinfo(let name):
      var reply = Reply()
      for file in try playlist(name, isSameUser: isSameUser) {
        let song = Song(path: file.bytes, metadata: SongMetadata(path: file.bytes))
        SongReply(song, home: home).write(into: &reply, tags: tags)
      }
      return reply
    case .load(let name, let range, let place):
      let files = try playlist(name, isSameUser: isSameUser)
      let start = min(range.map { Int($0.lowerBound) } ?? 0, files.count)
      let end = max(start, min(range?.upperBound.map(Int.init) ?? files.count, files.count))
      try add(Array(files[start..<end]), at: place)
      return Reply()
    case .readpicture(let uri, let offset):
      return try readPicture(try resolveSong(uri, isSameUser), from: Int(offset), limit: binaryLimit)
    }
  }

  // MARK: Adding

  private func resolve(_ name: [UInt8], _ isSameUser: Bool) throws(Ack) -> MediaPath {
    do {
      return try home.resolve(name, isSameUser: isSameUser)
    } catch {
      throw error.ack
    }
  }

  /// The same for a name that cannot be a directory's: what is missing is a song.
  private func resolveSong(_ name: Argument, _ isSameUser: Bool) throws(Ack) -> MediaPath {
    do {
      return try home.resolve(name.bytes, isSameUser: isSameUser)
    } catch .missing {
      throw Ack(.noExist, "No such song")
    } catch {
      throw error.ack
    }
  }

  private func files(of uri: Argument, isSameUser: Bool) throws(Ack) -> [MediaPath] {
    let path = try resolve(uri.bytes, isSameUser)
    do {
      return try expand(path, isSameUser: isSameUser)
    } catch {
      // Clients add whatever `lsinfo` has listed and give up at the first refusal: for them a folder without music has
      // nothing to add. A person who names one by its path hears of it.
      guard uri.bytes.first != UInt8(ascii: "/"), !EntryLocation.isURL(uri.bytes), Self.isWithoutMusic(path)
      else { throw error }
      return []
    }
  }

  private static func isWithoutMusic(_ path: MediaPath) -> Bool {
    guard (try? FileStatus(of: path))?.type == S_IFDIR else { return false }
    let listing = FolderListing(of: path, fileLimit: 1)
    return listing.files.isEmpty && listing.problems.isEmpty
  }

  /// A file, what is in a folder, or what a playlist names: only what the client may have.
  private func expand(_ path: MediaPath, isSameUser: Bool) throws(Ack) -> [MediaPath] {
    var builder = QueueBuilder(directory: home.path)
    // Absolute, so nothing of it is taken for an option or for standard input.
    builder.add(argument: path)
    let files = isSameUser ? builder.files : builder.files.filter(isInHome)
    guard files.isEmpty else { return files }
    throw Ack(.noExist, builder.problems.first.map { "\($0)" } ?? "No such song")
  }

  private func isInHome(_ file: MediaPath) -> Bool {
    guard let real = try? file.resolvingLinks() else { return false }
    return home.contains(real)
  }

  @discardableResult
  private func add(_ files: [MediaPath], at place: QueuePosition?) throws(Ack) -> [SongID] {
    let songs = files.map { Song(path: $0.bytes) }
    let ids: [SongID]
    do throws(JukeboxError) {
      ids = try host.change { machine throws(JukeboxError) in
        try machine.add(songs, at: place)
      }
    } catch {
      throw error.ack
    }
    tagReader.read(zip(ids, songs).map { ($0, $1.path) })
    return ids
  }

  // MARK: Listing

  private func list(_ path: MediaPath) throws(Ack) -> Reply {
    let entries: FolderEntries
    do {
      entries = try FolderEntries(of: path)
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

  /// The files that a playlist names: `NAME`, or `NAME.m3u` or `.m3u8` in the home.
  private func playlist(_ name: Argument, isSameUser: Bool) throws(Ack) -> [MediaPath] {
    for suffix in ["", ".m3u", ".m3u8", ".pls"] {
      guard let path = try? home.resolve(name.bytes + Array(suffix.utf8), isSameUser: isSameUser),
        path.isPlaylist
      else { continue }
      return try expand(path, isSameUser: isSameUser)
    }
    throw .noSuchPlaylist
  }

  // MARK: Pictures

  private func readPicture(_ path: MediaPath, from offset: Int, limit: Int) throws(Ack) -> Reply {
    let content: MP3Metadata.Picture?
    if let known = picture.withLock({ $0 }), known.path == path {
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
