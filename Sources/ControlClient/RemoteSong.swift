package import TextFormatting

/// A song of the queue as a server describes it.
package struct RemoteSong: Hashable, Sendable {
  /// Its place in the queue, from 0.
  package var position: Int
  package var id: Int
  /// Its file as the server names it: relative to its home, absolute, or a URL.
  package var file: String
  package var title: String?
  package var artist: String?
  package var album: String?
  /// What a playlist, or the station itself, calls it.
  package var streamName: String?
  /// Its length in seconds, in the server's own digits.
  package var duration: String?

  /// Reads the record of a song in the queue; nil if it is none.
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

  /// What it is called: artist and title, or else what a playlist calls it, or else the last part of the file's name.
  package var name: String {
    guard let title else { return streamName ?? file.split(separator: "/").last.map(String.init) ?? file }
    return artist.map { "\($0) – \(title)" } ?? title
  }

  /// Its length for a person; empty if it is not known.
  package var length: String { duration.flatMap { TimeText.parse($0) }.map { ElapsedTime.text($0) } ?? "" }

  package var json: JSONValue {
    .object([
      "position": .number(position), "id": .number(id), "file": .string(file),
      "title": .string(optional: title), "artist": .string(optional: artist),
      "album": .string(optional: album), "duration": .number(written: duration),
    ])
  }
}
