import AudioCore
import ControlProtocol
import Jukebox
import JukeboxPlayback
import MusicFiles
import SoundFileDecoding
import Synchronization
import SystemSupport
import Transfer

extension LibraryCommands {
  // MARK: Pictures

  /// Returns at most `limit` bytes, from `offset` on, of the picture in the folder of a song. As in mpd, the folder ends
  /// at the last slash of the name. Cantata requests the picture of a folder by a name with a slash at its end.
  func albumArt(beside uri: Argument, from offset: Int, limit: Int, _ request: Request) throws(Ack) -> Reply {
    let missing = Ack(.noExist, "No file exists")
    guard let named = try? resolveSong(uri, request),
      let cover = try? CoverFile.find(in: uri.bytes.last == UInt8(ascii: "/") ? named : named.directory),
      request.isSameUser || home.holds(cover)
    else { throw missing }
    guard let part = try? FileBytes.part(of: cover, from: offset, count: limit) else { throw missing }
    guard offset <= part.size else { throw Ack(.argument, "Offset too large") }
    var reply = Reply()
    reply.appendBinary(part.bytes, totalSize: part.size)
    return reply
  }

  func readPicture(of named: Named, from offset: Int, limit: Int, _ request: Request) throws(Ack) -> Reply {
    let song = named.locator
    // Replies name songs without credentials. For a client of the server's user, those in the queue are used.
    let isOwn = request.reach == .all && song.isRemote
    let credentials = named.credentials ?? (isOwn ? host.read { $0.queue.ownCredentials(for: song) } : nil)
    let content: (mimeType: String, data: [UInt8])?
    let isKept = { (known: Picture) in
      known.song == song && known.reach == request.reach && known.credentials == credentials
    }
    // The first chunk is read from the current file. Later chunks are from a kept picture if it was read for the same
    // song and with the same rights.
    if offset > 0, let known = pictures.withLock({ $0.first(where: isKept) }) {
      content = known.content
    } else {
      content = try wholePicture(of: song, credentials, request)
      let new = Picture(song: song, reach: request.reach, credentials: credentials, content: content)
      pictures.withLock { pictures in
        pictures.removeAll(where: isKept)
        pictures = [new] + pictures.prefix(Self.keptPictures - 1)
      }
    }
    var reply = Reply()
    guard let content else { return reply }
    guard offset <= content.data.count else { throw .badFileOffset }
    let chunk = Array(content.data[offset..<min(offset + limit, content.data.count)])
    reply.appendBinary(
      chunk, totalSize: content.data.count, mediaType: content.mimeType.isEmpty ? nil : content.mimeType)
    return reply
  }

  /// Returns the picture in the file of a song in the queue; nil if there is none, if it cannot be read, or
  /// once `interruption` returns a reason. Blocks on the disk or the network.
  func picture(of song: Song, interruption: @escaping @Sendable () -> String?) -> [UInt8]? {
    let request = Request(
      isSameUser: true, isLocal: true, reach: song.reach, maySend: true, interruption: interruption)
    return try? wholePicture(of: song.locator, song.credentials, request)?.data
  }

  /// Returns the picture marked as front cover, otherwise the first picture; nil without a picture.
  private func wholePicture(
    of song: SongLocator, _ credentials: Credentials?, _ request: Request
  ) throws(Ack) -> (mimeType: String, data: [UInt8])? {
    guard let field = try tag(of: song, credentials, request)?.cover, case .data(let data) = field.value
    else {
      return nil
    }
    return (field.mimeType ?? "", data)
  }

  /// Returns the tag of a song; nil if a network medium has none or cannot be read. Throws for a file that is not
  /// a readable song, and at the limit of network requests.
  private func tag(
    of song: SongLocator, _ credentials: Credentials?, _ request: Request
  ) throws(Ack) -> MediaTag? {
    if let url = song.url {
      let tag = requests.perform(isSameUser: request.isSameUser) {
        readTag?(url, credentials, request.reach ?? .publicOnly, request.interruption)
      }
      guard let tag else { throw Ack(.system, NetworkRequests.refusal) }
      return tag
    }
    // Any file may contain a tag, but only a song has audio.
    guard let file = song.file.map({ AudioFile(pathBytes: $0.bytes) }), (try? file.open {}.proceed()) != nil,
      let tag = try? file.readTag()
    else { throw Ack(.noExist, "No such song") }
    return tag
  }
}
