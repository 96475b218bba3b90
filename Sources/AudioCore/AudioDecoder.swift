/// How many frames a medium has, and how sure that is.
package enum FrameCount: Hashable, Sendable {
  /// Known from the file's own information or from a complete scan.
  case exact(Int64)
  /// Derived from the file's size and the first frames' bit rate.
  case estimate(Int64)
  /// Not known.
  case unknown

  /// The number, whatever its quality; nil if unknown.
  package var value: Int64? {
    switch self {
    case .exact(let count), .estimate(let count): count
    case .unknown: nil
    }
  }
}

/// What trouble with a medium means for who plays it.
package struct DecodingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// How far the trouble reaches. "Skip this frame" is not here: a decoder does that itself and counts it
  /// (`AudioDecoder.damage`).
  package enum Scope: Sendable {
    /// This item cannot be played (further); the queue goes on.
    case item
    /// The engine itself cannot decode anything (out of memory, library unusable); the queue stops.
    case engine
  }

  /// The kinds that a caller may want to tell apart. Maps to AVError codes in the facade.
  package enum Reason: Sendable {
    /// No such file.
    case notFound
    /// The file cannot be opened or read: permissions, a directory, an I/O error.
    case unreadable
    /// There is no MPEG audio in it.
    case notRecognized
    /// Decoding broke off.
    case decodeFailed
    /// No memory, or the library refused to work at all.
    case unusable
  }

  /// How far it reaches.
  package var scope: Scope
  /// What kind it is.
  package var reason: Reason
  /// A sentence for a person, without the file's name.
  package var message: String

  /// An error with these properties.
  package init(scope: Scope = .item, reason: Reason, message: String) {
    self.scope = scope
    self.reason = reason
    self.message = message
  }

  /// `message`.
  package var description: String { message }
}

/// What a read of an `AudioDecoder` comes to.
package enum DecoderRead: Hashable, Sendable {
  /// So many frames were written, at least 1.
  case frames(Int)
  /// Nothing follows.
  case end
  /// Bytes of the medium are missing: to be asked again when they came.
  case waiting
}

/// Makes PCM frames out of one medium.
///
/// Used by one thread at a time (the engine's decode worker); not Sendable. No call waits for bytes that are not there:
/// that is `waiting`, or nil. A call may block on a local disk, never on anything else.
package protocol AudioDecoder: AnyObject {
  /// The medium's own format at its beginning. Its `sampleRate` is the timescale of all positions in this medium.
  var format: PCMFormat { get }

  /// Its length in frames of `format.sampleRate`. May change while reading (an estimate becomes exact at the end).
  var frameCount: FrameCount { get }

  /// Frames and bytes that were skipped over because they were damaged; 0 for a sound file.
  var damage: Int { get }

  /// Fixes the format of what `read` delivers. Called once, before the first `read`. Conversion between rates is
  /// exact in length: n frames of rate a become n·b/a frames of rate b, rounded up, with the converter's own
  /// delay taken out. Without conversion the samples are the decoder's, bit for bit.
  func setOutputFormat(_ format: PCMFormat) throws(DecodingError)

  /// Moves to `frame` of the medium's own timeline (frames of `format.sampleRate`), clamped to its length: the next
  /// `read` starts with exactly that frame. Returns where it went; nil while bytes are missing that say where that is:
  /// to be called again when they came, with the same frame or another one. Until then reads are `waiting`.
  func seek(toFrame frame: Int64) throws(DecodingError) -> Int64?

  /// Fills `buffer`, which has room for a frame, with interleaved frames of the output format from its beginning: with
  /// fewer than there is room for only before the end, before an error or where bytes are missing. The end comes again
  /// and again. What was decoded before an error is delivered first, and the error thrown by the next call. After an
  /// error the decoder is finished.
  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead
}

/// A medium that is being opened. Used by one thread at a time, which is the one that will use the decoder.
package struct MediaOpening {
  private let step: () throws(DecodingError) -> (any AudioDecoder)?

  /// An opening whose steps are these.
  package init(_ step: @escaping () throws(DecodingError) -> (any AudioDecoder)?) { self.step = step }

  /// The decoder, at the medium's beginning; nil while bytes are missing: to be called again when they came. Not called
  /// again once it returned a decoder or threw. May block on a local disk, never on anything else.
  package func proceed() throws(DecodingError) -> (any AudioDecoder)? { try step() }
}

/// Something that can be opened for decoding, any number of times: a file, a download or a stream.
package protocol MediaSource: Sendable {
  /// Begins to open it at its beginning, and does no more than that: no call of this blocks. `callback` is called, on
  /// any thread, each time after the opening or its decoder was waiting when bytes came; it must be short and not block.
  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening

  /// Reads what it says about itself; without any tag that is empty. Any thread; may block on the file.
  func readTag() throws(DecodingError) -> MediaTag
}

extension MediaSource {
  /// An empty tag, for media that have none.
  package func readTag() throws(DecodingError) -> MediaTag { MediaTag() }
}
