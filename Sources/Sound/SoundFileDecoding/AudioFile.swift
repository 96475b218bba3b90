package import AudioCore
import MP3Decoding

/// A playable audio file. Its content decides the decoder: libmpg123 for MPEG audio (MPEG 1, 2, 2.5; layers I to
/// III), libsndfile for FLAC, Ogg (Vorbis, Opus), WAV, Wave64, AIFF and CAF.
package struct AudioFile: MediaSource, Hashable {
  /// The path as bytes for `open(2)`, because names need not be UTF-8. A path with a zero byte matches no
  /// file.
  package var pathBytes: [UInt8]
  /// The options for opening the file.
  package var options: OpeningOptions

  /// Creates a reference to the file at `path`, which need not exist yet.
  package init(path: String, options: OpeningOptions = OpeningOptions()) {
    self.init(pathBytes: path.utf8, options: options)
  }

  /// Creates a reference to the file whose path has these bytes.
  package init(pathBytes: some Sequence<UInt8>, options: OpeningOptions = OpeningOptions()) {
    self.pathBytes = Array(pathBytes)
    self.options = options
  }

  /// Opens the file at its beginning. All its bytes are available, so the callback is not called.
  ///
  /// The first step blocks on the file. It throws `DecodingError` of scope `.item` with reason `.notFound`,
  /// `.unreadable` (also for directories, FIFOs, devices), `.notRecognized` (no MPEG audio within 2 MiB after
  /// the tags, or a file that libsndfile refuses), `.unsupported` (libsndfile cannot be loaded) or, with
  /// `preciseDuration`, `.decodeFailed`. It throws an error of scope `.engine` when memory or file descriptors are
  /// exhausted, or libmpg123 cannot be used.
  package func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    MediaOpening { () throws(DecodingError) in
      try MediaOpening(audioIn: FileByteSource(path: pathBytes), options: options).proceed()
    }
  }

  /// Returns the file's tags: ID3v2.2 to 2.4 and ID3v1, Vorbis comments and pictures, and the texts of WAV
  /// and AIFF. Blocks on the file; its audio is not read. A tag of more than 16 MiB is skipped. Throws
  /// `DecodingError` `.notFound`, `.unreadable` or of scope `.engine`, as `open(whenBytesCome:)` does.
  package func readTag() throws(DecodingError) -> MediaTag {
    let source = try FileByteSource(path: pathBytes)
    guard case .soundFile(let kind, let base) = try AudioContent.find(in: source) else {
      return try ID3Fields.readTag(source)
    }
    return try SoundFileTags.read(source, kind, base: base)
  }

  /// Returns the file's metadata from its tags and headers, without decoding, in some hundred microseconds.
  /// Blocks on the file. A tag of more than 16 MiB is skipped. Throws the errors of `open(whenBytesCome:)`; a
  /// file with tags but no audio is `.notRecognized`.
  package func readMetadata() throws(DecodingError) -> AudioMetadata {
    let source = try FileByteSource(path: pathBytes)
    guard case .soundFile(let kind, let base) = try AudioContent.find(in: source) else {
      return try MetadataReader.read(source)
    }
    var opening = SoundFileOpening(source, kind: kind, base: base)
    guard let file = try opening.proceed() else {
      throw DecodingError(reason: .unreadable, message: "The file cannot be read.")
    }
    return AudioMetadata(
      try SoundFileTags.read(source, kind, base: base), format: file.format,
      frameCount: file.frameCount.map { .exact($0) } ?? .unknown)
  }
}
