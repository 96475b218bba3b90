internal import TextFormatting

/// A song in a reply, as to `playlistfind`. Most replies are written without it, beginning with
/// ``Reply/beginSong(file:range:lastModified:format:)``.
package struct SongReply: Hashable, Sendable {
  /// The song's name: a path relative to the music directory, an absolute path, or a URL.
  package var file: Argument
  /// The modification time of the file, in seconds since 1970; nil if unknown.
  package var lastModified: Int64?
  /// The decoded format; nil if unknown.
  package var format: AudioFormatText?
  /// The tags, in the order in which they are written. A type may occur several times.
  package var tags: [SongTag]
  /// The duration of the played part; nil if unknown.
  package var duration: Milliseconds?
  /// The part that is played; nil for the whole song.
  package var range: SongRange?
  /// The position and id in the queue; nil for a song that is not in the queue.
  package var place: StatusReply.Place?
  /// The priority in the queue; written if above 0.
  package var priority: UInt8

  package init(
    file: Argument, lastModified: Int64? = nil, format: AudioFormatText? = nil, tags: [SongTag] = [],
    duration: Milliseconds? = nil, range: SongRange? = nil, place: StatusReply.Place? = nil,
    priority: UInt8 = 0
  ) {
    self.priority = priority
    self.file = file
    self.lastModified = lastModified
    self.format = format
    self.tags = tags
    self.duration = duration
    self.range = range
    self.place = place
  }

  /// Appends the lines in mpd's order. `file` comes first, because clients take it for the start of a new
  /// song. `wanted` are the tags that the client has selected, see `ConnectionMachine.Context`.
  package func write(into reply: inout Reply, tags wanted: TagSet = .standard) {
    reply.beginSong(file: file.bytes.span, range: range, lastModified: lastModified, format: format)
    for tag in tags where wanted.contains(TagSet(tag.type)) {
      reply.appendTag(tag.type, tag.value.bytes.span)
    }
    reply.endSong(duration: duration, place: place, priority: priority)
  }

  /// Returns the name as written in a reply. An absolute name with control characters or bytes that are not
  /// UTF-8 becomes a `file://` URL, which `add` accepts. A relative name is only escaped; see
  /// `Argument.original`.
  static func expressible(_ file: Argument) -> Argument {
    url(instead: file.bytes.span).map { Argument($0) } ?? file
  }

  /// Returns the URL for an absolute name that a reply cannot express; nil for any other name.
  static func url(instead file: Span<UInt8>) -> [UInt8]? {
    guard !file.isEmpty, file[0] == 0x2F, !SanitizedText.isExact(file) else { return nil }
    return PercentEncoding.fileURL(ofPath: file)
  }
}
