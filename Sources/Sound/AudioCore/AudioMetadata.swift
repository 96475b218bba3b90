/// The metadata of an audio file: the texts and picture of its tags, and its length. All text is valid UTF-8
/// without control characters and surrounding spaces, at most 4096 bytes long; empty text is nil.
package struct AudioMetadata: Hashable, Sendable {
  package struct Picture: Hashable, Sendable {
    /// The picture type of ID3v2: 3 is the front cover, 4 the back cover, 0 any other picture.
    package var type: UInt8
    /// The MIME type, such as `image/jpeg`: detected for JPEG and PNG, otherwise the tag's.
    package var mimeType: String
    package var data: [UInt8]

    package init(type: UInt8, mimeType: String, data: [UInt8]) {
      self.type = type
      self.mimeType = mimeType
      self.data = data
    }
  }

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
  /// The front cover, or the first picture if none is marked as such.
  package var picture: Picture?
  package var format: PCMFormat
  /// The length in frames at `format.sampleRate`, as precisely as known without reading the whole file.
  package var frameCount: FrameCount

  package init(format: PCMFormat, frameCount: FrameCount) {
    self.format = format
    self.frameCount = frameCount
  }

  package var duration: Double? { frameCount.value.map { Double($0) / Double(format.sampleRate) } }
}
