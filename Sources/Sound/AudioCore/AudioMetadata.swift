/// The metadata of an audio file: the texts of its tags, and its length. All text is valid UTF-8 without
/// control characters and surrounding spaces, cut after about 4096 bytes; empty text is nil.
package struct AudioMetadata: Hashable, Sendable {
  package var title: String?
  /// The artist; several are joined with "; ".
  package var artist: String?
  package var album: String?
  package var albumArtist: String?
  package var composer: String?
  /// The genre, with ID3v1 numbers replaced by names; several are joined with "; ".
  package var genre: String?
  /// The date of recording or release, as in the tag: "2004" or "2004-05-06".
  package var date: String?
  package var trackNumber: Int?
  package var discNumber: Int?
  package var format: PCMFormat
  /// The length in frames at `format.sampleRate`, as precisely as known without reading the whole file.
  package var frameCount: FrameCount

  package init(format: PCMFormat, frameCount: FrameCount) {
    self.format = format
    self.frameCount = frameCount
  }

  package var duration: Double? { frameCount.value.map { Double($0) / Double(format.sampleRate) } }
}
