/// Samples that are in the decoded frames and not in the music.
struct CodecDelays: Equatable {
  var encoderDelay: Int64 = 0
  var encoderPadding: Int64 = 0
  var decoderDelay: Int64 = 0
}

/// What is heard of a file's samples, so that it follows the file before it without a gap: all but what encoder and
/// decoder added.
struct GaplessCut {
  /// Samples that are cut from the beginning.
  var start: Int64 = 0
  /// Samples that are heard behind those, at most.
  var length = Int64.max

  /// No cut.
  init() {}

  /// What libmpg123 cuts, too, of a file that announces `samples`: at the beginning the decoder's delay and, with a
  /// LAME tag, the encoder's. The decoder delays the end as well; where that is behind the last frame there is nothing
  /// to cut.
  init(ofAnnounced samples: Int64, delays: CodecDelays) {
    start = delays.encoderDelay + delays.decoderDelay
    length = max(0, min(samples - delays.encoderPadding + delays.decoderDelay, samples) - start)
  }
}
