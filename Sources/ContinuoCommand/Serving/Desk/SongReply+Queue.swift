import ControlProtocol
import Jukebox
import MusicFiles

extension SongReply {
  /// A song of the queue as clients see it.
  init(_ queued: QueuedSong, at position: Int, home: MusicHome) {
    self.init(queued.song, home: home)
    place = StatusReply.Place(position: UInt32(clamping: position), id: queued.id.rawValue)
  }

  /// A song as clients see it.
  init(_ song: Song, home: MusicHome) {
    var tags: [Tag] = []
    song.metadata?.forEachTag { kind, value in
      tags.append(Tag(TagType(kind), Argument(value.withUnsafeBufferPointer { Array($0) })))
    }
    self.init(
      file: Argument(home.name(of: MediaPath(bytes: song.path))),
      lastModified: song.metadata?.modified, format: song.metadata.flatMap { AudioFormatText($0) },
      tags: tags,
      duration: song.duration.map { Milliseconds(seconds: $0) },
      range: song.range.flatMap { ControlProtocol.SongRange($0) })
  }
}

extension Reply {
  /// The same lines as those of a `SongReply`, for answers with many songs.
  mutating func append(_ queued: QueuedSong, at position: Int, home: MusicHome, tags: ShownTags) {
    let song = queued.song
    let metadata = song.metadata
    beginSong(
      file: song.path.span.extracting(droppingFirst: home.nameStart(in: song.path)),
      range: song.range.flatMap { ControlProtocol.SongRange($0) },
      lastModified: metadata?.modified, format: metadata.flatMap { AudioFormatText($0) })
    metadata?.forEachTag { kind, value in
      if tags.contains(kind) { appendTag(TagType(kind), value) }
    }
    endSong(
      duration: song.duration.map { Milliseconds(seconds: $0) },
      place: StatusReply.Place(position: UInt32(clamping: position), id: queued.id.rawValue))
  }
}

/// Which of a song's tags a client wants to see, looked up once for an answer.
struct ShownTags {
  private var kinds: UInt32 = 0

  init(_ tags: TagSet) {
    for kind in SongTag.Kind.allCases where tags.contains(TagSet(TagType(kind))) {
      kinds |= 1 << UInt32(kind.rawValue)
    }
  }

  func contains(_ kind: SongTag.Kind) -> Bool { kinds >> UInt32(kind.rawValue) & 1 == 1 }
}

extension ControlProtocol.SongRange {
  /// The part of a song as the protocol has it.
  init?(_ range: Jukebox.SongRange) {
    self.init(
      start: Milliseconds(rawValue: Int64(range.start)),
      end: range.end.map { Milliseconds(rawValue: Int64($0)) })
  }
}

extension AudioFormatText {
  /// What the song is decoded to: floating point, whatever the file has.
  init?(_ metadata: SongMetadata) {
    guard let rate = metadata.sampleRate, let channels = metadata.channels else { return nil }
    self.init(rate: rate, bits: nil, channels: channels)
  }
}

extension TagType {
  /// The protocol's name for what a file says.
  init(_ kind: SongTag.Kind) {
    self =
      switch kind {
      case .artist: .artist
      case .albumArtist: .albumArtist
      case .title: .title
      case .album: .album
      case .track: .track
      case .date: .date
      case .genre: .genre
      case .composer: .composer
      case .disc: .disc
      }
  }
}
