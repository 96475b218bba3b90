/// The format of interleaved 32-bit float PCM, the only sample type between decoder, engine and output.
///
/// Floats, because libmpg123 produces them without rounding. A volume of 1.0 and a format conversion then
/// leave every sample as it was decoded.
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
