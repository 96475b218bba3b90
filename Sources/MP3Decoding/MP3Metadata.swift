package import AudioCore

/// What an MPEG audio file says about itself: the text and picture of its ID3 tags, its length and its encoding.
///
/// ID3v2 goes before ID3v1, field by field. All text is valid UTF-8 without control characters and without space at
/// either end, at most 4096 bytes long; an empty text is nil.
package struct MP3Metadata: Hashable, Sendable {
  /// A picture from an ID3v2 tag.
  package struct Picture: Hashable, Sendable {
    /// What it shows, by ID3v2's list: 3 is the front cover, 4 the back, 0 anything else.
    package var type: UInt8
    /// For example `image/jpeg`. By the data where these begin like JPEG or PNG, else as the tag has it.
    package var mimeType: String
    /// The picture file's bytes.
    package var data: [UInt8]
  }

  /// How the audio is encoded, by the first frame and the Info frame.
  package struct Encoding: Hashable, Sendable {
    /// A version of the MPEG audio standard.
    package enum Version: String, Hashable, Sendable {
      /// MPEG 1: 32, 44.1 and 48 kHz.
      case mpeg1 = "1"
      /// MPEG 2: 16, 22.05 and 24 kHz.
      case mpeg2 = "2"
      /// The unofficial MPEG 2.5: 8, 11.025 and 12 kHz.
      case mpeg25 = "2.5"
    }

    /// How the bit rate behaves.
    package enum BitRateMode: Hashable, Sendable {
      /// Constant, or the file does not tell.
      case constant
      /// Variable.
      case variable
      /// Variable around a fixed mean.
      case average
    }

    /// The standard's version.
    package var version: Version
    /// 1…3.
    package var layer: Int
    /// Mean bits per second; of the first frame where the length is not exact.
    package var bitRate: Int
    /// How the bit rate behaves.
    package var bitRateMode: BitRateMode
  }

  /// The title.
  package var title: String?
  /// The artist; several are joined by "; ".
  package var artist: String?
  /// The album.
  package var album: String?
  /// The artist of the album as a whole.
  package var albumArtist: String?
  /// The composer.
  package var composer: String?
  /// The genre, numbers of ID3v1's list replaced by its names; several are joined by "; ".
  package var genre: String?
  /// When it was recorded or published: "2004" or "2004-05-06", as the tag has it.
  package var date: String?
  /// Which track of the album it is.
  package var trackNumber: Int?
  /// How many tracks the album has.
  package var trackCount: Int?
  /// Which disc of the album it is on.
  package var discNumber: Int?
  /// How many discs the album has.
  package var discCount: Int?
  /// The front cover, or the first picture where none is marked so.
  package var picture: Picture?
  /// The decoded format.
  package var format: PCMFormat
  /// The length in frames of `format.sampleRate`, as far as it is known without reading the file through.
  package var frameCount: FrameCount
  /// How the audio is encoded.
  package var encoding: Encoding

  /// The length in seconds; nil if unknown.
  package var duration: Double? { frameCount.value.map { Double($0) / Double(format.sampleRate) } }
}

extension MP3File {
  /// Reads the file's tags and headers.
  ///
  /// Opens the file, reads its tags, its first frame and its last 128 bytes, decodes nothing and closes it: some
  /// hundred microseconds. Blocks on the file. An ID3v2 tag of more than 16 MiB is skipped. Throws what
  /// `open(whenBytesCome:)` throws; a file that has tags but no audio is `.notRecognized`.
  package func readMetadata() throws(DecodingError) -> MP3Metadata {
    try MetadataReader.read(FileByteSource(path: pathBytes))
  }
}
