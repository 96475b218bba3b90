import ControlProtocol
import Jukebox

extension SongReply {
  /// A song of the queue as clients see it.
  init(_ queued: QueuedSong, at position: Int, home: MusicHome) {
    self.init(queued.song, home: home)
    place = StatusReply.Place(position: UInt32(clamping: position), id: queued.id.rawValue)
  }

  /// A song as clients see it.
  init(_ song: Song, home: MusicHome) {
    let metadata = song.metadata
    self.init(
      file: Argument(home.name(of: MediaPath(bytes: song.path))),
      lastModified: metadata?.modified,
      format: metadata.flatMap { AudioFormatText($0) },
      tags: metadata?.tags.compactMap { tag in
        TagType(rawValue: tag.name).map { Tag($0, Argument(tag.value)) }
      } ?? [],
      duration: song.duration.map { Milliseconds(seconds: $0) },
      range: song.range.flatMap { range in
        ControlProtocol.SongRange(
          start: Milliseconds(rawValue: Int64(range.start)),
          end: range.end.map { Milliseconds(rawValue: Int64($0)) })
      })
  }
}

extension AudioFormatText {
  /// What the song is decoded to: floating point, whatever the file has.
  init?(_ metadata: SongMetadata) {
    guard let rate = metadata.sampleRate, let channels = metadata.channels else { return nil }
    self.init(rate: rate, bits: nil, channels: channels)
  }
}
