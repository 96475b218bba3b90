/// The number of frames in a medium, with its reliability.
package enum FrameCount: Hashable, Sendable {
  /// Stated by the file, counted in a complete scan, or found by reading to the end.
  case exact(Int64)
  /// Derived from the file's size and a mean bit rate.
  case estimate(Int64)
  case unknown

  package var value: Int64? {
    switch self {
    case .exact(let count), .estimate(let count): count
    case .unknown: nil
    }
  }
}

/// A failure to open or decode a medium.
package struct DecodingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The consequence of a failure. Damage that the decoder skips is not a failure; `AudioDecoder.damage` counts it.
  package enum Scope: Sendable {
    /// The item cannot be played, or not to its end. The queue continues with the next item.
    case item
    /// The engine cannot decode anything (out of memory, library unusable). The queue stops.
    case engine
  }

  /// The kind of failure. The facade maps it to an AVError code.
  package enum Reason: Hashable, Sendable {
    case notFound
    /// The file cannot be opened or read: permissions, a directory, an I/O error.
    case unreadable
    /// The medium contains no audio in a known format.
    case notRecognized
    /// Decoding failed in the middle of the medium.
    case decodeFailed
    /// Memory or file descriptors are exhausted, or a library cannot be used.
    case unusable
    /// The source does not support playback, or a library that it needs is not installed.
    case unsupported
    /// The transfer failed, with this code of `NSURLErrorDomain`.
    case network(code: Int)
    /// The server's responses contradict each other.
    case badServer
  }

  package var scope: Scope
  package var reason: Reason
  /// A sentence for people, without the file's name.
  package var message: String

  package init(scope: Scope = .item, reason: Reason, message: String) {
    self.scope = scope
    self.reason = reason
    self.message = message
  }

  package var description: String { message }
}

/// The result of a read from an `AudioDecoder`.
package enum DecoderRead: Hashable, Sendable {
  /// The number of frames written, at least 1.
  case frames(Int)
  case end
  /// Bytes of the medium are missing. The caller reads again after the callback of `MediaSource.open`.
  case waiting
}

/// A decoder of one medium to PCM frames. Used by one thread at a time (the engine's decode worker); not
/// Sendable. No call waits for missing bytes: `read` then returns `waiting`, `seek` nil, and `readReplayGain`
/// no levels. A call may block on a local disk, never on anything else.
package protocol AudioDecoder: AnyObject {
  /// The medium's format at its beginning. Its `sampleRate` is the timescale of all positions in the medium.
  var format: PCMFormat { get }

  /// The length in frames of `format.sampleRate`. An estimate becomes exact when reading reaches the end,
  /// unless a seek has estimated the position.
  var frameCount: FrameCount { get }

  /// Sets the format of the frames that `read` delivers; the default is `format`. Called at most once, before the
  /// first `read`; a `seek` may precede the call. Conversion between rates is exact in length: n frames at rate a
  /// become n·b/a frames at rate b, rounded up. The converter's own delay is removed. Without conversion the samples
  /// are the decoder's, bit for bit.
  func setOutputFormat(_ format: PCMFormat) throws(DecodingError)

  /// Moves the read position to `frame`, in frames of `format.sampleRate`, clamped to the medium's length.
  /// The next `read` starts with exactly that frame. Returns the new position, or nil while the bytes that
  /// determine it are missing. In that case the caller seeks again, to the same or another frame, after the
  /// callback of `MediaSource.open`. Until then `read` returns `waiting`.
  ///
  /// If `isExact` is false and distant bytes are missing, the decoder may estimate the byte offset of the
  /// frame. The audio then starts near that frame: within 1 % of the length if the medium has a seek table.
  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64?

  /// Fills `buffer`, which has room for at least one frame, with interleaved frames of the output format.
  /// Writes fewer frames than fit only before the end or an error, where bytes are missing, or where a remote
  /// medium changes its connection or version. After the end, each call returns `end` again. Frames decoded before an
  /// error are delivered first; the next call throws the error. After an error the decoder cannot be used any more.
  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead

  /// The decoder whose frames this decoder transforms; nil by default. Members that this decoder does not
  /// implement forward to that decoder.
  var inner: (any AudioDecoder)? { get }

  // Optional members. By default they forward to `inner` or, without `inner`, describe a local file without
  // tags.

  /// The mean bit rate, in bits per second, possibly estimated; 0 if unknown.
  var bitRate: Int { get }

  /// Returns the mean bit rate, in bits per second, of the frames that `read` decoded last: since the last
  /// call, or over about a second. If `read` decoded none, returns the previous value. By default returns
  /// `bitRate`.
  func takeBitRate() -> Double

  /// The audio available from the read position on.
  var supply: MediaSupply { get }

  /// The available parts of the medium; nil for a medium that need not be loaded. Costs more than `supply`.
  var extent: MediaExtent? { get }

  /// Sets the amount of the medium to buffer ahead of the read position.
  func setReadAhead(_ readAhead: MediaReadAhead)

  /// The properties of a live stream; nil for any other medium. Frames of a live stream are numbered in the
  /// order of reading, so that the numbers continue after a lost connection. A seek is clamped to the furthest
  /// position read so far. After a seek, the frames at a position may differ from those read before.
  var live: LiveStream? { get }

  /// Pauses or resumes the reception of a live stream. Returns at once. While paused, no more bytes are
  /// received. After a pause longer than `LiveStream.patience`, data received before it is discarded.
  func hold(_ isHeld: Bool)

  /// Returns the tags found in frames read since the last call, in order. After a seek, tags of frames from
  /// the new position on are returned again.
  func takeTags() -> [TimedTag]

  /// The number of bytes that were skipped because of damage, plus the number of announced frames that are missing.
  var damage: Int { get }

  /// Returns the ReplayGain levels in the medium's tags; empty if none exist or if their bytes are missing.
  /// Reads the tags at each call, and never moves the read position.
  func readReplayGain() throws(DecodingError) -> ReplayGain
}

/// A decoder whose `read` fills the buffer with the pieces that `deliver` writes. After an error, `read` and
/// `guarding` throw the same error at each further call.
package protocol PieceDecoder: AudioDecoder {
  /// The format of the frames that `read` delivers.
  var outputFormat: PCMFormat { get }

  /// The error that all further reads throw; nil if none has occurred.
  var failure: DecodingError? { get set }

  /// Writes at least one frame and at most `capacity` frames to `output`. Returns their number, or why none
  /// was written.
  func deliver(
    to output: UnsafeMutablePointer<Float>, capacity: Int
  ) throws(DecodingError) -> DecoderRead
}

extension PieceDecoder {
  package func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead {
    if let failure { throw failure }
    guard let base = buffer.baseAddress else { return .waiting }
    let channels = outputFormat.channelCount
    let capacity = buffer.count / channels
    var written = 0
    do throws(DecodingError) {
      while written < capacity {
        let result = try deliver(to: base + written * channels, capacity: capacity - written)
        guard case .frames(let count) = result else { return written > 0 ? .frames(written) : result }
        written += count
      }
    } catch {
      // Samples decoded before the error are delivered first; the next call throws the error.
      failure = error
      if written == 0 { throw error }
    }
    return .frames(written)
  }

  /// Returns the result of `body`, and keeps an error of `body` in `failure`. Throws `failure` without
  /// running `body` if the decoder has failed before.
  package func guarding<Value>(_ body: () throws(DecodingError) -> Value) throws(DecodingError) -> Value {
    if let failure { throw failure }
    do throws(DecodingError) {
      return try body()
    } catch {
      failure = error
      throw error
    }
  }
}

extension AudioDecoder {
  package var inner: (any AudioDecoder)? { nil }
  package var bitRate: Int { inner?.bitRate ?? 0 }
  package func takeBitRate() -> Double { inner?.takeBitRate() ?? Double(bitRate) }
  package var supply: MediaSupply { inner?.supply ?? .all }
  package var extent: MediaExtent? { inner?.extent }
  package func setReadAhead(_ readAhead: MediaReadAhead) { inner?.setReadAhead(readAhead) }
  package var live: LiveStream? { inner?.live }
  package func hold(_ isHeld: Bool) { inner?.hold(isHeld) }
  package func takeTags() -> [TimedTag] { inner?.takeTags() ?? [] }
  package var damage: Int { inner?.damage ?? 0 }
  package func readReplayGain() throws(DecodingError) -> ReplayGain {
    guard let inner else { return ReplayGain() }
    return try inner.readReplayGain()
  }

  package func seek(toFrame frame: Int64) throws(DecodingError) -> Int64? {
    try seek(toFrame: frame, isExact: true)
  }
}

/// A medium that is being opened. Used by one thread at a time: the thread that uses the decoder later.
package struct MediaOpening {
  private let step: () throws(DecodingError) -> (any AudioDecoder)?

  package init(_ step: @escaping () throws(DecodingError) -> (any AudioDecoder)?) { self.step = step }

  /// Returns the decoder, positioned at the medium's beginning; nil while bytes are missing. After nil the
  /// caller tries again at the callback of `MediaSource.open`. After a decoder or an error the method must
  /// not be called again. May block on a local disk, never on anything else.
  package func proceed() throws(DecodingError) -> (any AudioDecoder)? { try step() }
}

/// The options for opening a medium.
package struct OpeningOptions: Hashable, Sendable {
  /// Whether to read a medium without a stated length completely when it is opened, so that
  /// `AudioDecoder.frameCount` is exact from the beginning. Costs one pass over the medium (MP3: about 1 s per
  /// GB from memory). Media that state their length, as almost all do, are exact without it.
  package var preciseDuration: Bool

  package init(preciseDuration: Bool = false) { self.preciseDuration = preciseDuration }
}

/// A medium that can be opened for decoding any number of times: a file, a download or a stream.
package protocol MediaSource: Sendable {
  /// A Boolean value that indicates whether the medium is remote. Opening a remote medium may take long, so
  /// the engine opens it in advance.
  var isRemote: Bool { get }

  /// Starts to open the medium at its beginning; never blocks. After the opening or its decoder lacked bytes,
  /// `callback` is called when bytes arrive. `callback` runs on any thread, must be short and must not block.
  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening

  /// Returns the medium's tag; empty if the medium has none. May be called on any thread; may block on the
  /// file.
  func readTag() throws(DecodingError) -> MediaTag
}

extension MediaSource {
  package var isRemote: Bool { false }

  package func readTag() throws(DecodingError) -> MediaTag { MediaTag() }
}

/// The format of interleaved 32-bit float PCM, the only sample type between decoder, engine and output.
/// Samples are floats because libmpg123 produces floats without rounding them to integers. With volume, gain and
/// speed at 1 and without conversion, every sample stays as it was decoded.
package struct PCMFormat: Hashable, Sendable {
  /// The number of frames per second, 1…384 000 (the range PulseAudio 16 accepts).
  package var sampleRate: Int
  /// The number of samples in a frame: 1 (mono) or 2 (stereo), as in MPEG audio.
  package var channelCount: Int

  package init(sampleRate: Int, channelCount: Int) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }

  package var bytesPerFrame: Int { channelCount * MemoryLayout<Float>.size }
}
