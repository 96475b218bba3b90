package import TextFormatting

/// A song of the queue, as a server describes it.
package struct RemoteSong: Hashable, Sendable {
  package var position: Int
  package var id: Int
  /// The file's name, as the server sends it: relative to its music directory, absolute, or a URL.
  package var file: String
  package var title: String?
  package var artist: String?
  package var album: String?
  /// The name that a playlist or the station gives the song.
  package var streamName: String?
  /// The duration in seconds, in the server's own digits.
  package var duration: String?

  /// Creates a song from its record in a reply; nil if the record does not describe a song of the queue.
  package init?(_ fields: ReplyFields) {
    guard let file = fields["file"], let position = fields["Pos"].flatMap({ Int($0) }),
      let id = fields["Id"].flatMap({ Int($0) })
    else { return nil }
    self.file = file
    self.position = position
    self.id = id
    title = fields.joined("Title")
    artist = fields.joined("Artist")
    album = fields.joined("Album")
    streamName = fields["Name"]
    duration = fields["duration"]
  }

  /// The name for display: the title, with the artist if known, else `streamName`, else the last component of
  /// `file`. A URL's component is percent-decoded.
  package var name: String {
    guard let title else { return streamName ?? fileName }
    return artist.map { "\($0) – \(title)" } ?? title
  }

  private var fileName: String {
    let isURL = file.contains("://")
    let path = isURL ? file.prefix { $0 != "?" && $0 != "#" } : file[...]
    guard let last = path.split(separator: "/").last else { return file }
    return isURL ? PercentEncoding.text(of: last.utf8) : String(last)
  }

  /// The duration for display; empty if unknown.
  package var length: String { duration.flatMap { TimeText.parse($0) }.map { ElapsedTime.text($0) } ?? "" }

  package var json: JSONValue {
    .object([
      "position": .number(position), "id": .number(id), "file": .string(file),
      "title": .string(optional: title), "artist": .string(optional: artist),
      "album": .string(optional: album), "duration": .number(written: duration),
    ])
  }
}
