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
  package enum Reason: Hashable, Sendable {
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
    /// It cannot be played from there, or what is needed for that is not installed.
    case unsupported
    /// The network did not bring it: a code of `NSURLErrorDomain`.
    case network(code: Int)
    /// The server's answers contradict themselves.
    case badServer
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

  /// Mean bits per second, as far as it is known when the medium is opened; 0 if it is not known.
  var bitRate: Int { get }

  /// Mean bits per second of the medium's frames that `read` decoded since the last call; of those before where it decoded
  /// none. `bitRate` by default.
  func takeBitRate() -> Double

  /// What is there behind what was read.
  var supply: MediaSupply { get }

  /// Which parts of the medium are there; nil: all. Costs more than `supply`.
  var extent: MediaExtent? { get }

  /// How much is to be there ahead of what is read.
  func setReadAhead(_ readAhead: MediaReadAhead)

  /// What is known of the medium if it is a live stream; nil for any other. Its frames are counted as they are read, so that
  /// they go on behind a lost connection; a seek goes no further than where reading was, and may lead to other sound than
  /// was there.
  var live: LiveStream? { get }

  /// Says that the player stands still, or goes on. Returns at once. Of a live stream no more comes meanwhile, and nothing
  /// that came before is read once it stood still for longer than `LiveStream.patience`.
  func hold(_ isHeld: Bool)

  /// What the medium says about itself in frames that were read since the last call, in order. After a seek it says again
  /// what belongs to frames from there on.
  func takeTags() -> [TimedTag]

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

  /// The same. Unless `isExact`, where bytes far from those that are there are needed it may be estimated where they are:
  /// then what is read is from a place near to the one that is told, within a hundredth of the length where the medium has
  /// a table of its places.
  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64?

  /// Fills `buffer`, which has room for a frame, with interleaved frames of the output format from its beginning: with
  /// fewer than there is room for only before the end, before an error or where bytes are missing. The end comes again
  /// and again. What was decoded before an error is delivered first, and the error thrown by the next call. After an
  /// error the decoder is finished.
  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead

  /// How loud the medium is, by its tags; empty if nothing says so, or where their bytes are missing. Reads the tags at each
  /// call, and never moves the place of `read`.
  func readReplayGain() throws(DecodingError) -> ReplayGain
}

extension AudioDecoder {
  /// Not known.
  package var bitRate: Int { 0 }

  /// The mean: for media that are the same throughout.
  package func takeBitRate() -> Double { Double(bitRate) }

  /// All: for media whose bytes are all there.
  package var supply: MediaSupply { .all }

  /// All: the same.
  package var extent: MediaExtent? { nil }

  /// Nothing to do: the same.
  package func setReadAhead(_ readAhead: MediaReadAhead) {}

  /// Exact: for media that know where all is.
  package func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
    try seek(toFrame: frame)
  }

  /// Nil, for media with an end.
  package var live: LiveStream? { nil }

  /// Does nothing, for media with an end.
  package func hold(_ isHeld: Bool) {}

  /// None, for media whose tags are about all of them.
  package func takeTags() -> [TimedTag] { [] }

  /// Nothing, for media without tags.
  package func readReplayGain() throws(DecodingError) -> ReplayGain { ReplayGain() }
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
  /// Whether it comes from elsewhere, so that opening it may take long: then it is opened before its turn.
  var isRemote: Bool { get }

  /// Begins to open it at its beginning, and does no more than that: no call of this blocks. `callback` is called, on
  /// any thread, each time after the opening or its decoder was waiting when bytes came; it must be short and not block.
  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening

  /// Reads what it says about itself; without any tag that is empty. Any thread; may block on the file.
  func readTag() throws(DecodingError) -> MediaTag
}

extension MediaSource {
  /// Not: its bytes are all there.
  package var isRemote: Bool { false }

  /// An empty tag, for media that have none.
  package func readTag() throws(DecodingError) -> MediaTag { MediaTag() }
}
