/// The metadata of an audio file: the texts and picture of its tags, its length and its encoding. All text is
/// valid UTF-8 without control characters and surrounding spaces, at most 4096 bytes long; empty text is nil.
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

  /// The encoding of MPEG audio, from the first frame and the Info frame.
  package struct Encoding: Hashable, Sendable {
    package enum Version: String, Hashable, Sendable {
      /// MPEG 1: 32, 44.1 and 48 kHz.
      case mpeg1 = "1"
      /// MPEG 2: 16, 22.05 and 24 kHz.
      case mpeg2 = "2"
      /// The unofficial MPEG 2.5: 8, 11.025 and 12 kHz.
      case mpeg25 = "2.5"
    }

    package enum BitRateMode: Hashable, Sendable {
      /// Constant, or unspecified by the file.
      case constant
      /// Variable bit rate (VBR).
      case variable
      /// Variable bit rate with a fixed mean (ABR).
      case average
    }

    package var version: Version
    /// The MPEG layer, 1…3.
    package var layer: Int
    /// The mean bit rate, in bits per second. If it is constant or the length is not exact, the bit rate of
    /// the first frame.
    package var bitRate: Int
    package var bitRateMode: BitRateMode

    package init(version: Version, layer: Int, bitRate: Int, bitRateMode: BitRateMode) {
      self.version = version
      self.layer = layer
      self.bitRate = bitRate
      self.bitRateMode = bitRateMode
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
  package var trackCount: Int?
  package var discNumber: Int?
  package var discCount: Int?
  /// The front cover, or the first picture if none is marked as such.
  package var picture: Picture?
  package var format: PCMFormat
  /// The length in frames at `format.sampleRate`, as precisely as known without reading the whole file.
  package var frameCount: FrameCount
  /// Nil for formats other than MPEG audio.
  package var encoding: Encoding?

  package init(format: PCMFormat, frameCount: FrameCount, encoding: Encoding? = nil) {
    self.format = format
    self.frameCount = frameCount
    self.encoding = encoding
  }

  package var duration: Double? { frameCount.value.map { Double($0) / Double(format.sampleRate) } }
}
