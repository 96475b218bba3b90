import ControlProtocol
import Jukebox
import MusicFiles

extension SongReply {
  init(_ queued: QueuedSong, at position: Int, home: MusicHome) {
    self.init(queued.song, home: home)
    place = StatusReply.Place(queued.id, at: position)
    priority = queued.song.priority
  }

  init(_ song: Song, home: MusicHome) {
    self.init(
      file: Argument(home.name(of: song.locator)),
      lastModified: song.metadata?.modified, format: song.metadata.flatMap { AudioFormatText($0) },
      tags: song.metadata?.tags ?? [], duration: song.duration.map { Milliseconds(seconds: $0) },
      range: song.range)
  }
}

extension Reply {
  /// Appends the reply of `next`, which is called while the client reads, on a thread that it may block. The error of
  /// `next` ends the reply instead of `OK`.
  mutating func continueLater(_ next: @escaping @Sendable () throws(Ack) -> Reply) {
    rest = ReplyRest(mayBlock: true) { piece in
      do throws(Ack) {
        let next = try next()
        piece.append(next)
        return next.rest
      } catch {
        piece.refusal = error
        return nil
      }
    }
  }

  /// Appends the same lines as `SongReply` writes. Used for replies with many songs.
  mutating func append(_ queued: QueuedSong, at position: Int, home: MusicHome, tags: TagSet) {
    let song = queued.song
    let metadata = song.metadata
    beginSong(
      file: song.locator.bytes.span.extracting(droppingFirst: home.nameStart(in: song.locator.bytes)),
      range: song.range, lastModified: metadata?.modified, format: metadata.flatMap { AudioFormatText($0) })
    metadata?.forEachTag(of: tags) { appendTag($0, $1) }
    endSong(
      duration: song.duration.map { Milliseconds(seconds: $0) },
      place: StatusReply.Place(queued.id, at: position), priority: song.priority)
  }
}

extension StatusReply.Place {
  init(_ song: SongID, at position: Int) {
    self.init(position: UInt32(clamping: position), id: song.rawValue)
  }
}

extension AudioFormatText {
  /// Creates the format of the decoded samples: floating point, regardless of the file's own format. Nil if the rate or
  /// the number of channels is unknown.
  init?(_ metadata: SongMetadata) {
    guard let rate = metadata.sampleRate, let channels = metadata.channels else { return nil }
    self.init(rate: rate, bits: nil, channels: channels)
  }
}
