import Continuo
import ControlProtocol
import MediaAssets

extension SongTag {
  /// Creates the MPD tag for a metadata item; nil if MPD has no tag type for it.
  init?(_ item: AVMetadataItem) {
    guard let identifier = item.identifier?.rawValue, let type = Self.types[identifier],
      let text = item.stringValue, !text.isEmpty
    else { return nil }
    self.init(type, Argument(text))
  }

  private static let types: [String: TagType] = [
    "id3/TPE1": .artist, "id3/TPE2": .albumArtist, "id3/TIT2": .title, "id3/TALB": .album,
    "id3/TRCK": .track, "id3/TDRC": .date, "id3/TYER": .date, "id3/TCON": .genre, "id3/TCOM": .composer,
    "id3/TPOS": .disc, "icy/StreamTitle": .title, "icy/icy-name": .name, "icy/icy-genre": .genre,
  ]
}
