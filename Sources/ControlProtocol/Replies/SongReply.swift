/// One song in the answer of `currentsong`, `playlistinfo`, `plchanges` and their like.
package struct SongReply: Hashable, Sendable {
  /// The file's name: relative to the home directory, or absolute.
  package var file: Argument
  /// When the file was last changed, in seconds since 1970; `nil` if not known.
  package var lastModified: Int64?
  /// What it is decoded to; `nil` if not known.
  package var format: AudioFormatText?
  /// The tags, in the order in which they are to be written. Several of one type are allowed.
  package var tags: [SongTag]
  /// How long what is played of it is, so with a `range` only that; `nil` if not known.
  package var duration: Milliseconds?
  /// The part of it that is played, if not all: its start and end. `nil` for the whole song.
  package var range: SongRange?
  /// Its place in the queue and its id; `nil` for a song that is not in the queue.
  package var place: StatusReply.Place?
  /// That of a song in the queue; shown if it is above 0.
  package var priority: UInt8

  /// A song.
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

  /// The lines, in mpd's order: `file` first, since in every client it begins a new song. `wanted` are the tags that the
  /// client wants to see, see `ConnectionMachine.Context`.
  package func write(into reply: inout Reply, tags wanted: TagSet = .standard) {
    reply.beginSong(file: file.bytes.span, range: range, lastModified: lastModified, format: format)
    for tag in tags where wanted.contains(TagSet(tag.type)) {
      reply.appendTag(tag.type, tag.value.bytes.span)
    }
    reply.endSong(duration: duration, place: place, priority: priority)
  }

  /// The name as it can stand in a reply. An absolute one that is not UTF-8 or has control characters becomes a
  /// `file://` URL, which `add` takes back. A relative one is left to be escaped; clients can use the id.
  static func expressible(_ file: Argument) -> Argument {
    url(instead: file.bytes.span).map { Argument($0) } ?? file
  }

  /// The URL for a name that cannot stand in a reply; `nil` for one that can.
  static func url(instead file: Span<UInt8>) -> [UInt8]? {
    guard !file.isEmpty, file[0] == 0x2F, !SanitizedText.isExact(file) else { return nil }
    var url = Array("file://".utf8)
    for index in file.indices {
      let byte = file[index]
      if byte.isUnreservedInURL {
        url.append(byte)
      } else {
        url += [0x25, SanitizedText.hexDigit(byte >> 4), SanitizedText.hexDigit(byte & 0xF)]
      }
    }
    return url
  }
}

extension UInt8 {
  /// Letters, digits, `-._~` (RFC 3986) and the slash.
  fileprivate var isUnreservedInURL: Bool {
    switch self {
    case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x5F, 0x7E, 0x2F: true
    default: false
    }
  }
}
