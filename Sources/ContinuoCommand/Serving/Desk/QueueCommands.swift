import ControlProtocol
import Jukebox

/// The commands that look at the queue and edit it. None of them waits for anything.
struct QueueCommands: Sendable {
  let host: JukeboxHost
  let home: MusicHome

  /// Carries out a command of the queue; nil if it is none.
  func perform(_ command: Command, tags: TagSet) throws(Ack) -> Reply? {
    do throws(JukeboxError) {
      if try edit(command) { return Reply() }
    } catch {
      throw error.ack
    }
    return try look(command, tags: tags)
  }

  // MARK: Editing

  private func edit(_ command: Command) throws(JukeboxError) -> Bool {
    switch command {
    case .delete(let range):
      try host.change { m throws(JukeboxError) in try m.delete(try Self.range(range, in: m.queue.count)) }
    case .deleteid(let id):
      try host.change { m throws(JukeboxError) in try m.delete(id: SongID(rawValue: id)) }
    case .clear: try host.change { $0.clear() }
    case .move(let range, let place):
      try host.change { m throws(JukeboxError) in
        try m.move(Self.exactRange(range, in: m.queue.count), to: QueuePlace(place))
      }
    case .moveid(let id, let place):
      try host.change { m throws(JukeboxError) in
        try m.move(id: SongID(rawValue: id), to: QueuePlace(place))
      }
    case .swap(let first, let second):
      try host.change { m throws(JukeboxError) in try m.swap(Int(first), Int(second)) }
    case .swapid(let first, let second):
      try host.change { m throws(JukeboxError) in
        try m.swap(id: SongID(rawValue: first), id: SongID(rawValue: second))
      }
    case .shuffle(let range):
      try host.change { m throws(JukeboxError) in
        try m.shuffle(try range.map { r throws(JukeboxError) in try Self.range(r, in: m.queue.count) })
      }
    case .rangeid(let id, let range):
      let part =
        range == .whole
        ? nil
        : Jukebox.SongRange(startSeconds: range.start.seconds, endSeconds: range.end?.seconds)
      try host.change { m throws(JukeboxError) in try m.setRange(part, of: SongID(rawValue: id)) }
    default: return false
    }
    return true
  }

  /// A range that begins in the queue or at its end, cut to the queue. One position has to be in it.
  private static func range(_ range: PositionRange, in count: Int) throws(JukeboxError) -> Range<Int> {
    let start = Int(range.lowerBound)
    guard start <= count, !range.isSingle || start < count else { throw .badSongIndex }
    return start..<max(start, min(count, range.upperBound.map(Int.init) ?? count))
  }

  private static func exactRange(_ range: PositionRange, in count: Int) -> Range<Int> {
    Int(range.lowerBound)..<max(Int(range.lowerBound), range.upperBound.map(Int.init) ?? count)
  }

  // MARK: Looking

  private func look(_ command: Command, tags: TagSet) throws(Ack) -> Reply? {
    switch command {
    case .playlist:
      return list(nil) { position, song, reply in
        reply.appendPlaylistLine(
          position: UInt32(clamping: position),
          file: Argument(home.name(of: MediaPath(bytes: song.song.path))))
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
      reply.append(song, at: position, home: home, tags: ShownTags(tags))
      return reply
    case .playlistid(nil):
      return list(nil, shown(tags))
    case .plchanges(let version, let range):
      return changes(since: version, in: range, shown(tags))
    case .plchangesposid(let version, let range):
      return changes(since: version, in: range) { position, song, reply in
        reply.append("cpos", position)
        reply.append("Id", song.id.rawValue)
      }
    case .playlistfind(let filter):
      return find(SongFilter(filter.expression, foldsCase: false), tags: tags)
    case .playlistsearch(let filter):
      return find(SongFilter(filter.expression, foldsCase: true), tags: tags)
    default: return nil
    }
  }

  /// What writes a song into an answer.
  private func shown(_ tags: TagSet) -> (Int, QueuedSong, inout Reply) -> Void {
    let tags = ShownTags(tags)
    return { position, song, reply in reply.append(song, at: position, home: home, tags: tags) }
  }

  private func list(
    _ range: PositionRange?, _ body: (Int, QueuedSong, inout Reply) -> Void
  ) -> Reply {
    var songs: [(Int, QueuedSong)] = []
    host.read { machine in
      let count = machine.queue.count
      let start = min(range.map { Int($0.lowerBound) } ?? 0, count)
      let end = max(start, min(range?.upperBound.map(Int.init) ?? count, count))
      songs.reserveCapacity(end - start)
      machine.queue.forEach(in: start..<end) { songs.append(($0, $1)) }
    }
    return Self.reply(songs, body)
  }

  private func changes(
    since version: UInt32, in range: PositionRange?, _ body: (Int, QueuedSong, inout Reply) -> Void
  ) -> Reply {
    var songs: [(Int, QueuedSong)] = []
    host.read { machine in
      let count = machine.queue.count
      let part = range.map { range in
        let start = min(Int(range.lowerBound), count)
        return start..<max(start, min(range.upperBound.map(Int.init) ?? count, count))
      }
      machine.queue.forEachChange(since: version, in: part) { songs.append(($0, $1)) }
    }
    return Self.reply(songs, body)
  }

  private func find(_ filter: SongFilter, tags: TagSet) -> Reply {
    list(nil) { position, song, reply in
      let answer = SongReply(song, at: position, home: home)
      if filter.accepts(answer) { answer.write(into: &reply, tags: tags) }
    }
  }

  /// Written after the lock is released.
  private static func reply(
    _ songs: [(Int, QueuedSong)], _ body: (Int, QueuedSong, inout Reply) -> Void
  ) -> Reply {
    var reply = Reply()
    for (position, song) in songs { body(position, song, &reply) }
    return reply
  }
}

extension PositionRange {
  /// Whether it names one position and not a stretch.
  fileprivate var isSingle: Bool { upperBound == lowerBound + 1 }
}

extension QueuePlace {
  init(_ position: QueuePosition) {
    self =
      switch position {
      case .absolute(let number): .absolute(Int(number))
      case .afterCurrent(let number): .afterCurrent(Int(number))
      case .beforeCurrent(let number): .beforeCurrent(Int(number))
      }
  }
}
