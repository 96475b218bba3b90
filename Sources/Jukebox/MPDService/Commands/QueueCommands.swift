import ControlProtocol
import Jukebox
import JukeboxPlayback
import MusicFiles

/// The commands that list and edit the queue. None of them blocks.
struct QueueCommands: Sendable {
  let host: JukeboxHost
  let home: MusicHome

  // MARK: Editing

  func perform(_ command: Command.Queue) throws(JukeboxError) -> Reply {
    try host.change { m throws(JukeboxError) -> Void in
      switch command {
      case .delete(let range): try m.delete(try Self.range(range, in: m.queue.count))
      case .deleteid(let id): try m.delete(id: SongID(rawValue: id))
      case .clear: m.clear()
      case .move(let range, let place): try m.move(Self.exactRange(range, in: m.queue.count), to: place)
      case .moveid(let id, let place): try m.move(id: SongID(rawValue: id), to: place)
      case .swap(let first, let second): try m.swap(Int(first), Int(second))
      case .swapid(let first, let second):
        try m.swap(id: SongID(rawValue: first), id: SongID(rawValue: second))
      case .shuffle(let range):
        try m.shuffle(try range.map { r throws(JukeboxError) in try Self.range(r, in: m.queue.count) })
      case .prio(let priority, let ranges):
        // The ranges are applied in sequence, as in mpd: the ranges before an error take effect.
        for range in ranges {
          try m.setPriority(priority, of: try Self.range(range, in: m.queue.count, takesEnd: true))
        }
      case .prioid(let priority, let ids):
        for id in ids { try m.setPriority(priority, of: SongID(rawValue: id)) }
      case .addtagid(let id, let type, let value):
        try m.addTag(SongTag(type, value), to: SongID(rawValue: id))
      case .cleartagid(let id, let type): try m.removeTags(type, of: SongID(rawValue: id))
      case .rangeid(let id, let range):
        try m.setRange(range == .whole ? nil : range, of: SongID(rawValue: id))
      }
    }
    return Reply()
  }

  /// Returns the positions of a range that starts in the queue or at its end, clamped to the queue. A single
  /// position must be in the queue, unless `takesEnd`.
  private static func range(
    _ range: PositionRange, in count: Int, takesEnd: Bool = false
  ) throws(JukeboxError) -> Range<Int> {
    let start = Int(range.lowerBound)
    guard start <= count, takesEnd || !range.isSingle || start < count else { throw .badSongIndex }
    return range.clamped(to: count)
  }

  private static func exactRange(_ range: PositionRange, in count: Int) -> Range<Int> {
    Int(range.lowerBound)..<max(Int(range.lowerBound), range.upperBound.map(Int.init) ?? count)
  }

  // MARK: Listing

  func list(_ command: Command.Listing, tags: TagSet) throws(Ack) -> Reply {
    switch command {
    case .playlist:
      return list(nil) { position, song, reply in
        reply.appendPlaylistLine(
          position: UInt32(clamping: position), file: Argument(home.name(of: song.song.locator)))
      }
    case .playlistinfo(let range):
      if let range, Int(range.lowerBound) > host.read({ $0.queue.count }) { throw .badSongIndex }
      return list(range, shown(tags))
    case .playlistid(let id?):
      let found = host.read { machine in
        let id = SongID(rawValue: id)
        return machine.queue.position(of: id).flatMap { position in
          machine.queue[position: position].map { (position, $0) }
        }
      }
      guard let (position, song) = found else { throw .noSuchSong }
      var reply = Reply()
      reply.append(song, at: position, home: home, tags: tags)
      return reply
    case .playlistid(nil): return list(nil, shown(tags))
    case .plchanges(let version, let range): return changes(since: version, in: range, shown(tags))
    case .plchangesposid(let version, let range):
      return changes(since: version, in: range) { position, song, reply in
        reply.append("cpos", position)
        reply.append("Id", song.id.rawValue)
      }
    case .playlistfind(let filter):
      return try find(SongFilter(filter.expression, foldsCase: false), tags: tags)
    case .playlistsearch(let filter):
      return try find(SongFilter(filter.expression, foldsCase: true), tags: tags)
    }
  }

  /// Writes a song into a reply, or sets the reply's error, after which no song is written.
  private typealias Writer = @Sendable (Int, QueuedSong, inout Reply) -> Void

  private func shown(_ tags: TagSet) -> Writer {
    { [home] position, song, reply in reply.append(song, at: position, home: home, tags: tags) }
  }

  /// The number of songs in one piece of a reply: some 80 KiB, written in 0.2 ms.
  private static let songsInPiece = 256
  /// The number of songs that are searched for one piece of a reply. With the longest permitted filter that
  /// takes 2 ms.
  private static let candidatesInPiece = 64

  private func list(_ range: PositionRange?, inPieces size: Int = songsInPiece, _ write: @escaping Writer)
    -> Reply
  {
    let (songs, snapshot) = host.read { machine in
      let part = (range ?? .all).clamped(to: machine.queue.count)
      var songs: [(Int, QueuedSong)] = []
      // A short reply is made immediately, so that the next edit need not copy the queue for a snapshot.
      guard part.count > size else {
        machine.queue.forEach(in: part) { songs.append(($0, $1)) }
        return (songs, (queue: SongQueue, part: Range<Int>)?.none)
      }
      return (songs, (machine.queue, part))
    }
    var reply = Reply()
    for (position, song) in songs { write(position, song, &reply) }
    reply.rest = snapshot.flatMap { Self.rest(of: $0.queue, $0.part, inPieces: size, write) }
    return reply
  }

  private static func rest(
    of queue: SongQueue, _ part: Range<Int>, inPieces size: Int, _ write: @escaping Writer
  ) -> ReplyRest? {
    guard !part.isEmpty else { return nil }
    return ReplyRest { reply in
      let end = min(part.lowerBound + size, part.upperBound)
      queue.forEach(in: part.lowerBound..<end) { write($0, $1, &reply) }
      return reply.refusal != nil ? nil : rest(of: queue, end..<part.upperBound, inPieces: size, write)
    }
  }

  private func changes(since version: UInt32, in range: PositionRange?, _ write: @escaping Writer) -> Reply {
    let (songs, snapshot) = host.read { machine in
      let part = (range ?? .all).clamped(to: machine.queue.count)
      let (songs, next) = machine.queue.changes(since: version, in: part, limit: Self.songsInPiece)
      return (songs, next.map { (queue: machine.queue, part: $0..<part.upperBound) })
    }
    var reply = Reply()
    for (position, song) in songs { write(position, song, &reply) }
    reply.rest = snapshot.map { Self.changes(of: $0.queue, since: version, in: $0.part, write) }
    return reply
  }

  private static func changes(
    of queue: SongQueue, since version: UInt32, in part: Range<Int>, _ write: @escaping Writer
  ) -> ReplyRest {
    ReplyRest { reply in
      let (songs, next) = queue.changes(since: version, in: part, limit: songsInPiece)
      for (position, song) in songs { write(position, song, &reply) }
      return next.map { changes(of: queue, since: version, in: $0..<part.upperBound, write) }
    }
  }

  private func find(_ filter: SongFilter, tags: TagSet) throws(Ack) -> Reply {
    let reply = list(nil, inPieces: Self.candidatesInPiece) { [home] position, song, reply in
      guard reply.refusal == nil else { return }
      let answer = SongReply(song, at: position, home: home)
      do throws(Ack) {
        if try filter.accepts(answer) { answer.write(into: &reply, tags: tags) }
      } catch {
        reply.refusal = error
      }
    }
    if let refusal = reply.refusal { throw refusal }
    return reply
  }
}

extension PositionRange {
  fileprivate var isSingle: Bool { upperBound == lowerBound + 1 }
}
