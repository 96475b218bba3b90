/// The samples in the decoded frames that are not part of the music.
struct CodecDelays: Equatable {
  var encoderDelay: Int64 = 0
  var encoderPadding: Int64 = 0
  var decoderDelay: Int64 = 0
}

/// The audible samples of a file. Encoder delay, decoder delay and padding are cut, so that files play
/// without gaps.
struct GaplessCut {
  var start: Int64 = 0
  /// The maximum number of audible samples after `start`.
  var length = Int64.max

  init() {}

  /// Creates the cut that libmpg123 also makes in a file that announces `samples`. The beginning loses the
  /// decoder's delay and, with a LAME tag, the encoder's. The decoder also delays the end; if the delayed end
  /// is after the last frame, nothing is cut there.
  init(ofAnnounced samples: Int64, delays: CodecDelays) {
    start = delays.encoderDelay + delays.decoderDelay
    length = max(0, min(samples - delays.encoderPadding + delays.decoderDelay, samples) - start)
  }
}
