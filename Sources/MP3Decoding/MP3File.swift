package import AudioCore

/// An MPEG audio file (MPEG 1, 2 and 2.5, layers I to III) that can be played.
///
/// A value that only names the file: nothing is opened before `open(whenBytesCome:)` or `readMetadata()`.
package struct MP3File: MediaSource, Hashable {
  /// How a file is opened.
  package struct Options: Hashable, Sendable {
    /// Whether a file that does not announce its length is read through once when it is opened, so that
    /// `AudioDecoder.frameCount` is exact from the beginning. Costs one pass over the file (about 1 s per GB from
    /// memory); files with an Info frame, as all common encoders write it, are exact without.
    package var preciseDuration: Bool

    /// Options with these properties.
    package init(preciseDuration: Bool = false) { self.preciseDuration = preciseDuration }
  }

  /// Where the file is, as `open(2)` takes it: bytes, since on Linux a name need not be UTF-8. No file has a zero in it.
  package var pathBytes: [UInt8]
  /// How it is opened.
  package var options: Options

  /// The file at `path`, which need not exist yet.
  package init(path: String, options: Options = Options()) {
    self.init(pathBytes: path.utf8, options: options)
  }

  /// The file whose path has these bytes.
  package init(pathBytes: some Sequence<UInt8>, options: Options = Options()) {
    self.pathBytes = Array(pathBytes)
    self.options = options
  }

  /// Opens the file at its beginning. It never waits: all bytes of a file are there, and the callback is not called.
  ///
  /// The first step blocks on the file. It throws `DecodingError` of scope `.item` with reason `.notFound`,
  /// `.unreadable` (also for directories, FIFOs, devices) or `.notRecognized` (no MPEG audio within the first 2 MiB
  /// behind the tags), of scope `.engine` when there is no memory or no file descriptor.
  package func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    MediaOpening { () throws(DecodingError) in
      try MP3Opening(source: FileByteSource(path: pathBytes), options: options).proceed()
    }
  }

  /// Reads the file's ID3 tags: version 2.2, 2.3 or 2.4 at its beginning, and of version 1 at its end what is not in
  /// that.
  ///
  /// Blocks on the file, whose sound is not looked at. An ID3v2 tag of more than 16 MiB is skipped. Throws
  /// `DecodingError` with reason `.notFound` or `.unreadable`, or of scope `.engine`, as `open(whenBytesCome:)` does.
  package func readTag() throws(DecodingError) -> MediaTag {
    try ID3Fields.readTag(FileByteSource(path: pathBytes))
  }
}
