/// The state of a device apart from the frames sent to it.
package struct OutputSurroundings: Hashable, Sendable {
  /// Whether other applications play audio.
  package var isOtherAudioPlaying: Bool
  /// The listener's volume setting for the whole device, as a slider shows it, from 0 (silence) to 1 (full).
  package var volume: Float

  package init(isOtherAudioPlaying: Bool = false, volume: Float = 1) {
    self.isOtherAudioPlaying = isOtherAudioPlaying
    self.volume = volume
  }
}
