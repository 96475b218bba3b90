package import AudioCore

/// A playable MPEG audio file (MPEG 1, 2, 2.5; layers I to III), opened by `open` and `readMetadata` only.
package struct MP3File: MediaSource, Hashable {
  package struct Options: Hashable, Sendable {
    /// Whether to read a file without an announced length completely when it is opened, so that
    /// `AudioDecoder.frameCount` is exact from the beginning. Costs one pass over the file (about 1 s per GB
    /// from memory). Files with an Info frame, which all common encoders write, are exact without it.
    package var preciseDuration: Bool

    package init(preciseDuration: Bool = false) { self.preciseDuration = preciseDuration }
  }

  /// The path as bytes for `open(2)`: names need not be UTF-8. A path with a zero byte matches no file.
  package var pathBytes: [UInt8]
  /// The options for opening the file.
  package var options: Options

  /// Creates a reference to the file at `path`, which need not exist yet.
  package init(path: String, options: Options = Options()) {
    self.init(pathBytes: path.utf8, options: options)
  }

  /// Creates a reference to the file whose path has these bytes.
  package init(pathBytes: some Sequence<UInt8>, options: Options = Options()) {
    self.pathBytes = Array(pathBytes)
    self.options = options
  }

  /// Opens the file at its beginning. All its bytes are available, so the callback is not called.
  ///
  /// The first step blocks on the file. It throws `DecodingError` of scope `.item` with reason `.notFound`,
  /// `.unreadable` (also for directories, FIFOs, devices) or `.notRecognized` (no MPEG audio within 2 MiB
  /// after the tags). It throws an error of scope `.engine` when memory or file descriptors are exhausted.
  package func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    MediaOpening { () throws(DecodingError) in
      try MP3Opening(source: FileByteSource(path: pathBytes), options: options).proceed()
    }
  }

  /// Reads the file's ID3 tags: version 2.2 to 2.4 at its beginning, and missing fields from 1 at its end.
  /// Blocks on the file; its audio is not read. An ID3v2 tag of more than 16 MiB is skipped. Throws
  /// `DecodingError` `.notFound`, `.unreadable` or of scope `.engine`, as `open(whenBytesCome:)` does.
  package func readTag() throws(DecodingError) -> MediaTag {
    try ID3Fields.readTag(FileByteSource(path: pathBytes))
  }

  /// Reads the file's tags and headers. Reads the tags, the first frame and the last 128 bytes without
  /// decoding, in some hundred microseconds. Blocks on the file. An ID3v2 tag of more than 16 MiB is skipped.
  /// Throws the errors of `open(whenBytesCome:)`; a file with tags but no audio is `.notRecognized`.
  package func readMetadata() throws(DecodingError) -> MP3Metadata {
    try MetadataReader.read(FileByteSource(path: pathBytes))
  }
}
