/// Interleaved 32-bit float PCM: the one sample type between decoder, engine and output.
///
/// Floats because libmpg123 makes them without a rounding step and because a volume of 1.0 and a format
/// conversion then leave every sample as it was decoded.
package struct PCMFormat: Hashable, Sendable {
  /// Frames per second, 1…384 000 (the range PulseAudio 16 accepts).
  package var sampleRate: Int
  /// Samples in a frame: 1 (mono) or 2 (stereo), as MPEG audio has it.
  package var channelCount: Int

  /// A format of `sampleRate` frames per second with `channelCount` samples each.
  package init(sampleRate: Int, channelCount: Int) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }

  /// Bytes in a frame.
  package var bytesPerFrame: Int { channelCount * MemoryLayout<Float>.size }
}
