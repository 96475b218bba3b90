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
  public mutating func beginSong(
    file: Span<UInt8>, range: SongRange?, lastModified: Int64?, format: AudioFormatText?
  ) {
    if let url = SongReply.url(instead: file) {
      append("file", text: url.span)
    } else {
      append("file", text: file)
    }
    if let range, range != .whole {
      append("Range") { bytes in
        DecimalDigits.append(range.start, to: &bytes)
        bytes.append(Byte.minus)
        if let end = range.end { DecimalDigits.append(end, to: &bytes) }
      }
    }
    if let lastModified {
      append("Last-Modified") { CalendarText.appendUTC(secondsSince1970: lastModified, to: &$0) }
    }
    if let format { append("Format") { format.append(to: &$0) } }
  }

  /// A tag. What cannot stand in a line is changed as in `append(_:_:)`.
  public mutating func appendTag(_ type: TagType, _ value: Span<UInt8>) {
    append(type.rawValue, text: value)
  }

  /// The lines behind the tags.
  ///
  /// - Parameters:
  ///   - duration: How long what is played of it is; `nil` if not known.
  ///   - place: Its place in the queue and its id; `nil` for a song that is not in the queue.
  public mutating func endSong(duration: Milliseconds?, place: StatusReply.Place?) {
    if let duration {
      append("Time") { DecimalDigits.append(UInt64(duration.roundedSeconds), to: &$0) }
      append("duration") { DecimalDigits.append(duration, to: &$0) }
    }
    if let place {
      append("Pos") { DecimalDigits.append(UInt64(place.position), to: &$0) }
      append("Id") { DecimalDigits.append(UInt64(place.id), to: &$0) }
    }
  }

  /// A line with any text. Nearly all of it can be sent as it is.
  private mutating func append(_ name: String, text value: Span<UInt8>) {
    guard value.count <= ProtocolLimits.replyLine - name.utf8.count - 3, SanitizedText.isExact(value) else {
      append(name, Argument(value.withUnsafeBufferPointer { Array($0) }))
      return
    }
    append(name) { bytes in value.withUnsafeBufferPointer { bytes.append(contentsOf: $0) } }
  }

  /// A line whose value `write` appends: short, and nothing that would have to be changed.
  private mutating func append(_ name: String, _ write: (inout [UInt8]) -> Void) {
    var name = name
    name.withUTF8 { bytes.append(contentsOf: $0) }
    bytes.append(Byte.colon)
    bytes.append(Byte.blank)
    write(&bytes)
    bytes.append(Byte.newline)
  }
}
