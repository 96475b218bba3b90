internal import TextFormatting

/// The lines of a song, written directly without a `SongReply`, for replies with many songs.
///
/// Call `beginSong`, then `appendTag` for each tag, then `endSong`.
extension Reply {
  /// Appends the lines before the tags. `file` comes first, because clients take it for the start of a new
  /// song.
  ///
  /// - Parameters:
  ///   - file: The song's name: a path relative to the music directory, an absolute path, or a URL.
  ///   - range: The part that is played; nil or `whole` for all.
  ///   - lastModified: The modification time in seconds since 1970; nil if unknown.
  ///   - format: The decoded format; nil if unknown.
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

  /// Appends a tag. The value is sanitized as in `append(_:_:)`.
  package mutating func appendTag(_ type: TagType, _ value: Span<UInt8>) {
    append(type.rawValue, text: value)
  }

  /// Appends the lines after the tags.
  ///
  /// - Parameters:
  ///   - duration: The duration of the played part; nil if unknown.
  ///   - place: The position and id in the queue; nil for a song that is not in the queue.
  ///   - priority: The priority in the queue.
  package mutating func endSong(duration: Milliseconds?, place: StatusReply.Place?, priority: UInt8 = 0) {
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
