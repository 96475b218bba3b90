/// A song's lines one after the other, without a `SongReply` in between: for answers with many songs.
///
/// First `beginSong`, then the tags, then `endSong`.
extension Reply {
  /// The lines before the tags: `file` first, since in every client it begins a new song.
  ///
  /// - Parameters:
  ///   - file: The file's name: relative to the home directory, or absolute.
  ///   - range: The part of it that is played; `nil` and `whole` for all.
  ///   - lastModified: When the file was last changed, in seconds since 1970; `nil` if not known.
  ///   - format: What it is decoded to; `nil` if not known.
  package mutating func beginSong(
    file: Span<UInt8>, range: SongRange?, lastModified: Int64?, format: AudioFormatText?
  ) {
    if let url = SongReply.url(instead: file) {
      append("file", text: url.span)
    } else {
      append("file", text: file)
    }
    if let range, range != .whole {
      append("Range") { bytes in
        bytes.append(decimal: range.start)
        bytes.append(Byte.minus)
        if let end = range.end { bytes.append(decimal: end) }
      }
    }
    if let lastModified { append(lastModified: lastModified) }
    if let format { append("Format") { format.write(into: &$0) } }
  }

  /// A tag. What cannot stand in a line is changed as in `append(_:_:)`.
  package mutating func appendTag(_ type: TagType, _ value: Span<UInt8>) {
    append(type.rawValue, text: value)
  }

  /// The lines behind the tags.
  ///
  /// - Parameters:
  ///   - duration: How long what is played of it is; `nil` if not known.
  ///   - place: Its place in the queue and its id; `nil` for a song that is not in the queue.
  ///   - priority: That of a song in the queue.
  package mutating func endSong(
    duration: Milliseconds?, place: StatusReply.Place?, priority: UInt8 = 0
  ) {
    if let duration {
      append("Time", duration.roundedSeconds)
      append("duration", duration)
    }
    if let place {
      append("Pos", place.position)
      append("Id", place.id)
      if priority > 0 { append("Prio", priority) }
    }
  }
}
